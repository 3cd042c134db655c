/**
 * Wires as their providers write them, in text: a type or JSON.stringify cannot express all numbers and shapes that a
 * hostile provider sends.
 */

export const wires = ['anthropic', 'openai-chat', 'openai-responses', 'google-gemini'] as const;
export type WireName = (typeof wires)[number];

export interface Dialect {
  /** What the path of a request over it has in it. */
  path: string;
  /** Counts of a usage, each as it stands in JSON; undefined: it is not told. */
  usage: (counts: { prompt?: string | undefined; output?: string | undefined }) => string;
  /** An event that tells usage while the answer goes on. */
  report: (usageJson: string) => string;
  /** One event of a stream, whatever JSON it holds. */
  event: (json: string) => string;
  /** How an answer begins, up to the place where text may stand. */
  opening: (usageJson?: string) => string;
  text: (words: string) => string;
  /** The event that says why the answer ended, with its usage. */
  reason: (usageJson?: string) => string;
  /** The last event, after which nothing may follow. */
  stop: string;
  /** A refusal, as the body of a response or as the data of an event. `messageJson` as it is in JSON. */
  refusal: (type: string, messageJson: string) => string;
  /** A complete answer that was not asked to be streamed. */
  whole: (words: string) => string;
}

/** An object of those fields that have a value. */
const fieldsOf = (fields: Record<string, string | undefined>): string =>
  `{${Object.entries(fields)
    .filter(([, json]) => json !== undefined)
    .map(([name, json]) => `"${name}":${json}`)
    .join(',')}}`;

const anthropicEvent = (json: string): string =>
  `event: ${/"type":"(\w+)"/.exec(json)?.[1] ?? 'unknown'}\ndata: ${json}\n\n`;

const anthropicReason = (usage = '{"output_tokens":5}'): string =>
  anthropicEvent('{"type":"content_block_stop","index":0}') +
  anthropicEvent(`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":${usage}}`);

const anthropic: Dialect = {
  path: '/v1/messages',
  usage: ({ prompt, output }) => fieldsOf({ input_tokens: prompt, output_tokens: output }),
  report: anthropicReason,
  event: anthropicEvent,
  opening: (usage = '{"input_tokens":10,"output_tokens":1}') =>
    anthropicEvent(
      `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":${usage}}}`,
    ) + anthropicEvent('{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}'),
  text: (words) =>
    anthropicEvent(
      `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${JSON.stringify(words)}}}`,
    ),
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

const openaiChat: Dialect = {
  path: '/chat/completions',
  usage: ({ prompt, output }) => fieldsOf({ prompt_tokens: prompt, completion_tokens: output }),
  report: (usage) => chatEvent(`{"choices":[],"usage":${usage}}`),
  event: chatEvent,
  opening: () => chunk('{"role":"assistant","content":""}'),
  text: (words) => chunk(`{"content":${JSON.stringify(words)}}`),
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

const openaiResponses: Dialect = {
  path: '/responses',
  usage: ({ prompt, output }) => fieldsOf({ input_tokens: prompt, output_tokens: output }),
  report: (usage) => responsesEvent('response.in_progress', `"response":{"id":"r1","usage":${usage}}`),
  event: (json) => `event: ${/"type":"([\w.]+)"/.exec(json)?.[1] ?? 'unknown'}\ndata: ${json}\n\n`,
  opening: () =>
    responsesEvent('response.created', '"response":{"id":"r1","status":"in_progress","output":[]}') +
    responsesEvent('response.output_item.added', responsesMessage('')),
  text: (words) =>
    responsesEvent('response.output_text.delta', `"output_index":0,"content_index":0,"delta":${JSON.stringify(words)}`),
  // The event that says why is the last one.
  reason: (usage = '{"input_tokens":10,"output_tokens":5,"total_tokens":15}') =>
    responsesEvent('response.completed', `"response":{"id":"r1","status":"completed","output":[],"usage":${usage}}`),
  stop: '',
  refusal: (type, messageJson) => `{"error":{"type":"${type}","message":${messageJson}}}`,
  whole: (words) =>
    `{"id":"r1","object":"response","status":"completed","error":null,"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":${JSON.stringify(words)}}]}],"usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}`,
};

const candidate = (part: string): string =>
  chatEvent(`{"candidates":[{"content":{"role":"model","parts":[${part}]},"index":0}]}`);

const googleGemini: Dialect = {
  path: ':streamGenerateContent',
  usage: ({ prompt, output }) => fieldsOf({ promptTokenCount: prompt, candidatesTokenCount: output }),
  report: (usage) => chatEvent(`{"usageMetadata":${usage}}`),
  event: chatEvent,
  opening: () => candidate('{"text":""}'),
  text: (words) => candidate(`{"text":${JSON.stringify(words)}}`),
  reason: (usage = '{"promptTokenCount":10,"candidatesTokenCount":5,"totalTokenCount":15}') =>
    chatEvent(`{"candidates":[{"content":{},"finishReason":"STOP"}],"usageMetadata":${usage}}`),
  stop: '',
  refusal: (type, messageJson) => `{"error":{"type":"${type}","message":${messageJson}}}`,
  whole: (words) =>
    `{"candidates":[{"content":{"parts":[{"text":${JSON.stringify(words)}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"totalTokenCount":15}}`,
};

export const dialects: Record<WireName, Dialect> = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'google-gemini': googleGemini,
};

/** A valid answer of one text. */
export function answer({ opening, text, reason, stop }: Dialect, words: string): string {
  return opening() + text(words) + reason() + stop;
}
