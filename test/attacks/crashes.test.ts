import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wires } from '../support/dialects.ts';
import { startHostileGateway, type HostileGateway } from '../support/hostile-gateway.ts';
import { repeated } from '../support/long-runs.ts';
import type { Behavior } from '../support/hostile-upstream.ts';

/** Attacks that once ended the whole process: errors of a connection that no code handled. */
let hostile: HostileGateway;
beforeAll(async () => {
  hostile = await startHostileGateway();
});
afterAll(() => hostile.stop());

const inParallel = 6;

async function again(times: number, once: (time: number) => Promise<unknown>): Promise<void> {
  let started = 0;
  const worker = async () => {
    while (started < times) {
      started += 1;
      await once(started);
    }
  };
  await Promise.all(Array.from({ length: inParallel }, worker));
}

const KB = 1_024;

it.each(wires)('an error without a message, over %s, does not end the gateway', async (wire) => {
  const errors = [
    '{"type":"error"}',
    '{"type":"error","error":null}',
    '{"error":{}}',
    '{"error":{"message":null}}',
    '{"__type":"internalServerException"}',
    '{"__type":"throttlingException","message":null}',
  ];
  // Each error is tested with both endings of a connection.
  await again(2 * errors.length, (time) => {
    const hangsUp = time > errors.length;
    return hostile.attack({
      wire,
      stream: (time % 2 === 0) !== hangsUp,
      behavior: async ({ begin, send, finish, hangUp, dialect }) => {
        await begin();
        await send(dialect.event(errors[time % errors.length]!));
        await (hangsUp ? hangUp() : finish());
      },
    });
  });
  await hostile.expectAlive();
});

it('a client that disconnects while a short answer waits for its hold does not end the gateway', async () => {
  await again(repeated(60, { ofWhichAlways: 30 }), (time) => {
    const left = Promise.withResolvers<void>();
    return hostile.abandon(
      {
        wire: wires[time % wires.length]!,
        stream: true,
        maxTokens: 50_000,
        limitRub: 10_000,
        behavior: async ({ begin, send, finish, dialect }) => {
          await begin();
          await send(dialect.opening() + dialect.text('x'.repeat(20 * KB)));
          await finish();
          await sleep(Math.random() * 12);
          left.resolve();
        },
      },
      left.promise,
    );
  });
  await hostile.expectAlive();
});

/** Ends of an answer while the client disconnects. */
const endings: Record<string, Behavior> = {
  'hangs up': ({ hangUp }) => hangUp(),
  'resets the connection': ({ reset }) => reset(),
  'ends before its time': ({ finish }) => finish(),
  'ends as it should': async ({ send, finish, dialect }) => (await send(dialect.reason() + dialect.stop)) && finish(),
  'ends with an error': async ({ send, finish, dialect }) =>
    (await send(dialect.event(dialect.refusal('api_error', '"No."')))) && finish(),
  'ends with an invalid event': async ({ send, finish, dialect }) => (await send(dialect.event('null'))) && finish(),
  'continues without end': async ({ send, dialect }) => {
    while (await send(dialect.text('x'.repeat(KB))));
  },
  'garbles its chunks': ({ write }) => write('zzz\r\n'),
  'becomes silent': ({ closed }) => closed,
};

it.each(Object.entries(endings))(
  'clients that disconnect at any time do not end the gateway if the provider %s',
  async (_how, ending) => {
    await again(repeated(18, { ofWhichAlways: 8 }), (time) => {
      const left = Promise.withResolvers<void>();
      return hostile.abandon(
        {
          wire: wires[time % wires.length]!,
          stream: time % 5 !== 0,
          behavior: async (exchange) => {
            setTimeout(() => left.resolve(), Math.random() * 25);
            await sleep(Math.random() * 10);
            await exchange.begin();
            await exchange.send(exchange.dialect.opening() + exchange.dialect.text('x'.repeat(KB)));
            await sleep(Math.random() * 10);
            await ending(exchange);
          },
        },
        left.promise,
      );
    });
    await hostile.expectAlive();
  },
);

it('crash attacks do not end the answers of other clients', async () => {
  await hostile.expectUnharmed();
  expect(hostile.upstream.trapped()).toBe(0);
});
