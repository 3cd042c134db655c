import { wellFormedJson } from '../../platform/json/well-formed.ts';
import type { Block, Message, MessagesRequest } from '../../messages/types.ts';
import { placeBlocks } from '../translated/turns.ts';

/**
 * Converts tool calls and results to text if no tools may be called: Converse rejects them in a request without tools,
 * and has no setting that forbids calls. Agents that request a summary or a title send earlier tool calls, but no tools
 * (https://github.com/agentgateway/agentgateway/pull/2192).
 */
export function withCallsAsText(request: MessagesRequest): MessagesRequest {
  const mayCall = Boolean(request.tools?.length) && request.tool_choice?.type !== 'none';
  if (
    mayCall ||
    !request.messages.some(({ content }) => placeBlocks(content, '').some(({ block }) => isOfTools(block)))
  ) {
    return request;
  }
  const { tools: _tools, tool_choice: _choice, ...rest } = request;
  const names = new Map<unknown, string>();
  return { ...rest, messages: request.messages.map((message) => messageAsText(message, names)) };
}

function isOfTools({ type }: Block): boolean {
  return type === 'tool_use' || type === 'tool_result';
}

function messageAsText({ content, ...message }: Message, names: Map<unknown, string>): Message {
  if (typeof content === 'string') return { ...message, content };
  return { ...message, content: content.flatMap((block) => blocksAsText(block, names)) };
}

function blocksAsText(block: Block, names: Map<unknown, string>): Block[] {
  switch (block.type) {
    case 'tool_use': {
      const name = String(block['name']);
      names.set(block['id'], name);
      return [textBlock(`<call tool="${name}">${wellFormedJson(block['input'] ?? {})}</call>`, block)];
    }
    case 'tool_result':
      return resultBlocks(block, names.get(block['tool_use_id']) ?? '');
    default:
      return [block];
  }
}

/** Converts a tool result to text between <result> tags. Images and documents stay blocks, between the two tags. */
function resultBlocks(block: Block, name: string): Block[] {
  const failed = block['is_error'] === true ? ' failed="true"' : '';
  const parts = (block['content'] ?? '') as string | Block[];
  const [begin, end] = [`<result tool="${name}"${failed}>`, '</result>'];
  if (typeof parts === 'string') return [textBlock(`${begin}${parts}${end}`, block)];
  if (parts.every(({ type }) => type === 'text')) {
    return [textBlock(`${begin}${parts.map((part) => part['text'] as string).join('\n')}${end}`, block)];
  }
  return [textBlock(begin), ...parts, textBlock(end, block)];
}

/** Returns a text block with the cache mark of the block that it replaces. */
function textBlock(text: string, block?: Block): Block {
  const control = block?.['cache_control'];
  return { type: 'text', text, ...(control ? { cache_control: control } : {}) };
}
