import { invalidRequest } from '../../platform/errors.ts';
import { isOwnThinking } from '../../messages/foreign-thinking.ts';
import type { Block, Message, MessagesRequest, Tool } from '../../messages/types.ts';
import type { WireTarget } from '../wire.ts';
import { toolCallId } from './tool-call-id.ts';

/**
 * Messages requests as chat-completions requests. What the wire cannot say is mapped by the rules of docs/wires.md or
 * refused by name; nothing that a client sent is dropped in silence, except hints that cannot change an answer
 * (cache_control, metadata beyond user_id).
 */
type ChatMessage = { role: string; content: unknown; [field: string]: unknown };

/** Text that a model understands as the content of a part that had none. */
const EMPTY_RESULT = '(no output)';

export function encodeChatRequest(request: MessagesRequest, target: WireTarget): Record<string, unknown> {
  const { quirks } = target;
  const body: Record<string, unknown> = {
    model: target.upstreamModel,
    messages: [...systemMessages(request, target), ...conversation(request.messages, target)],
    stream: true,
  };
  if (quirks.stream_usage !== false) body['stream_options'] = { include_usage: true };
  if (request.max_tokens !== undefined) {
    if (request.max_tokens === 0) {
      throw invalidRequest('max_tokens', 'must be at least 1: warming a cache with 0 only works on Anthropic models');
    }
    const ceiling = target.maxOutputTokens ?? Infinity;
    body[quirks.max_tokens_field ?? 'max_tokens'] = Math.min(request.max_tokens, ceiling);
  }
  // A model that does not list a sampling parameter would refuse the request; its fixed sampling is what it offers.
  for (const parameter of ['temperature', 'top_p', 'top_k'] as const) {
    if (request[parameter] !== undefined && target.supportedParameters.includes(parameter)) {
      body[parameter] = request[parameter];
    }
  }
  if (request.stop_sequences?.length) body['stop'] = request.stop_sequences;
  if (request.metadata?.user_id) body['user'] = request.metadata.user_id;
  Object.assign(body, toolFields(request), thinkingFields(request, target), formatField(request));
  return body;
}

function systemMessages(request: MessagesRequest, { quirks }: WireTarget): ChatMessage[] {
  const role = quirks.system_role ?? 'system';
  if (request.system === undefined || request.system === '') return [];
  if (typeof request.system === 'string') return [{ role, content: request.system }];
  const text = request.system
    .map((block, index) => textOf(block, `system.${index}`))
    .filter((part) => part !== '')
    .join('\n\n');
  return text === '' ? [] : [{ role, content: text }];
}

function conversation(messages: Message[], target: WireTarget): ChatMessage[] {
  return messages.flatMap((message, index) => {
    const path = `messages.${index}.content`;
    switch (message.role) {
      case 'system':
        return [{ role: target.quirks.system_role ?? 'system', content: plainText(message.content, path) }];
      case 'assistant':
        return assistantMessages(message.content, path, target);
      case 'user':
        return userMessages(message.content, path, target);
    }
  });
}

function assistantMessages(content: string | Block[], path: string, { quirks }: WireTarget): ChatMessage[] {
  if (typeof content === 'string') return [{ role: 'assistant', content }];
  const texts: string[] = [];
  const reasoning: string[] = [];
  const toolCalls: unknown[] = [];
  for (const [index, block] of content.entries()) {
    switch (block.type) {
      case 'text':
        texts.push(block['text'] as string);
        break;
      case 'thinking':
        // Reasoning signed by another family means nothing here.
        if (isOwnThinking(block)) reasoning.push(block['thinking'] as string);
        break;
      case 'redacted_thinking':
        break;
      case 'tool_use':
        toolCalls.push({
          id: toolCallId(block['id'] as string, quirks),
          type: 'function',
          function: { name: block['name'], arguments: JSON.stringify(block['input']) },
        });
        break;
      default:
        throw unsupported(block, `${path}.${index}`);
    }
  }
  const text = texts.join('');
  if (text === '' && toolCalls.length === 0) return [];
  const message: ChatMessage = { role: 'assistant', content: text === '' ? null : text };
  if (toolCalls.length > 0) message['tool_calls'] = toolCalls;
  // Some providers ask for the reasoning back while a tool loop runs, and forget it themselves after that.
  if (quirks.reasoning_history === 'reasoning_content' && reasoning.length > 0) {
    message['reasoning_content'] = reasoning.join('');
  }
  return [message];
}

/** Tool results come first, directly behind the call, as the wire demands; what else the user said follows. */
function userMessages(content: string | Block[], path: string, target: WireTarget): ChatMessage[] {
  if (typeof content === 'string') return [{ role: 'user', content }];
  const results: ChatMessage[] = [];
  const parts: unknown[] = [];
  for (const [index, block] of content.entries()) {
    const at = `${path}.${index}`;
    if (block.type === 'tool_result') results.push(toolResult(block, at, target, parts));
    else parts.push(userPart(block, at, target));
  }
  const shown = parts.filter((part) => part !== undefined);
  return shown.length === 0 ? results : [...results, { role: 'user', content: simplify(shown) }];
}

