/** Converts a chat-completions request to an equivalent request of the Messages API. */

import { callInput } from './said.ts';
import type { ReadRequest } from './wire-row.ts';

type Json = Record<string, unknown>;
type Block = Json & { type: string };

/** Fields without an equivalent in the Messages API. OWN has fields that are read separately, or not at all. */
const UNSAID = new Set(['web_search_options', 'plugins']);
const OWN = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'prompt_cache_key',
  'service_tier',
]);
const SAMPLING = new Set(['temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty']);
/** Default of `max_tokens`, a field that the Messages API requires. */
const MAX_TOKENS = 4_000;

export function readChatRequest(body: Json): ReadRequest {
  const unsaid: string[] = [];
  const { system, messages } = readMessages(body['messages'] as Json[]);
  const request: Json = {
    model: body['model'],
    max_tokens: body['max_tokens'] ?? body['max_completion_tokens'] ?? MAX_TOKENS,
    ...(system === undefined ? {} : { system }),
    messages,
    ...readTools(body, unsaid),
    ...readThinking(body),
  };
  const known = new Set([...OWN, 'max_tokens', 'max_completion_tokens']);
  for (const [field, value] of Object.entries(body)) {
    if (SAMPLING.has(field)) request[field] = value;
    else if (field === 'stop') request['stop_sequences'] = [value].flat();
    else if (field === 'response_format') readFormat(value as Json, request, unsaid);
    else if (UNSAID.has(field)) unsaid.push(field);
    else if (!known.has(field) && !THINKING.has(field)) throw new Error(`The reader does not know the field ${field}`);
  }
  return { request, unsaid };
}

function readMessages(messages: Json[]): { system: string | undefined; messages: Json[] } {
  const isSystem = ({ role }: Json) => role === 'system' || role === 'developer';
  const first = messages.findIndex((message) => !isSystem(message));
  const leading = messages.slice(0, first).map(({ content }) => textOf(content));
  const read: Json[] = [];
  for (const message of messages.slice(first)) {
    if (isSystem(message)) read.push({ role: 'system', content: textOf(message['content']) });
    else if (message['role'] === 'assistant') read.push({ role: 'assistant', content: assistantBlocks(message) });
    else if (message['role'] === 'tool') addResult(read, toolResult(message));
    else read.push({ role: 'user', content: userContent(message['content']) });
  }
  return { system: leading.length > 0 ? leading.join('\n\n') : undefined, messages: read };
}

function assistantBlocks(message: Json): Block[] {
  const reasoning = [message['reasoning_content'] ?? message['reasoning'], ...thinkingParts(message)].join('');
  const text = textOf(message['content']);
  return [
    ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: '' }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...((message['tool_calls'] ?? []) as { id: string; function: { name: string; arguments: string } }[]).map(
      (call) => ({
        type: 'tool_use',
        id: call.id,
        name: call.function.name,
        input: callInput(call.function.arguments),
      }),
    ),
  ];
}

/** Returns thinking from OpenRouter's details or Mistral's parts. */
function thinkingParts({ reasoning_details: details, content }: Json): unknown[] {
  const parts = Array.isArray(content) ? (content as Json[]) : [];
  return [
    ...((details ?? []) as { text?: string }[]).map(({ text }) => text ?? ''),
    ...parts.flatMap(({ thinking }) => ((thinking ?? []) as Json[]).map(({ text }) => text)),
  ];
}

function toolResult({ tool_call_id: id, content }: Json): Block {
  return { type: 'tool_result', tool_use_id: id, content: Array.isArray(content) ? content.map(block) : content };
}

/** Adds a result to the message that has all results of one turn. */
function addResult(messages: Json[], result: Block): void {
  const last = messages.at(-1);
  const blocks = last?.['content'] as Block[] | undefined;
  if (last?.['role'] === 'user' && Array.isArray(blocks) && blocks[0]?.type === 'tool_result') blocks.push(result);
  else messages.push({ role: 'user', content: [result] });
}

function userContent(content: unknown): unknown {
  return Array.isArray(content) ? content.map(block) : content;
}

function block(part: Json): Block {
  switch (part['type']) {
    case 'text':
      return { type: 'text', text: part['text'] };
    case 'image_url':
      return { type: 'image', source: sourceOf((part['image_url'] as { url: string }).url) };
    case 'file': {
      const { filename, file_data: data } = part['file'] as { filename: string; file_data: string };
      return { type: 'document', title: filename, source: sourceOf(data) };
    }
    default:
      throw new Error(`The reader does not know parts of type ${String(part['type'])}`);
  }
}

function sourceOf(url: string): Json {
  const [, mediaType, data] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? [];
  return data === undefined ? { type: 'url', url } : { type: 'base64', media_type: mediaType, data };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return ((content ?? []) as { text?: string }[]).map(({ text }) => text ?? '').join('');
}

function readTools(body: Json, unsaid: string[]): Json {
  const tools = ((body['tools'] ?? []) as { type: string; function: Json }[]).flatMap(({ type, function: named }) => {
    if (type !== 'function') {
      unsaid.push(`tools of type ${type}`);
      return [];
    }
    const { name, description, parameters, strict } = named;
    return [{ name, description, input_schema: parameters ?? { type: 'object' }, ...(strict ? { strict } : {}) }];
  });
  if (tools.length === 0) return {};
  const isSingle = body['parallel_tool_calls'] === false;
  const choice = body['tool_choice'] ?? (isSingle ? 'auto' : undefined);
  if (choice === undefined) return { tools };
  const plain: Record<string, string> = { auto: 'auto', required: 'any', none: 'none' };
  const read =
    typeof choice === 'string'
      ? { type: plain[choice] }
      : { type: 'tool', name: (choice as { function: { name: string } }).function.name };
  return { tools, tool_choice: { ...read, ...(isSingle ? { disable_parallel_tool_use: true } : {}) } };
}

const THINKING = new Set(['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking', 'thinking_budget']);

function readThinking(body: Json): Json {
  const effort = body['reasoning_effort'] ?? (body['reasoning'] as Json | undefined)?.['effort'];
  const type = (body['thinking'] as Json | undefined)?.['type'];
  const isOff = effort === 'none' || body['enable_thinking'] === false || type === 'disabled';
  if (isOff) return { thinking: { type: 'disabled' } };
  const isOn = effort !== undefined || type === 'enabled' || body['enable_thinking'] === true;
  if (!isOn) return {};
  return { thinking: { type: 'adaptive' }, ...(effort === undefined ? {} : { output_config: { effort } }) };
}

function readFormat(format: Json, request: Json, unsaid: string[]): void {
  if (format['type'] !== 'json_schema') unsaid.push(`response_format of type ${String(format['type'])}`);
  else {
    const { schema } = format['json_schema'] as { schema: Json };
    request['output_config'] = { ...(request['output_config'] as Json), format: { type: 'json_schema', schema } };
  }
}
