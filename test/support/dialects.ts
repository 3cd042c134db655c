/**
 * Answers of all wires for messages as text, as providers write them. Types and JSON.stringify cannot express all
 * numbers and shapes that a hostile provider may send. Binary frames are text with one character per byte (latin1).
 */

import { emptyFrame, frameHead, packFrame } from './event-stream.ts';
import { isLongForm } from './long-runs.ts';

export const wires = ['anthropic', 'openai-chat', 'openai-responses', 'google-gemini', 'bedrock-converse'] as const;
export type WireName = (typeof wires)[number];

/** One wire for each stream reader: for the Messages API, for other server-sent events, and for binary frames. */
export const readers: readonly WireName[] = ['anthropic', 'openai-chat', 'bedrock-converse'];

/** The long form of the tests attacks all wires, otherwise one wire per stream reader. */
export const attackedWires: readonly WireName[] = isLongForm ? wires : readers;

/** Token counts as JSON texts: `read` are tokens read from a cache, `written` are tokens written to a cache. */
export type Counts = Partial<Record<'prompt' | 'output' | 'read' | 'written', string | undefined>>;

export interface Dialect {
  /** Text in the path of every request on this wire. */
  path: string;
  /** Encoding of streams; documents are UTF-8 on every wire. */
  encoding: 'utf8' | 'latin1';
  /** Returns a usage, without undefined counts. */
  usage: (counts: Counts) => string;
  /** Event with a usage, in the middle of the answer. */
  report: (usageJson: string) => string;
  event: (json: string) => string;
  /** Beginning of an answer, up to the point at which text may follow. */
  opening: (usageJson?: string) => string;
  text: (words: string) => string;
  /** Text event as bytes: `before`, then any bytes, then `behind`. */
  textAround: (before: string, bytes: Buffer, behind: string) => Buffer;
  /** Keep-alive event. */
  ping: string;
  /** Unknown event, which readers must skip. */
  unknown: string;
  /** Shortest event without content. */
  blank: string;
  /** Beginning of a very long event, whose end tests never send. */
  endless: string;
  reason: (usageJson?: string) => string;
  /** Event after `reason`; empty if `reason` ends the answer. */
  stop: string;
  /** Error as the body of a response or as the data of an event; `messageJson` is JSON text. */
  refusal: (type: string, messageJson: string) => string;
  whole: (words: string) => string;
}

/** Returns a JSON object, without undefined fields. */
const fieldsOf = (fields: Record<string, string | undefined>): string =>
  `{${Object.entries(fields)
    .filter(([, json]) => json !== undefined)
    .map(([name, json]) => `"${name}":${json}`)
    .join(',')}}`;

/** Returns the cached tokens of a prompt; undefined if none are given. */
const cachesOf = ({ read, written }: Counts): string | undefined =>
  read === undefined && written === undefined
    ? undefined
    : fieldsOf({ cached_tokens: read, cache_write_tokens: written });

/** Defaults of wires with server-sent events. */
const serverSent = {
  encoding: 'utf8',
  ping: ': ping\n\n',
  unknown: ': ping\n\nretry: 10\n\nid: 7\n\nevent: weather\n\n',
  blank: '\n',
  endless: 'data: ',
} as const;

/** Inserts bytes into a text event, for wires whose streams contain the text unchanged. */
const aroundIn =
  (text: Dialect['text']): Dialect['textAround'] =>
  (before, bytes, behind) => {
    const [head, tail] = text(`${before}|${behind}`).split('|') as [string, string];
    return Buffer.concat([Buffer.from(head), bytes, Buffer.from(tail)]);
  };

const anthropicEvent = (json: string): string =>
  `event: ${/"type":"(\w+)"/.exec(json)?.[1] ?? 'unknown'}\ndata: ${json}\n\n`;

const anthropicDelta = (usage: string, reason: string): string =>
  anthropicEvent(`{"type":"message_delta","delta":{"stop_reason":${reason},"stop_sequence":null},"usage":${usage}}`);

const anthropicReason = (usage = '{"output_tokens":5}'): string =>
  anthropicEvent('{"type":"content_block_stop","index":0}') + anthropicDelta(usage, '"end_turn"');

