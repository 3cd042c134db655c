import { describe, expect, it } from 'vitest';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';

describe('a request for a count of tokens', () => {
  it('has no fields that only matter to generation: the API refuses what it does not know', () => {
    const target = {
      providerId: 'anthropic',
      upstreamModel: 'claude',
      maxOutputTokens: 1_000,
      supportedParameters: [],
      quirks: { count_tokens: true },
    };
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
    const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
    expect(JSON.parse(anthropicWire.encodeCount(request, target, client)!.body)).toEqual({ model: 'claude', ...kept });
  });
});
