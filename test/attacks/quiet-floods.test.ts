import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects, wires, type Dialect, type WireName } from '../support/dialects.ts';
import { startHostileGateway, type HostileGateway } from '../support/hostile-gateway.ts';
import { entriesIn, isLongForm, runSeed } from '../support/long-runs.ts';

/** Providers that send events without end, and do not continue their answer. */
let hostile: HostileGateway;
beforeAll(async () => {
  hostile = await startHostileGateway();
});
afterAll(() => hostile.stop());

const KB = 1024;
const MB = KB * KB;
const FLOOD_BYTES = 300 * MB;
/** Maximum bytes that leave the provider: the gateway's bound of 32 MiB, and the buffers of both processes. */
const MAX_READ_BYTES = 56 * MB;

const signs: [string, (dialect: Dialect) => string][] = [
  ['pings', ({ ping }) => ping],
  ['unknown events', ({ unknown }) => unknown],
  ['empty texts', ({ text }) => text('')],
  ['blank lines', ({ blank }) => blank],
];
type Flood = [WireName, string, (dialect: Dialect) => string];
/** In the short form, each wire has one of `signs`. */
const floods = wires.flatMap((wire, place): Flood[] => {
  const ofWire = isLongForm ? signs : [signs[(place + runSeed) % signs.length]!];
  return ofWire.map(([what, of]) => [wire, what, of]);
});

describe('a provider that floods', () => {
  it.each(floods)('over %s with %s is cut off, and named as the cause', async (wire, _what, of) => {
    let sent = 0;
    const { error, cost } = await hostile.attack({
      wire,
      stream: true,
      patienceMs: 50_000,
      behavior: async ({ begin, send, dialect }) => {
        await begin();
        await send(dialect.opening() + dialect.text('Hello.'));
        const sign = of(dialect);
        const piece = sign.repeat(Math.ceil((64 * KB) / sign.length));
        while (sent < FLOOD_BYTES && (await send(piece))) sent += piece.length;
      },
    });

    expect(sent).toBeLessThan(MAX_READ_BYTES);
    expect(error?.message).toMatch(/without continuing its answer|An event of the stream is too large/);
    expect(cost.isZero).toBe(false);
  });

  it.each(entriesIn(wires, { ofWhichAlways: 3 }))('over %s before its answer begins is cut off', async (wire) => {
    let sent = 0;
    const { status, cost } = await hostile.attack({
      wire,
      patienceMs: 50_000,
      behavior: async ({ begin, send, dialect }) => {
        await begin();
        const piece = dialect.ping.repeat(Math.ceil((64 * KB) / dialect.ping.length));
        while (sent < FLOOD_BYTES && (await send(piece))) sent += piece.length;
      },
    });

    expect([status, cost.isZero]).toEqual([502, true]);
    expect(sent).toBeLessThan(MAX_READ_BYTES);
  });

  it('is not cut off while it continues its answer', async () => {
    const ping = dialects['openai-chat'].ping.repeat((512 * KB) / 8);
    const { error, text } = await hostile.attack({
      wire: 'openai-chat',
      stream: true,
      patienceMs: 50_000,
      behavior: async ({ begin, send, finish, dialect }) => {
        await begin();
        await send(dialect.opening());
        for (let word = 0; word < 80; word += 1) await send(dialect.text('a') + ping);
        await send(dialect.reason() + dialect.stop);
        await finish();
      },
    });

    expect([error, text]).toEqual([undefined, 'a'.repeat(80)]);
  });
});

describe('an answer with', () => {
  it.each([
    ['with an index and arguments', '{"index":%,"id":"t%","type":"function","function":{"name":"f","arguments":"{}"}}'],
    ['without them', '{"id":"t%","function":{"name":"f"}}'],
  ])('100,000 tool calls %s in one event is a failure of the provider', async (_what, call) => {
    const calls = Array.from({ length: 100_000 }, (_, index) => call.replaceAll('%', String(index)));
    const { status, error } = await hostile.attack({
      wire: 'openai-chat',
      patienceMs: 50_000,
      behavior: async ({ begin, send, finish, dialect }) => {
        await begin();
        await send(dialect.opening());
        await send(dialect.event(`{"choices":[{"index":0,"delta":{"tool_calls":[${calls.join(',')}]}}]}`));
        await send(dialect.reason() + dialect.stop);
        await finish();
      },
    });

    expect([status, error?.metadata['error_type']]).toEqual([502, 'provider_unavailable']);
  });

  it('20,000 tool calls in events of 500 is a failure of the provider', async () => {
    const { status } = await hostile.attack({
      wire: 'openai-chat',
      maxTokens: 1_000_000,
      limitRub: null,
      patienceMs: 50_000,
      behavior: async ({ begin, send, finish, dialect }) => {
        await begin();
        await send(dialect.opening());
        for (let first = 0; first < 20_000; first += 500) {
          const some = Array.from(
            { length: 500 },
            (_, index) =>
              `{"index":${first + index},"id":"t${first + index}","function":{"name":"f","arguments":"{}"}}`,
          );
          if (!(await send(dialect.event(`{"choices":[{"index":0,"delta":{"tool_calls":[${some.join(',')}]}}]}`))))
            return;
        }
        await send(dialect.reason() + dialect.stop);
        await finish();
      },
    });

    expect(status).toBe(502);
  });
});

it('floods leave the gateway and other clients unharmed', () => hostile.expectUnharmed());
