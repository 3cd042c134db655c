/** Converts a Gemini request to an equivalent request of the Messages API. */

import type { ReadRequest } from './wire-row.ts';

type Json = Record<string, unknown>;
type Block = Json & { type: string };

const MAX_TOKENS = 4_000;

export function readGeminiRequest(body: Json, uri: string): ReadRequest {
  const unsaid: string[] = [];
  const config = (body['generationConfig'] ?? {}) as Json;
  const schema = config['responseJsonSchema'] ?? config['responseSchema'];
  const system = (body['systemInstruction'] as { parts: { text: string }[] } | undefined)?.parts;
  const request: Json = {
    model: /models\/([^:]+):/.exec(uri)?.[1] ?? 'm',
    max_tokens: config['maxOutputTokens'] ?? MAX_TOKENS,
    ...(system ? { system: system.map(({ text }) => text).join('\n\n') } : {}),
    messages: readContents(body['contents'] as { role: string; parts: Json[] }[]),
    ...readTools(body, unsaid),
    ...readThinking((config['thinkingConfig'] ?? {}) as Json),
  };
  const names = { temperature: 'temperature', topP: 'top_p', topK: 'top_k', stopSequences: 'stop_sequences' };
  for (const [own, name] of Object.entries(names)) if (config[own] !== undefined) request[name] = config[own];
  if (schema) {
    const format = { type: 'json_schema', schema: lowered(schema) };
    request['output_config'] = { ...(request['output_config'] as Json), format };
  }
  return { request, unsaid };
}

/** Reads messages. A result without an id belongs to the first call of its name that has no result yet. */
function readContents(contents: { role: string; parts: Json[] }[]): Json[] {
  const open: { id: string; name: string }[] = [];
  let calls = 0;
  const block = (part: Json): Block[] => {
    const call = part['functionCall'] as { id?: string; name: string; args?: unknown } | undefined;
    const answer = part['functionResponse'] as
      | { id?: string; name: string; response: Json; parts?: Json[] }
      | undefined;
    const media = (part['inlineData'] ?? part['inline_data']) as Json | undefined;
    if (call) {
      const id = call.id ?? `call_${(calls += 1)}`;
      open.push({ id, name: call.name });
      return [{ type: 'tool_use', id, name: call.name, input: call.args ?? {} }];
    }
    if (answer) {
      const at = open.findIndex(({ id, name }) => (answer.id === undefined ? name === answer.name : id === answer.id));
      const [{ id } = { id: answer.id }] = open.splice(at, 1);
      return [{ type: 'tool_result', tool_use_id: id, content: resultOf(answer.response, answer.parts ?? []) }];
    }
    if (media) return [mediaBlock(media)];
    if (part['thought']) return [{ type: 'thinking', thinking: part['text'] ?? '', signature: '' }];
    return part['text'] === '' ? [] : [{ type: 'text', text: part['text'] }];
  };
  return contents.map(({ role, parts }) => ({
    role: role === 'model' ? 'assistant' : 'user',
    content: parts.flatMap(block),
  }));
}

function resultOf(response: Json, parts: Json[]): unknown {
  const texts = response['content'] as { text: string }[] | undefined;
  const text = texts?.map((piece) => piece.text).join('\n') ?? String(response['output'] ?? response['error']);
  if (parts.length === 0) return text;
  const media = parts.map((part) => mediaBlock((part['inlineData'] ?? part['inline_data']) as Json));
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...media];
}

function mediaBlock(media: Json): Block {
  const mediaType = (media['mimeType'] ?? media['mime_type']) as string;
  const source = { type: 'base64', media_type: mediaType, data: media['data'] };
  return mediaType.startsWith('image/') ? { type: 'image', source } : { type: 'document', source };
}

function readTools(body: Json, unsaid: string[]): Json {
  const groups = (body['tools'] ?? []) as { functionDeclarations?: Json[]; [field: string]: unknown }[];
  for (const group of groups)
    for (const kind of Object.keys(group)) if (kind !== 'functionDeclarations') unsaid.push(`tool ${kind}`);
  const tools = groups.flatMap(({ functionDeclarations: own = [] }) =>
    own.map(({ name, description, parameters, parametersJsonSchema: schema }) => ({
      name,
      description,
      input_schema: lowered(schema ?? parameters ?? { type: 'object', properties: {} }),
    })),
  );
  if (tools.length === 0) return {};
  const config = (body['toolConfig'] as { functionCallingConfig?: Json } | undefined)?.functionCallingConfig;
  if (!config) return { tools };
  const mode = String(config['mode']).toLowerCase();
  const [name] = (config['allowedFunctionNames'] ?? []) as string[];
  if (name !== undefined) return { tools, tool_choice: { type: 'tool', name } };
  return { tools, tool_choice: { type: mode === 'validated' ? 'auto' : mode } };
}

/** Converts a schema of the older form, which writes types in capital letters, and has the keyword `nullable`. */
function lowered(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lowered);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...keywords } = schema as Json;
  const lower = Object.fromEntries(
    Object.entries(keywords).map(([name, value]) => [
      name,
      name === 'type' && typeof value === 'string' ? value.toLowerCase() : lowered(value),
    ]),
  );
  return nullable === true ? { ...lower, type: [lower['type'], 'null'] } : lower;
}

function readThinking({ includeThoughts, thinkingLevel: level, thinkingBudget: budget }: Json): Json {
  if (!includeThoughts && level === undefined && budget === undefined) return {};
  return {
    thinking: { type: 'adaptive' },
    ...(level === undefined ? {} : { output_config: { effort: (level as string).toLowerCase() } }),
  };
}
