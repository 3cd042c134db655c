/** Error messages of providers about a prompt that does not fit into the context. */

import type { Endpoint } from '../../../lambdas/catalog/catalog.ts';
import type { WireEvent } from '../../../lib/local/sandbox/answer.ts';

interface Numbers {
  tokens: number;
  maxTokens: number;
}

type Words = (numbers: Numbers) => string;

const ofDeepSeek: Words = ({ tokens, maxTokens }) =>
  `This model's maximum context length is ${maxTokens} tokens. However, you requested ${tokens + 8} tokens (${tokens} in the messages, 8 in the completion). Please reduce the length of the messages or completion.`;

/**
 * Error messages by provider id. The rules that read them list the sources (lambdas/providers/faults/context-rules.ts).
 */
const words: Record<string, Words> = {
  openai: ({ tokens, maxTokens }) =>
    `This model's maximum context length is ${maxTokens} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
  deepseek: ofDeepSeek,
  'deepseek-anthropic': ofDeepSeek,
  alibaba: ({ maxTokens }) =>
    `<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, ${maxTokens}]`,
  google: ({ tokens, maxTokens }) =>
    `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${maxTokens}).`,
  'amazon-bedrock': () => 'Input is too long for requested model.',
  anthropic: ({ tokens, maxTokens }) => `prompt is too long: ${tokens} tokens > ${maxTokens} maximum`,
};

export function overflowMessage({ provider }: Endpoint, numbers: Numbers): string {
  const said = words[provider.id];
  if (!said) throw new Error(`nobody has written down how ${provider.id} refuses a prompt that is too long`);
  return said(numbers);
}

/**
 * Returns the events of an error. The Responses API accepts a prompt that is too long, and reports the error within the
 * stream.
 */
export function overflowEvents(): WireEvent[] {
  const error = {
    code: 'context_length_exceeded',
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  };
  const response = { id: 'resp_1', object: 'response', output: [] };
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', error: null } },
    { type: 'response.failed', response: { ...response, status: 'failed', error } },
  ];
}
