import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { answer, attackedWires, bytesOf, type Dialect, type WireName } from '../support/dialects.ts';
import {
  expectBrokenOff,
  startHostileGateway,
  type Aftermath,
  type Attack,
  type HostileGateway,
} from '../support/hostile-gateway.ts';
import { TRAP_PATH, type Behavior, type Exchange } from '../support/hostile-upstream.ts';

/** These attacks mostly wait, so eight of them run at the same time. */
vi.setConfig({ maxConcurrency: 8 });

/** Attacks by a provider on the connection, each with a check that the books are exact. */
let hostile: HostileGateway;
beforeAll(async () => {
  hostile = await startHostileGateway();
});
afterAll(() => hostile.stop());

const attack = (wire: WireName, behavior: Behavior, more: Partial<Attack> = {}): Promise<Aftermath> =>
  hostile.attack({ wire, behavior, ...more });

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n';
const STREAM_HEAD = `${HEAD}transfer-encoding: chunked\r\n\r\n`;
/** Returns a chunk of an HTTP response, as a text of the dialect. */
const chunked = (dialect: Dialect, text: string) => `${bytesOf(dialect, text).length.toString(16)}\r\n${text}\r\n`;
const WORDS = 'Twelve bytes';

async function repeat(write: Exchange['write'], bytes: string | Buffer, times: number, everyMs?: number) {
  for (let time = 0; time < times && (await write(bytes)); time += 1) if (everyMs) await sleep(everyMs);
}

/**
 * Fault before any output. The next endpoint answers; if there is no next endpoint, the client gets an error and pays
 * nothing.
 */
type BeforeTheAnswer = [what: string, status: number, behavior: Behavior];

