import { anthropicRefusal, anthropicWriter, readAnthropicPrompt } from './anthropic.ts';
import type { WireWriter } from './answer.ts';
import {
  bedrockRefusal,
  bedrockRefusalHeaders,
  converseWriter,
  invokeWriter,
  readConversePrompt,
  readInvokePrompt,
} from './bedrock.ts';
import { geminiCount, sandboxGeminiRefusal, geminiWriter, readGeminiPrompt } from './gemini.ts';
import { chatWriter, readChatPrompt } from './openai-chat.ts';
import { openaiRefusal } from './openai-refusal.ts';
import { responsesWriter } from './openai-responses.ts';
import { readResponsesPrompt } from './responses-prompt.ts';
import type { SandboxPrompt } from './prompt.ts';
import type { Script } from './script.ts';
import {
  chatFields,
  converseFields,
  geminiFields,
  messagesFields,
  responsesFields,
  type WireFields,
} from './wire-fields.ts';

export interface SandboxWire {
  read: (request: never, betas?: string) => SandboxPrompt;
  writer: (model: string) => WireWriter;
  fields: WireFields;
  refusal: (status: number, message: string, retryAfterSeconds?: number) => object;
  refusalHeaders: (status: number, retryAfterSeconds?: number) => Record<string, string>;
  /** Response to a request for the token count of a prompt. */
  count?: (script: Script) => object;
}

const sandboxRetryAfterHeaders = (_status: number, seconds?: number): Record<string, string> =>
  seconds === undefined ? {} : { 'retry-after': String(seconds) };

const anthropic: SandboxWire = {
  read: readAnthropicPrompt,
  writer: anthropicWriter,
  fields: messagesFields,
  refusal: anthropicRefusal,
  refusalHeaders: sandboxRetryAfterHeaders,
  count: ({ inputTokens }) => ({ input_tokens: inputTokens }),
};

const openai = { refusal: openaiRefusal, refusalHeaders: sandboxRetryAfterHeaders };
const chat: SandboxWire = { ...openai, read: readChatPrompt, writer: chatWriter, fields: chatFields };
const responses: SandboxWire = {
  ...openai,
  read: readResponsesPrompt,
  writer: responsesWriter,
  fields: responsesFields,
};

const gemini: SandboxWire = {
  read: readGeminiPrompt,
  writer: geminiWriter,
  fields: geminiFields,
  refusal: sandboxGeminiRefusal,
  refusalHeaders: () => ({}),
  count: geminiCount,
};

const bedrock = {
  refusal: bedrockRefusal,
  refusalHeaders: (status: number, seconds?: number) => ({
    ...bedrockRefusalHeaders(status),
    ...sandboxRetryAfterHeaders(status, seconds),
  }),
};
const converse: SandboxWire = { ...bedrock, read: readConversePrompt, writer: converseWriter, fields: converseFields };
const invoke: SandboxWire = { ...bedrock, read: readInvokePrompt, writer: invokeWriter, fields: messagesFields };

/** The model is in the path or in the request body. */
const routes: [path: RegExp, wire: SandboxWire, method: 'answer' | 'count'][] = [
  [/^\/anthropic\/v1\/messages$/, anthropic, 'answer'],
  [/^\/anthropic\/v1\/messages\/count_tokens$/, anthropic, 'count'],
  [/^\/openai\/v1\/chat\/completions$/, chat, 'answer'],
  [/^\/openai\/v1\/responses$/, responses, 'answer'],
  [/^\/gemini\/v1beta\/models\/(?<model>[^:/]+):streamGenerateContent\?alt=sse$/, gemini, 'answer'],
  [/^\/gemini\/v1beta\/models\/(?<model>[^:/]+):countTokens$/, gemini, 'count'],
  [/^\/bedrock\/model\/(?<model>[^/]+)\/converse-stream$/, converse, 'answer'],
  [/^\/bedrock\/model\/(?<model>[^/]+)\/invoke-with-response-stream$/, invoke, 'answer'],
];

interface WireRequest {
  wire: SandboxWire;
  method: 'answer' | 'count';
  model: string | undefined;
}

export function wireRequestFor(url: string): WireRequest | undefined {
  for (const [path, wire, method] of routes) {
    const match = path.exec(url);
    if (match) return { wire, method, model: match.groups?.['model'] };
  }
  return undefined;
}
