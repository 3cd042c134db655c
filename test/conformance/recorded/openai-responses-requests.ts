/** Converts a request of the Responses API to an equivalent request of the Messages API. */

import { callInput } from './said.ts';
import type { ReadRequest } from './wire-row.ts';

type Json = Record<string, unknown>;
type Block = Json & { type: string };

const MAX_TOKENS = 4_000;

export function readResponsesRequest(body: Json): ReadRequest {
  const unsaid: string[] = [];
  const { instructions, reasoning, text } = body as {
    instructions?: string;
    reasoning?: Json;
    text?: { format?: Json };
  };
  const effort = reasoning?.['effort'];
  const format = text?.format;
  if (format && format['type'] !== 'json_schema') unsaid.push(`text.format of type ${String(format['type'])}`);
  const isStructured = format?.['type'] === 'json_schema';
  const request: Json = {
    model: body['model'],
    max_tokens: body['max_output_tokens'] ?? MAX_TOKENS,
    ...(instructions === undefined ? {} : { system: instructions }),
    messages: readInput(body['input'] as Json[], unsaid),
    ...readTools(body, unsaid),
    ...(effort === undefined ? {} : { thinking: { type: 'adaptive' } }),
  };
  if (effort !== undefined || isStructured) {
    request['output_config'] = {
      ...(effort === undefined ? {} : { effort }),
      ...(isStructured ? { format: { type: 'json_schema', schema: format['schema'] } } : {}),
    };
  }
  for (const field of ['temperature', 'top_p']) if (body[field] !== undefined) request[field] = body[field];
  return { request, unsaid };
}

function readInput(items: Json[], unsaid: string[]): Json[] {
  const messages: { role: string; content: Block[] }[] = [];
  const say = (role: string, ...blocks: Block[]) => {
    const last = messages.at(-1);
    if (last?.role === role && role !== 'system') last.content.push(...blocks);
    else messages.push({ role, content: blocks });
  };
  for (const item of items) {
    switch (item['type'] ?? 'message') {
      case 'message': {
        const role = item['role'] === 'developer' ? 'system' : String(item['role']);
        say(role, ...partsOf(item['content']));
        break;
      }
      case 'function_call':
        say('assistant', {
          type: 'tool_use',
          id: item['call_id'],
          name: item['name'],
          input: callInput(item['arguments'] as string),
        });
        break;
      case 'function_call_output': {
        const { output } = item;
        const content = typeof output === 'string' ? output : partsOf(output);
        say('user', { type: 'tool_result', tool_use_id: item['call_id'], content });
        break;
      }
      default:
        // Other items cannot be converted, such as reasoning items that the gateway has not encoded.
        unsaid.push(`input of type ${String(item['type'])}`);
    }
  }
  return messages;
}

function partsOf(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content as Json[]).map((part) => {
    switch (part['type']) {
      case 'input_image':
        return { type: 'image', source: sourceOf(part['image_url'] as string) };
      case 'input_file':
        return { type: 'document', title: part['filename'], source: sourceOf(part['file_data'] as string) };
      default:
        return { type: 'text', text: part['text'] };
    }
  });
}

function sourceOf(url: string): Json {
  const [, mediaType, data] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? [];
  return data === undefined ? { type: 'url', url } : { type: 'base64', media_type: mediaType, data };
}

function readTools(body: Json, unsaid: string[]): Json {
  const tools = ((body['tools'] ?? []) as Json[]).flatMap(({ type, name, description, parameters }) => {
    if (type === 'function')
      return [{ name, description, input_schema: parameters ?? { type: 'object', properties: {} } }];
    unsaid.push(`tool of type ${String(type)}`);
    return [];
  });
  if (tools.length === 0) return {};
  const isSingle = body['parallel_tool_calls'] === false;
  const choice = body['tool_choice'] ?? (isSingle ? 'auto' : undefined);
  if (choice === undefined) return { tools };
  const plain: Record<string, string> = { auto: 'auto', required: 'any', none: 'none' };
  const read = typeof choice === 'string' ? { type: plain[choice] } : { type: 'tool', name: (choice as Json)['name'] };
  return { tools, tool_choice: { ...read, ...(isSingle ? { disable_parallel_tool_use: true } : {}) } };
}
