import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';
import { dialects } from '../support/dialects.ts';

const target = { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 10, supportedParameters: [], quirks: {} };

it.each([
  ['anthropic', anthropicWire],
  ['openai-chat', openaiChatWire],
] as const)(
  'waits five seconds for the end of an answer that has told its reason: %s',
  async (name, wire) => {
    const d = dialects[name];
    async function* body() {
      yield Buffer.from(d.opening() + d.text('x') + d.reason());
      await sleep(9_000);
    }
    const startMs = performance.now();
    const context = { target, request: { model: 'm', messages: [] }, estimatedInputTokens: 1 };
    for await (const _ of wire.decode(body(), context));
    expect(performance.now() - startMs).toBeLessThan(7_000);
  },
  20_000,
);