const anthropicText = (words: string): string =>
  anthropicEvent(
    `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${JSON.stringify(words)}}}`,
  );

const anthropic: Dialect = {
  ...serverSent,
  path: '/v1/messages',
  ping: anthropicEvent('{"type":"ping"}'),
  usage: ({ prompt, output, read, written }) =>
    fieldsOf({
      input_tokens: prompt,
      output_tokens: output,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
    }),
  report: (usage) => anthropicDelta(usage, 'null'),
  event: anthropicEvent,
  opening: (usage = '{"input_tokens":10,"output_tokens":1}') =>
    anthropicEvent(
      `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":${usage}}}`,
    ) + anthropicEvent('{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}'),
  text: anthropicText,
  textAround: aroundIn(anthropicText),
  reason: anthropicReason,
  stop: anthropicEvent('{"type":"message_stop"}'),
  refusal: (type, messageJson) => `{"type":"error","error":{"type":"${type}","message":${messageJson}}}`,
  whole: (words) =>
    `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":${JSON.stringify(words)}}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":5}}`,
};

const chatEvent = (json: string): string => `data: ${json}\n\n`;
const chunk = (delta: string, finish = 'null'): string =>
  chatEvent(
    `{"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}`,
  );

const chatText = (words: string): string => chunk(`{"content":${JSON.stringify(words)}}`);

const openaiChat: Dialect = {
  ...serverSent,
  path: '/chat/completions',
  usage: ({ prompt, output, ...caches }) =>
    fieldsOf({ prompt_tokens: prompt, completion_tokens: output, prompt_tokens_details: cachesOf(caches) }),
  report: (usage) => chatEvent(`{"choices":[],"usage":${usage}}`),
  event: chatEvent,
  opening: () => chunk('{"role":"assistant","content":""}'),
  text: chatText,
  textAround: aroundIn(chatText),
  reason: (usage = '{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}') =>
    chunk('{}', '"stop"') + chatEvent(`{"id":"c1","choices":[],"usage":${usage}}`),
  stop: chatEvent('[DONE]'),
  refusal: (type, messageJson) => `{"error":{"type":"${type}","message":${messageJson}}}`,
  whole: (words) =>
    `{"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":${JSON.stringify(words)}},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`,
};

const responsesEvent = (type: string, more: string): string => `event: ${type}\ndata: {"type":"${type}",${more}}\n\n`;
const responsesMessage = (content: string): string =>
  `"output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant","content":[${content}]}`;

const responsesText = (words: string): string =>
  responsesEvent('response.output_text.delta', `"output_index":0,"content_index":0,"delta":${JSON.stringify(words)}`);

const openaiResponses: Dialect = {
  ...serverSent,
  path: '/responses',
  usage: ({ prompt, output, ...caches }) =>
    fieldsOf({ input_tokens: prompt, output_tokens: output, input_tokens_details: cachesOf(caches) }),
  report: (usage) => responsesEvent('response.in_progress', `"response":{"id":"r1","usage":${usage}}`),
  event: (json) => `event: ${/"type":"([\w.]+)"/.exec(json)?.[1] ?? 'unknown'}\ndata: ${json}\n\n`,
  opening: () =>
    responsesEvent('response.created', '"response":{"id":"r1","status":"in_progress","output":[]}') +
    responsesEvent('response.output_item.added', responsesMessage('')),
  text: responsesText,
  textAround: aroundIn(responsesText),
  // The event with the finish reason is the last event.
  reason: (usage = '{"input_tokens":10,"output_tokens":5,"total_tokens":15}') =>
    responsesEvent('response.completed', `"response":{"id":"r1","status":"completed","output":[],"usage":${usage}}`),
  stop: '',
  refusal: (type, messageJson) => `{"error":{"type":"${type}","message":${messageJson}}}`,
  whole: (words) =>
    `{"id":"r1","object":"response","status":"completed","error":null,"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":${JSON.stringify(words)}}]}],"usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}`,
};

const candidate = (part: string): string =>
  chatEvent(`{"candidates":[{"content":{"role":"model","parts":[${part}]},"index":0}]}`);

