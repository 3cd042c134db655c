import { describe, expect, it } from 'vitest';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';

const target = {
  providerId: 'anthropic',
  upstreamModel: 'claude',
  maxOutputTokens: 10_000,
  supportedParameters: [],
  quirks: { count_tokens: true },
};
const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

const withBudget = (budget_tokens: number, more: object = {}) => ({
  model: 'anthropic/claude',
  messages: [{ role: 'user' as const, content: 'Hi' }],
  thinking: { type: 'enabled' as const, budget_tokens },
  ...more,
});
const sent = (...asked: Parameters<typeof anthropicWire.encode>) =>
  (JSON.parse(anthropicWire.encode(...asked).body) as { thinking: object }).thinking;

describe('a budget of thinking', () => {
  it.each([undefined, 20_000])('is kept below what the model can write, with max_tokens %s', (max_tokens) => {
    expect(sent(withBudget(12_000, { max_tokens }), target, client)).toMatchObject({ budget_tokens: 9_999 });
  });

  it('that is not below the max_tokens of the client is refused', () => {
    expect(() => sent(withBudget(5_000, { max_tokens: 5_000 }), target, client)).toThrow('thinking.budget_tokens');
  });

  it('may be larger where the model thinks between calls', () => {
    const interleaved = { ...client, anthropicBeta: 'interleaved-thinking-2025-05-14' };
    const request = withBudget(6_000, { max_tokens: 5_000 });
    expect(sent(request, target, interleaved)).toMatchObject({ budget_tokens: 6_000 });
  });
});

describe('a request for a count of tokens', () => {
  it('has no fields that only matter to generation: the API refuses what it does not know', () => {
    const kept = { messages: [{ role: 'user' as const, content: 'Hi' }], system: 'Be short.', speed: 'standard' };
    const request = {
      model: 'anthropic/claude',
      ...kept,
      max_tokens: 5,
      stop_sequences: ['END'],
      stream: true,
      metadata: { user_id: 'u' },
      temperature: 1,
      top_p: 1,
      top_k: 1,
      service_tier: 'auto',
      inference_geo: 'global',
      diagnostics: { previous_message_id: 'm' },
    };
    expect(JSON.parse(anthropicWire.encodeCount(request, target, client)!.body)).toEqual({ model: 'claude', ...kept });
  });
});