/** These faults occur before a wire reads anything, so one wire is enough. */
const belowTheWire: BeforeTheAnswer[] = [
  ['hangs up without a word', 502, ({ hangUp }) => hangUp()],
  ['resets the connection', 502, ({ reset }) => reset()],
  ['breaks off within its head', 502, async ({ write, hangUp }) => (await write('HTTP/1.1 200 O')) && hangUp()],
  [
    'switches to another protocol',
    502,
    async ({ write, closed }) => {
      await write('HTTP/1.1 101 X\r\nupgrade: foo\r\nconnection: upgrade\r\n\r\n');
      await closed;
    },
  ],
  ['sends endless interim responses', 502, ({ write }) => repeat(write, 'HTTP/1.1 100 Continue\r\n\r\n', 2_000, 5)],
  [
    'sends endless early hints',
    502,
    ({ write }) => repeat(write, 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', 2_000, 5),
  ],
  [
    'sends headers without end',
    502,
    async ({ write }) => {
      await write(HEAD);
      await repeat(write, 'x-more: and-more-of-it\r\n', 100_000);
    },
  ],
  ['sends nothing at all', 504, ({ closed }) => closed],
  ['is not an HTTP server', 502, async ({ write, hangUp }) => (await write('SSH-2.0-OpenSSH_9.6\r\n')) && hangUp()],
  ['answers with nothing', 502, ({ write }) => write('HTTP/1.1 204 No Content\r\n\r\n')],
];

/** Faults that each wire reads itself, so each wire is tested. */
const beforeTheAnswer: BeforeTheAnswer[] = [
  ['breaks off after its head', 502, async ({ begin, reset }) => (await begin()) && reset()],
  ['ends without an event', 502, async ({ begin, finish }) => (await begin()) && finish()],
  [
    'compresses its answer without a request for it',
    502,
    async ({ write, dialect, hangUp }) => {
      await write(`${HEAD}content-encoding: gzip\r\nconnection: close\r\n\r\n`);
      await write(gzipSync(bytesOf(dialect, answer(dialect, WORDS))));
      hangUp();
    },
  ],
  ['answers with a page', 502, ({ respond }) => respond('200 OK', { 'content-type': 'text/html' }, '<h1>Welcome</h1>')],
];

const failures = [
  ...belowTheWire.map((row) => ['anthropic', ...row] as const),
  ...attackedWires.flatMap((wire) => beforeTheAnswer.map((row) => [wire, ...row] as const)),
];

describe('before an answer, a provider that', () => {
  it.concurrent.each(failures)(
    '(%s) %s is reported as %i, and costs nothing',
    async (wire, _what, status, behavior) => {
      const { status: told, cost, generation } = await attack(wire, behavior);
      expect([told, cost.toString()]).toEqual([status, '0']);
      expect(generation['finish_reason']).not.toBe('end_turn');
    },
  );

  it.concurrent.each(failures)('(%s) %s is followed by the next endpoint', async (wire, _what, _status, behavior) => {
    const { status, text, generation } = await attack(wire, behavior, { fallback: true });
    expect([status, text]).toEqual([200, 'All is well.']);
    expect(generation['provider_name']).toMatch(/^sound/);
  });

  it.concurrent('redirects is not followed to the target', async () => {
    const statuses = ['300', '301', '302', '303', '307', '308'];
    const location = `${hostile.upstream.url}${TRAP_PATH}`;
    const told = await Promise.all(
      statuses.map((status) => attack('anthropic', ({ respond }) => respond(`${status} Elsewhere`, { location }, ''))),
    );
    expect(told.map(({ status }) => status)).toEqual(statuses.map(() => 502));
    expect(hostile.upstream.trapped()).toBe(0);
  });

  it.concurrent('answers with an unexpected status is reported with a status of the gateway', async () => {
    const expected: Record<string, number> = {
      '400': 400,
      '401': 502,
      '402': 502,
      '403': 502,
      '404': 502,
      '408': 504,
      '413': 413,
      '422': 400,
      '429': 429,
      '500': 502,
      '503': 529,
      '504': 504,
      '529': 529,
    };
    const odd = [
      '000',
      '001',
      '099',
      '199',
      '201',
      '205',
      '226',
      '299',
      '304',
      '399',
      '418',
      '451',
      '499',
      '511',
      '520',
    ];
    const statuses = [...Object.keys(expected), ...odd, '599', '600', '777', '999'];
    const told = await Promise.all(
      statuses.map(async (status) => {
        const { status: answered } = await attack('anthropic', async ({ respond, hangUp }) => {
          await respond(`${status} Odd`, { 'content-type': 'application/json' }, '{"error":{"message":"No."}}');
          hangUp();
        });
        return [status, answered];
      }),
    );
    expect(told).toEqual(statuses.map((status) => [status, expected[status] ?? 502]));
  });
});

/** Faults in the middle of an answer, whose output is charged. */
const withinTheAnswer: [string, Behavior][] = [
  ['hangs up', ({ hangUp }) => hangUp()],
  ['resets the connection', ({ reset }) => reset()],
  ['ends as if that were all', ({ finish }) => finish()],
  [
    'breaks off within an event',
    async ({ send, dialect, reset }) => (await send(dialect.text('torn').slice(0, 20))) && reset(),
  ],
  ['breaks off within a chunk', async ({ write, hangUp }) => (await write('ffff\r\ndata: {')) && hangUp()],
  ['garbles its chunks', ({ write }) => write('no length at all\r\n')],
  ['becomes silent', ({ closed }) => closed],
];

/** After this time in ms, the gateway has read the output that was sent, whatever the provider does next. */
const READ_BY_ITSELF_MS = 50;

const begun =
  (behavior: Behavior): Behavior =>
  async (exchange) => {
    await exchange.begin();
    await exchange.send(exchange.dialect.opening() + exchange.dialect.text(WORDS));
    await sleep(READ_BY_ITSELF_MS);
    await behavior(exchange);
  };

describe.each(attackedWires)('in the middle of an answer over %s, a provider that', (wire) => {
  it.concurrent.each(withinTheAnswer)(
    '%s is reported as a failure, and its reported usage is charged',
    async (_what, behavior) => {
      expectBrokenOff(await attack(wire, begun(behavior)), wire);
    },
  );

  it.concurrent.each(withinTheAnswer)(
    '%s is reported as a failure within the stream, and its output is charged',
    async (_what, behavior) => {
      const { status, text, error, events, generation } = await attack(wire, begun(behavior), { stream: true });
      expect(generation).toMatchObject({ estimated: true, tokens_completion: '3' });
      expect([status, text]).toEqual([200, WORDS]);
      expect([502, 504]).toContain(error!.code);
      expect(events.at(-1)!.type).toBe('error');
    },
  );
});

/** Unusual answers that are valid, and must be passed on. */
const oddButSound: [string, Behavior][] = [
  [
    'in single bytes',
    async ({ begin, send, finish, dialect }) => {
      await begin();
      for (const byte of bytesOf(dialect, answer(dialect, WORDS))) await send(Buffer.of(byte));
      await finish();
    },
  ],
  [
    'a byte in a millisecond',
    async ({ begin, send, finish, dialect }) => {
      await begin();
      for (const byte of bytesOf(dialect, answer(dialect, WORDS))) {
        await sleep(1);
        await send(Buffer.of(byte));
      }
      await finish();
    },
  ],
  [
    'with a second response after it',
    async ({ write, dialect }) => {
      const second = `HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecond`;
      await write(`${STREAM_HEAD}${chunked(dialect, answer(dialect, WORDS))}0\r\n\r\n${second}`);
    },
  ],
  [
    'with more events after its end',
    async ({ begin, send, finish, dialect }) => {
      await begin();
      await send(answer(dialect, WORDS) + dialect.opening() + dialect.text('More!') + dialect.reason() + dialect.stop);
      await finish();
    },
  ],
  [
    'with endless bytes after its end',
    async ({ begin, send, dialect }) => {
      await begin();
      await send(answer(dialect, WORDS));
      await repeat(send, 'x'.repeat(1_000), 100_000);
    },
  ],
  [
    'and holds the connection open',
    async ({ begin, send, dialect, closed }) => {
      await begin();
      await send(answer(dialect, WORDS));
      await closed;
    },
  ],
  [
    'with a thousand headers',
    async ({ write, dialect }) => {
      const headers = Array.from({ length: 1_000 }, (_, index) => `x-${index}: y\r\n`).join('');
      await write(
        `${HEAD}${headers}transfer-encoding: chunked\r\n\r\n${chunked(dialect, answer(dialect, WORDS))}0\r\n\r\n`,
      );
    },
  ],
  [
    'among unknown events and comments',
    async ({ begin, send, finish, dialect }) => {
      const { unknown } = dialect;
      await begin();
      await send(unknown + dialect.opening() + unknown + dialect.text(WORDS) + unknown);
      await send(dialect.reason() + unknown + dialect.stop);
      await finish();
    },
  ],
];

describe.each(attackedWires)('an answer over %s that comes', (wire) => {
  it.concurrent.each(oddButSound)('%s is accepted', async (_how, behavior) => {
    const whole = await attack(wire, behavior);
    expect([whole.status, whole.text, whole.stopReason]).toEqual([200, WORDS, 'end_turn']);
    const streamed = await attack(wire, behavior, { stream: true });
    expect([streamed.text, streamed.stopReason, streamed.error]).toEqual([WORDS, 'end_turn', undefined]);
  });

  it.concurrent('with two lengths is refused', async () => {
    const { status } = await attack(wire, ({ write, dialect }) =>
      write(
        `${HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n${chunked(dialect, answer(dialect, WORDS))}0\r\n\r\n`,
      ),
    );
    expect(status).toBe(502);
  });

  it.concurrent('with bytes that are not UTF-8 loses only these bytes', async () => {
    const { status, text } = await attack(wire, async ({ begin, send, finish, dialect }) => {
      await begin();
      await send(dialect.opening());
      await send(dialect.textAround('one', Buffer.of(0xff, 0xc3), 'two'));
      await send(dialect.reason() + dialect.stop);
      await finish();
    });
    expect(status).toBe(200);
    expect(text).toMatch(/^one\uFFFD+two$/);
  });
});

it('hostile providers leave the gateway and other clients unharmed', () => hostile.expectUnharmed());
