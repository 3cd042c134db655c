import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textModel } from '../support/catalog.ts';
import { get, said, type RunningGateway } from '../support/gateway.ts';
import type { Behavior } from '../support/hostile-upstream.ts';
import { replyOf } from '../support/messages-client.ts';
import { askFor, startScriptedGateway, type ScriptedGateway } from '../support/scripted-gateway.ts';
import { eventually } from '../support/eventually.ts';

/** Requests of one key whose money other requests hold. */
let scripted: ScriptedGateway;
beforeAll(async () => {
  const priced = { max_output_tokens: 100_000, pricing: { prompt: '0.0001', completion: '0.01' } };
  scripted = await startScriptedGateway({
    providers: [{ id: 'gpt', wire: 'openai-chat', timeouts: { first_byte_ms: 40_000, idle_ms: 40_000 } }],
    models: [textModel('test/gpt', [{ ...priced, provider: 'gpt' }], { context_length: 1_000_000 })],
    env: { OUTPUT_STEP_TOKENS: '100' },
  });
});
afterAll(() => scripted.stop());

const stream = (client: RunningGateway, words: string, maxTokens: number, leaving?: AbortSignal) =>
  askFor(client, { model: 'test/gpt', stream: true, max_tokens: maxTokens, messages: [said(words)] }, leaving);

/** Pause between two pieces, so that each step is held before the next. */
const PIECE_EVERY_MS = 40;

/** Remaining money of a key after all holds. */
const leftOf = async (client: RunningGateway) =>
  ((await (await get(client, '/key')).json()) as { data: { limit_remaining: number } }).data.limit_remaining;

/** Begins to answer, and ends when this promise resolves. */
const holdsUntil =
  (released: Promise<unknown>): Behavior =>
  async ({ begin, send, finish, dialect }) => {
    await begin();
    await send(dialect.opening());
    await released;
    await send(dialect.text('x') + dialect.reason() + dialect.stop);
    await finish();
  };

describe('a stream', () => {
  it.concurrent('is not ended while another stream only holds money in advance', async () => {
    const client = await scripted.withLimit(20);
    const isAhead = Promise.withResolvers<void>();
    const isRead = Promise.withResolvers<void>();
    const ahead = scripted.behaves(async ({ begin, send, finish, dialect }) => {
      await begin();
      await send(dialect.opening());
      for (let piece = 0; piece < 17; piece += 1) {
        await send(dialect.text('a'.repeat(70)));
        await sleep(PIECE_EVERY_MS);
      }
      isAhead.resolve();
      await isRead.promise;
      await send(dialect.reason() + dialect.stop);
      await finish();
    });
    const behind = scripted.behaves(async ({ begin, send, finish, dialect }) => {
      await begin();
      await send(dialect.opening() + dialect.text('b'.repeat(40)));
      await isAhead.promise;
      // The other request holds money for its output, and for its next step.
      await eventually(async () => expect(await leftOf(client)).toBeLessThan(7));
      for (let piece = 0; piece < 10; piece += 1) {
        await send(dialect.text('b'.repeat(40)));
        await sleep(PIECE_EVERY_MS);
      }
      await send(dialect.reason() + dialect.stop);
      await finish();
    });

    const reading = stream(client, behind, 50_000).then(replyOf);
    const other = await stream(client, ahead, 50_000);
    const { stopReason } = await reading;
    isRead.resolve();
    await other.text();

    expect(stopReason).toBe('end_turn');
  });
});

/** Time within which the first hold is refused. A client that disconnects earlier would test less. */
const REFUSED_WITHIN_MS = 300;
/** Time in ms until the money is released, which is most of the time that a request waits for money. */
const RELEASED_AFTER_MS = 8_500;

describe('a request that waits for money', () => {
  it.concurrent('is not sent to a provider after its client has disconnected', async () => {
    const client = await scripted.withLimit(2);
    const released = Promise.withResolvers<void>();
    const holder = await stream(client, scripted.behaves(holdsUntil(released.promise)), 100);
    let isSent = false;
    const marker = scripted.behaves(({ closed }) => {
      isSent = true;
      return closed;
    });
    const leaving = new AbortController();

    const asking = stream(client, `${marker} ${'word '.repeat(500)}`, 100, leaving.signal).catch(() => undefined);
    await sleep(REFUSED_WITHIN_MS);
    leaving.abort();
    await asking;
    // The request has ended, so it can no longer be sent.
    await eventually(() => expect(scripted.gateway.log()).toContain('"status":408'));
    released.resolve();
    await holder.text();

    expect(isSent).toBe(false);
  });

  it.concurrent('gets a first byte within fifteen seconds, also if its provider is silent', async () => {
    const client = await scripted.withLimit(2);
    const released = Promise.withResolvers<void>();
    const holder = await stream(client, scripted.behaves(holdsUntil(released.promise)), 100);
    const isHeard = Promise.withResolvers<void>();
    const marker = scripted.behaves(async (exchange) => {
      await isHeard.promise;
      await holdsUntil(Promise.resolve())(exchange);
    });

    const askedMs = performance.now();
    setTimeout(() => released.resolve(), RELEASED_AFTER_MS);
    const response = await stream(client, marker, 100);
    const silentMs = performance.now() - askedMs;
    isHeard.resolve();
    await Promise.all([response.text(), holder.text()]);

    expect(response.status).toBe(200);
    expect(silentMs).toBeLessThan(15_000);
  });
});
