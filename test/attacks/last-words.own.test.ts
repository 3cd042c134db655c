import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';
import { dialects } from '../support/dialects.ts';
import { startHostileGateway, type HostileGateway } from '../support/hostile-gateway.ts';

let hostile: HostileGateway;
beforeAll(async () => {
  hostile = await startHostileGateway();
});
afterAll(() => hostile.stop());

const target = { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 10, supportedParameters: [], quirks: {} };
const context = { target, request: { model: 'm', messages: [] }, estimatedInputTokens: 1 };

describe('an answer that has sent its stop reason and then is silent', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['anthropic', anthropicWire],
    ['openai-chat', openaiChatWire],
  ] as const)('is ended after a few seconds (%s)', async (name, wire) => {
    const { opening, text, reason } = dialects[name];
    async function* body() {
      yield Buffer.from(opening() + text('x') + reason());
      await new Promise(() => {});
    }

    const reading = Array.fromAsync(wire.decode(body(), context));
    await vi.advanceTimersByTimeAsync(7_000);

    expect((await reading).length).toBeGreaterThan(0);
  });
});

describe('an answer that [DONE] ends without a stop reason', () => {
  it('is complete', async () => {
    const { error } = await hostile.attack({
      wire: 'openai-chat',
      stream: true,
      behavior: async ({ begin, send, finish, dialect }) => {
        await begin();
        await send(dialect.opening() + dialect.text('hello') + dialect.stop);
        await finish();
      },
    });

    expect(error).toBeUndefined();
  });
});
