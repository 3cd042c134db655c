import { createHash } from 'node:crypto';
import { invalidRequest } from '../../platform/errors.ts';
import { isOwnThinking } from '../../messages/foreign-thinking.ts';
import type { Block, Message, MessagesRequest } from '../../messages/types.ts';
import type { WireTarget } from '../wire.ts';
import { toolCallId } from '../tool-call-id.ts';
import { pdfPart } from './pdf-part.ts';
import { penaltyFields } from './sampling.ts';
import { thinkingFields } from './thinking.ts';
import { formatField, toolFields } from './tools.ts';
import { toTurns } from './turns.ts';

/**
 * Messages requests as chat-completions requests. What the wire cannot say is mapped by the rules of docs/wires.md or
 * refused by name; nothing that a client sent is dropped in silence, except hints that cannot change an answer
 * (cache_control, metadata beyond user_id).
 */
type ChatMessage = { role: string; content: unknown; [field: string]: unknown };

/** Fields of the Messages API that would change the answer and have no counterpart. */
const unspeakableFields = ['inference_geo'] as const;

function refuseUnspeakable(request: MessagesRequest): void {
  for (const field of unspeakableFields) {
    if (request[field] !== undefined) throw invalidRequest(field, 'only works on Anthropic models; leave it out');
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Text that a model understands as the content of a part that had none. */
const EMPTY_RESULT = '(no output)';

export function encodeChatRequest(request: MessagesRequest, target: WireTarget): Record<string, unknown> {
  const { quirks } = target;
  const body: Record<string, unknown> = {
    model: target.upstreamModel,
    messages: [...systemMessages(request, target), ...conversation(toTurns(request.messages), request, target)],
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
  if (request.stop_sequences?.length) {
    if (!target.supportedParameters.includes('stop')) {
      throw invalidRequest('stop_sequences', 'this model takes none; leave them out');
    }
    body['stop'] = request.stop_sequences;
  }
  // Providers bound its length, and the person behind it is not their business.
  if (request.metadata?.user_id && quirks.user_field) body['user'] = digest(request.metadata.user_id);
  refuseUnspeakable(request);
  const format = formatField(request, target.supportedParameters);
  return Object.assign(
    body,
    penaltyFields(request, target),
    toolFields(request),
    thinkingFields(request, target),
    format,
  );
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

function conversation(messages: Message[], request: MessagesRequest, target: WireTarget): ChatMessage[] {
  return messages.flatMap((message, index) => {
    const path = `messages.${index}.content`;
    switch (message.role) {
      case 'system':
        return [{ role: target.quirks.system_role ?? 'system', content: plainText(message.content, path) }];
      case 'assistant':
        return assistantMessages(message.content, path, request, target);
      case 'user':
        return userMessages(message.content, path, target);
    }
  });
}

function assistantMessages(
  content: string | Block[],
  path: string,
  request: MessagesRequest,
  { quirks }: WireTarget,
): ChatMessage[] {
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
          id: toolCallId(block['id'] as string, idRule(quirks)),
          type: 'function',
          function: { name: block['name'], arguments: JSON.stringify(block['input']) },
          ...(quirks.thought_signature_placeholder ? thoughtSignaturePlaceholder : {}),
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
  if (quirks.reasoning_history === 'reasoning_content') {
    const text = reasoning.join('');
    // They refuse a call without any, and an empty one as well: a conversation that another model began has none.
    const needed = toolCalls.length > 0 && request.thinking?.type !== 'disabled';
    if (text !== '' || needed) message['reasoning_content'] = text || ' ';
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
  if (shown.length === 0) return results;
  const said = { role: 'user', content: simplify(shown) };
  return results.length > 0 && target.quirks.assistant_after_tool
    ? [...results, { role: 'assistant', content: 'I have the results.' }, said]
    : [...results, said];
}

/** Gemini's documented way to say that a call was made without a signature of its own. */
const thoughtSignaturePlaceholder = {
  extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
};

function idRule(quirks: WireTarget['quirks']) {
  return quirks.tool_call_ids === 'nine_alphanumerics' ? 'nineAlphanumerics' : 'openai';
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
    tool_call_id: toolCallId(block['tool_use_id'] as string, idRule(target.quirks)),
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
  const context = typeof block['context'] === 'string' ? `\n<context>${block['context']}</context>` : '';
  const inTag = (text: string) => ({
    type: 'text',
    text: `<document title="${title}">${context}\n${text}\n</document>`,
  });
  if (source.type === 'text') return inTag(source.data!);
  if (source.type === 'content') return inTag(plainText(source.content!, path));
  if (source.type === 'base64' && quirks.pdf_files) return pdfPart(source.data!, title, quirks);
  throw invalidRequest(
    `${path}.source.type`,
    `"${source.type}" documents do not work on this model; send the text of the document instead`,
  );
}

/** Text alone is written as a string, which every upstream understands; not all of them take parts. */
function simplify(parts: unknown[]): unknown {
  const texts = (parts as { type?: string; text?: string }[]).filter(({ type }) => type === 'text');
  return texts.length === parts.length ? texts.map(({ text }) => text).join('\n\n') : parts;
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
