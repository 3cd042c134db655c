/** Recordings of Gemini's format, from the Gemini API and from Vertex AI. */

import type { Interaction } from './interactions.ts';
import { readGeminiRequest } from './google-gemini-requests.ts';
import { eventData, type Said } from './said.ts';
import type { AnyWireRow } from './wire-row.ts';

interface Call {
  name?: string;
  args?: Record<string, unknown>;
  /** Vertex AI writes arguments value by value, and may cut a text into pieces. */
  partialArgs?: { jsonPath: string; [value: string]: unknown }[];
}

interface Response {
  candidates?: {
    content?: { parts?: { text?: string; thought?: boolean; functionCall?: Call }[] };
    finishReason?: string;
  }[];
  usageMetadata?: Record<string, number>;
}

export const googleGeminiRow: AnyWireRow = {
  wire: 'google-gemini',
  address: /:(g|streamG)enerateContent$/,
  isEvent: ({ candidates }) => Array.isArray(candidates),
  isDocument: ({ candidates }) => Array.isArray(candidates),
  streamType: 'text/event-stream',
  frame: (lines) => Buffer.from(lines.map((line) => `data: ${line}\r\n\r\n`).join('')),
  read: readAnswer,
  readRequest: readGeminiRequest,
  endpoint: (provider) => ({ catalogId: provider === 'google-vertex' ? 'google-vertex' : 'google' }),
  documented: [
    {
      complaint: 'store is new',
      reason: 'Google’s reference of GenerateContentRequest: with `false`, Google stores no log of the request',
    },
    {
      complaint: 'generationConfig.maxOutputTokens is new',
      reason: 'Google’s reference of GenerationConfig',
    },
    {
      complaint: 'tools[].functionDeclarations[].parametersJsonSchema is new',
      reason: 'Google’s reference of FunctionDeclaration: `parameters` is the older form',
    },
    {
      complaint: 'tools[].functionDeclarations[] has no parameters',
      reason: 'Google’s reference: `parametersJsonSchema` excludes `parameters`',
    },
    {
      complaint: 'contents[](model).parts[].functionCall.id is new',
      reason: 'Google’s reference of FunctionCall',
    },
    {
      complaint: 'contents[](user).parts[].functionResponse.id is new',
      reason: 'Google’s reference of FunctionResponse',
    },
    {
      complaint: 'contents[](user).parts[].inlineData is new',
      reason: 'Google’s reference of Part: the name in JSON',
    },
    {
      complaint: 'toolConfig.functionCallingConfig.mode is "ANY"',
      reason: 'Google’s reference writes the mode in capitals',
    },
    {
      complaint: 'toolConfig.functionCallingConfig.mode is "NONE"',
      reason: 'Google’s reference writes the mode in capitals',
    },
  ],
};

function readAnswer({ answer }: Interaction): Said {
  const text = answer.bytes.toString();
  const responses = (answer.kind === 'stream' ? eventData(text) : [JSON.parse(text)]) as Response[];
  const said: Said = { text: '', thinking: '', tools: [], stop: undefined, usage: undefined };
  for (const { candidates, usageMetadata: usage } of responses) {
    if (usage?.['promptTokenCount'] !== undefined) said.usage = usageOf(usage);
    const [candidate] = candidates ?? [];
    for (const { text: words = '', thought, functionCall: call } of candidate?.content?.parts ?? []) {
      if (thought) said.thinking += words;
      else said.text += words;
      if (call?.name) said.tools.push({ name: call.name, input: { ...call.args } });
      for (const piece of call?.partialArgs ?? []) put(said.tools.at(-1)!.input as object, piece);
    }
    if (candidate?.finishReason) said.stop = stopOf(candidate.finishReason, said.tools.length > 0);
  }
  return said;
}

/** Writes a value to a position, for example "$.list[0].name". */
function put(target: object, { jsonPath, ...value }: { jsonPath: string; [value: string]: unknown }): void {
  const keys = [...jsonPath.matchAll(/\.([^.[]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
  let place = target as Record<string | number, unknown>;
  for (const [at, key] of keys.slice(0, -1).entries()) {
    place[key] ??= typeof keys[at + 1] === 'number' ? [] : {};
    place = place[key] as Record<string | number, unknown>;
  }
  const last = keys.at(-1)!;
  const before = place[last];
  const { stringValue: piece, numberValue: number, boolValue: boolean } = value;
  place[last] =
    typeof piece === 'string' ? `${typeof before === 'string' ? before : ''}${piece}` : (number ?? boolean ?? null);
}

function stopOf(reason: string, hasCalls: boolean): string {
  if (reason === 'MAX_TOKENS') return 'max_tokens';
  if (reason !== 'STOP') return 'refusal';
  return hasCalls ? 'tool_use' : 'end_turn';
}

/**
 * Converts a usage. The prompt's count includes cached tokens, but not tool tokens; the candidates' count excludes
 * thinking.
 */
function usageOf(usage: Record<string, number>) {
  const cacheRead = usage['cachedContentTokenCount'] ?? 0;
  return {
    input: usage['promptTokenCount']! + (usage['toolUsePromptTokenCount'] ?? 0) - cacheRead,
    cacheRead,
    cacheWrite: 0,
    output: (usage['candidatesTokenCount'] ?? 0) + (usage['thoughtsTokenCount'] ?? 0),
  };
}
