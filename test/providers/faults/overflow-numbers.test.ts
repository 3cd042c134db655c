/**
 * Error messages that state the context, the prompt and the output limit as numbers. If the prompt fits by itself, an
 * agent need not shorten the conversation, so the client gets a different message.
 */

import { describe, expect, it } from 'vitest';
import { refusalOfResponse } from '../../../lambdas/providers/failures.ts';

const vllm = (output: number, input: number) =>
  `This model's maximum context length is 200000 tokens. However, you requested ${output} output tokens and your prompt contains at least ${input} input tokens, for a total of at least ${output + input} tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=${input})`;
const sglang = (output: number, input: number) =>
  `Requested token count exceeds the model's maximum context length of 200000 tokens. You requested a total of ${output + input} tokens: ${input} tokens from the input messages and ${output} tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.`;
const openrouter = (output: number, input: number) =>
  `This endpoint's maximum context length is 200000 tokens. However, you requested about ${output + input} tokens (${input} of text input, ${output} in the output). Please reduce the length of either one.`;
const withTools = (output: number, input: number) =>
  `This endpoint's maximum context length is 200000 tokens. However, you requested about ${output + input} tokens (${input - 5_000} of text input, 5000 of tool input, ${output} in the output). Please reduce the length of either one.`;
const together = (output: number, input: number) =>
  `Input validation error: \`inputs\` tokens + \`max_new_tokens\` must be <= 200000. Given: ${input} \`inputs\` tokens and ${output} \`max_new_tokens\``;
const deepseek = (output: number, input: number) =>
  `This model's maximum context length is 200000 tokens. However, you requested ${output + input} tokens (${input} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`;

const forms = { vllm, sglang, openrouter, withTools, together, deepseek };
const acme = { id: 'acme', name: 'Acme', baseUrl: 'https://acme.example/v1', credential: undefined };

function answerTo(message: string, status = 400): { fault: unknown; message: string } {
  return refusalOfResponse({ status, headers: {} }, JSON.stringify({ error: { message } }), acme);
}

describe.each(Object.entries(forms))('an overflow in the form of %s', (_name, form) => {
  it('tells the agent to request less output if the prompt fits by itself', () => {
    const { fault, message } = answerTo(form(32_000, 180_000));

    expect(fault).toBe('context');
    expect(message).toMatch(/^input length and `max_tokens` exceed context limit: 180000 \+ 32000 > 200000, decrease/);
  });

  it('has the tokens of the prompt alone if the prompt does not fit', () => {
    const { fault, message } = answerTo(form(32_000, 210_000));

    expect(fault).toBe('context');
    expect(message).toMatch(/^prompt is too long: 210000 tokens > 200000 maximum\. /);
  });
});

describe('a prompt that is too long', () => {
  it.each([
    // https://github.com/MoonshotAI/kimi-code/issues/1862
    [400, 'total message size 2100954 exceeds limit 2097152'],
    // https://github.com/deathbyknowledge/gsv/pull/240
    [
      413,
      'AiError: AiError: The estimated number of input and maximum output tokens (133000) exceeded this model context window limit (131072).',
    ],
    [400, 'Input length 140000 exceeds maximum allowed token size 131072'],
    [400, 'slot context: 131072 tokens, prompt 140000 tokens'],
    // https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/managers/utils.py
    [
      400,
      'Input length (140000 tokens) exceeds the maximum allowed length (131066 tokens). Use a shorter input or enable --allow-auto-truncate.',
    ],
    // https://github.com/huggingface/text-generation-inference/blob/main/router/src/validation.rs
    [422, 'Input validation error: `inputs` must have less than 8191 tokens. Given: 9000'],
    [400, 'Total tokens of image and text exceed max message tokens. Request id: 0217'],
    // https://github.com/earendil-works/pi/issues/4563
    [
      503,
      "litellm.ServiceUnavailableError: litellm.APIConnectionError: APIConnectionError: OpenAIException - Requested token count exceeds the model's maximum context length of 131072 tokens.",
    ],
  ])('is recognized with status %i: %s', (status, text) => {
    const { fault, message } = answerTo(text, status);

    expect(fault).toBe('context');
    expect(message).toMatch(/^prompt is too long/);
  });
});