const geminiText = (words: string): string => candidate(`{"text":${JSON.stringify(words)}}`);

const googleGemini: Dialect = {
  ...serverSent,
  path: ':streamGenerateContent',
  usage: ({ prompt, output, read }) =>
    fieldsOf({ promptTokenCount: prompt, candidatesTokenCount: output, cachedContentTokenCount: read }),
  report: (usage) => chatEvent(`{"usageMetadata":${usage}}`),
  event: chatEvent,
  opening: () => candidate('{"text":""}'),
  text: geminiText,
  textAround: aroundIn(geminiText),
  reason: (usage = '{"promptTokenCount":10,"candidatesTokenCount":5,"totalTokenCount":15}') =>
    chatEvent(`{"candidates":[{"content":{},"finishReason":"STOP"}],"usageMetadata":${usage}}`),
  stop: '',
  refusal: (type, messageJson) => `{"error":{"type":"${type}","message":${messageJson}}}`,
  whole: (words) =>
    `{"candidates":[{"content":{"parts":[{"text":${JSON.stringify(words)}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"totalTokenCount":15}}`,
};

/** Binary frame, with one character per byte. */
const frame = (name: string, json: string): string => packFrame(name, json).toString('latin1');

/** Bedrock's names for error types of the Messages API; other types get the suffix `Exception`. */
const exceptions: Record<string, string> = {
  invalid_request_error: 'validationException',
  authentication_error: 'accessDeniedException',
  permission_error: 'accessDeniedException',
  billing_error: 'accessDeniedException',
  not_found_error: 'resourceNotFoundException',
  rate_limit_error: 'throttlingException',
  overloaded_error: 'serviceUnavailableException',
  api_error: 'internalServerException',
};

const converseReason = (usage = '{"inputTokens":10,"outputTokens":5,"totalTokens":15}'): string =>
  frame('contentBlockStop', '{"contentBlockIndex":0}') +
  frame('messageStop', '{"stopReason":"end_turn"}') +
  frame('metadata', `{"usage":${usage},"metrics":{"latencyMs":1}}`);

const bedrockConverse: Dialect = {
  path: '/converse-stream',
  encoding: 'latin1',
  usage: ({ prompt, output, read, written }) =>
    fieldsOf({
      inputTokens: prompt,
      outputTokens: output,
      cacheReadInputTokens: read,
      cacheWriteInputTokens: written,
    }),
  report: (usage) => frame('metadata', `{"usage":${usage}}`),
  // A frame with an exception has the exception's name in a header.
  event: (json) => frame(/"__type":"(\w+)"/.exec(json)?.[1] ?? 'contentBlockDelta', json),
  opening: () => frame('messageStart', '{"role":"assistant"}'),
  text: (words) => frame('contentBlockDelta', `{"contentBlockIndex":0,"delta":{"text":${JSON.stringify(words)}}}`),
  textAround: (before, bytes, behind) =>
    packFrame(
      'contentBlockDelta',
      Buffer.concat([
        Buffer.from(`{"contentBlockIndex":0,"delta":{"text":"${before}`),
        bytes,
        Buffer.from(`${behind}"}}`),
      ]),
    ),
  ping: frame('ping', '{}'),
  unknown: frame('weather', '{"sun":true}'),
  blank: emptyFrame.toString('latin1'),
  endless: frameHead(16 * 1_024 * 1_024).toString('latin1'),
  reason: converseReason,
  // The event with usage is the last event.
  stop: '',
  refusal: (type, messageJson) => `{"__type":"${exceptions[type] ?? `${type}Exception`}","message":${messageJson}}`,
  whole: (words) =>
    `{"output":{"message":{"role":"assistant","content":[{"text":${JSON.stringify(words)}}]}},"stopReason":"end_turn","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"metrics":{"latencyMs":1}}`,
};

export const dialects: Record<WireName, Dialect> = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'google-gemini': googleGemini,
  'bedrock-converse': bedrockConverse,
};

export const bytesOf = ({ encoding }: Dialect, text: string): Buffer => Buffer.from(text, encoding);

export function answer({ opening, text, reason, stop }: Dialect, words: string): string {
  return opening() + text(words) + reason() + stop;
}
