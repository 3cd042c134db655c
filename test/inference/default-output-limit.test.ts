/** `max_tokens` that the gateway adds to requests without this field, on a wire that requires it. */

import { describe, expect, it } from 'vitest';
import { measurePrompt } from '../../lambdas/admission/prompt/prompt-size.ts';
import type { MessagesWireName } from '../../lambdas/catalog/wires.ts';
import { prepareAttempts } from '../../lambdas/inference/messages/attempts.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { candidateAt } from '../support/candidate.ts';

interface Limits {
  contextLength: number;
  maxOutputTokens: number;
}

/** Returns the limit that the endpoint gets for a prompt of about this many tokens. */
function sentLimit(
  promptTokens: number,
  limits: Limits,
  { wire = 'anthropic', maxTokens }: { wire?: MessagesWireName; maxTokens?: number } = {},
): unknown {
  const message: MessagesRequest = {
    model: 'test/model',
    messages: [{ role: 'user', content: 'word'.repeat(promptTokens) }],
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
  };
  const candidate = candidateAt('http://localhost', { wire });
  const routed = {
    message,
    content: measurePrompt(message),
    client: { anthropicVersion: '2023-06-01', anthropicBeta: undefined },
    origins: undefined,
    leftOut: [],
    requiresParameters: false,
    onExcluded: undefined,
  };
  const { attempts } = prepareAttempts(routed, [
    {
      ...candidate,
      endpoint: { ...candidate.endpoint, ...limits },
      target: { ...candidate.target, maxOutputTokens: limits.maxOutputTokens },
    },
  ]);
  return (JSON.parse(attempts[0]!.encode().body) as { max_tokens?: number }).max_tokens;
}

describe('the default of max_tokens', () => {
  it('leaves room for the prompt, although the model may write its whole context', () => {
    const limit = sentLimit(100_000, { contextLength: 262_144, maxOutputTokens: 262_144 }) as number;

    expect(limit).toBeGreaterThan(70_000);
    expect(limit + 100_000 * 1.5).toBeLessThan(262_144);
  });

  it('is the maximum of the endpoint if the maximum fits', () => {
    expect(sentLimit(100_000, { contextLength: 1_000_000, maxOutputTokens: 128_000 })).toBe(128_000);
  });

  it('is not below 4,096 tokens', () => {
    expect(sentLimit(199_000, { contextLength: 200_000, maxOutputTokens: 64_000 })).toBe(4_096);
  });

  it('is not used for a request with its own limit, or on a wire without this need', () => {
    const limits = { contextLength: 262_144, maxOutputTokens: 262_144 };

    expect(sentLimit(100_000, limits, { maxTokens: 200_000 })).toBe(200_000);
    expect(sentLimit(100_000, limits, { wire: 'openai-chat' })).toBeUndefined();
  });
});