/** The `tool` role takes only text on most upstreams: images of a result move into the user message that follows. */
function toolResult(block: Block, path: string, target: WireTarget, parts: unknown[]): ChatMessage {
  const content = (block['content'] ?? '') as string | Block[];
  const texts: string[] = [];
  if (typeof content === 'string') {
    texts.push(content);
  } else {
    for (const [index, inner] of content.entries()) {
      if (inner.type === 'text') texts.push(inner['text'] as string);
      else if (inner.type === 'image' || inner.type === 'document') {
        texts.push(`(the ${inner.type} of this result follows)`);
        parts.push(userPart(inner, `${path}.content.${index}`, target));
      } else throw unsupported(inner, `${path}.content.${index}`);
    }
  }
  const text = texts.join('\n') || EMPTY_RESULT;
  return {
    role: 'tool',
    tool_call_id: toolCallId(block['tool_use_id'] as string, target.quirks),
    content: block['is_error'] === true ? `Error: ${text}` : text,
  };
}

function userPart(block: Block, path: string, target: WireTarget): unknown {
  switch (block.type) {
    case 'text':
      // Many upstreams refuse empty text.
      return block['text'] === '' ? undefined : { type: 'text', text: block['text'] };
    case 'image':
      return { type: 'image_url', image_url: { url: imageUrl(block, path) } };
    case 'document':
      return documentPart(block, path, target);
    default:
      throw unsupported(block, path);
  }
}

function imageUrl(block: Block, path: string): string {
  const source = block['source'] as { type: string; media_type?: string; data?: string; url?: string };
  if (source.type === 'base64') return `data:${source.media_type};base64,${source.data}`;
  if (source.type === 'url') return source.url!;
  throw invalidRequest(`${path}.source.type`, 'files only work on Anthropic models; send the image as base64 or url');
}

function documentPart(block: Block, path: string, { quirks }: WireTarget): unknown {
  const source = block['source'] as { type: string; media_type?: string; data?: string; content?: string | Block[] };
  const title = typeof block['title'] === 'string' ? block['title'] : 'document';
  if (source.type === 'text') return { type: 'text', text: `<document title="${title}">\n${source.data}\n</document>` };
  if (source.type === 'content') {
    return { type: 'text', text: `<document title="${title}">\n${plainText(source.content!, path)}\n</document>` };
  }
  if (source.type === 'base64' && quirks.pdf_files) {
    return {
      type: 'file',
      file: { filename: `${title}.pdf`, file_data: `data:application/pdf;base64,${source.data}` },
    };
  }
  throw invalidRequest(
    `${path}.source.type`,
    `"${source.type}" documents do not work on this model; send the text of the document instead`,
  );
}

function toolFields(request: MessagesRequest): Record<string, unknown> {
  if (!request.tools?.length) return {};
  const choice = request.tool_choice;
  const fields: Record<string, unknown> = { tools: request.tools.map(functionTool) };
  if (choice) {
    const plain = { auto: 'auto', any: 'required', none: 'none' } as const;
    fields['tool_choice'] =
      choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : plain[choice.type];
    if (choice.disable_parallel_tool_use) fields['parallel_tool_calls'] = false;
  }
  return fields;
}

function functionTool(tool: Tool, index: number): unknown {
  if (tool.type && tool.type !== 'custom') {
    throw invalidRequest(
      `tools.${index}.type`,
      `"${tool.type}" only works on Anthropic models; describe the tool with name, description and input_schema`,
    );
  }
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...(tool.description ? { description: tool.description } : {}),
      parameters: tool.input_schema ?? { type: 'object', properties: {} },
      ...(typeof tool['strict'] === 'boolean' ? { strict: tool['strict'] } : {}),
    },
  };
}

/** Thinking is asked for in each provider's own way; models that think by themselves are left to it. */
function thinkingFields(request: MessagesRequest, { quirks }: WireTarget): Record<string, unknown> {
  const wanted = request.thinking ? request.thinking.type !== 'disabled' : undefined;
  switch (quirks.reasoning_request ?? 'none') {
    case 'none':
      return {};
    case 'reasoning_effort': {
      const effort = request.output_config?.effort ?? effortOfBudget(request.thinking?.budget_tokens);
      if (wanted === false) return { reasoning_effort: 'low' };
      return effort ? { reasoning_effort: effort === 'xhigh' || effort === 'max' ? 'high' : effort } : {};
    }
    case 'enable_thinking':
      if (wanted === undefined) return {};
      return {
        enable_thinking: wanted,
        ...(wanted && request.thinking?.budget_tokens ? { thinking_budget: request.thinking.budget_tokens } : {}),
      };
    case 'thinking_type':
      return wanted === undefined ? {} : { thinking: { type: wanted ? 'enabled' : 'disabled' } };
  }
}

function effortOfBudget(budgetTokens: number | null | undefined): 'low' | 'medium' | 'high' | undefined {
  if (!budgetTokens) return undefined;
  if (budgetTokens <= 4_096) return 'low';
  return budgetTokens <= 16_384 ? 'medium' : 'high';
}

function formatField(request: MessagesRequest): Record<string, unknown> {
  const format = request.output_config?.format;
  if (!format) return {};
  return {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema, strict: true } },
  };
}

/** One text part alone is written as a string, which every upstream understands. */
function simplify(parts: unknown[]): unknown {
  const [only] = parts as { type?: string; text?: string }[];
  return parts.length === 1 && only?.type === 'text' ? only.text : parts;
}

function plainText(content: string | Block[], path: string): string {
  if (typeof content === 'string') return content;
  return content.map((block, index) => textOf(block, `${path}.${index}`)).join('\n');
}

function textOf(block: Block, path: string): string {
  if (block.type !== 'text') throw unsupported(block, path);
  return block['text'] as string;
}

function unsupported(block: Block, path: string) {
  return invalidRequest(`${path}.type`, `blocks of type "${block.type}" do not work here on this model`);
}
