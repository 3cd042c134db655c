import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects, readers, wires, type Dialect, type WireName } from '../support/dialects.ts';
import { packFrame } from '../support/event-stream.ts';
import { startHostileGateway, type Attack, type HostileGateway } from '../support/hostile-gateway.ts';
import type { Behavior, Exchange } from '../support/hostile-upstream.ts';
import { entriesIn, repeated } from '../support/long-runs.ts';
import { heldMb, measurable } from '../support/process-usage.ts';
import { reportOf } from '../support/processes.ts';

/** Attacks by a provider on the CPU and memory that all answers share. The attacks run one at a time. */
let hostile: HostileGateway;
/** Memory in MB of an idle gateway. */
let resting: { held: number; resident: number };
beforeAll(async () => {
  hostile = await startHostileGateway(measurable);
  await warmUp();
  resting = await usedMb();
});
afterAll(() => hostile.stop());

const KB = 1_024;
const MB = KB * KB;
/** Maximum additional memory in MB during one answer. */
const PEAK_MB = 100;
/** Maximum CPU time in ms of one attack. All other answers wait during this time. */
const MAX_BUSY_MS = 4_000;
const RICH_RUB = 1_000_000;

async function usedMb() {
  // This measurement frees unused memory, so it comes first.
  const held = await heldMb(hostile.gateway);
  return { held, resident: (await reportOf(hostile.gateway.process.pid!)).residentMb };
}

const sound: Behavior = async ({ begin, send, finish, dialect }) => {
  await begin();
  await send(dialect.opening());
  for (let piece = 0; piece < 50; piece += 1) await send(dialect.text('x'.repeat(KB)));
  await send(dialect.reason() + dialect.stop);
  await finish();
};

/** Sends some requests first, so that the tests do not measure costs that a process has only once. */
async function warmUp(): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    const wire = wires[round % wires.length]!;
    await hostile.attack({ wire, behavior: sound, stream: round % 4 < 2, maxTokens: 50_000, limitRub: RICH_RUB });
  }
}

async function flood(write: Exchange['write'], piece: string, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes; sent += piece.length) if (!(await write(piece))) return;
}

/** Returns the maximum additional memory, and the CPU time. */
async function measured(attack: Attack): Promise<{ peakMb: number; tookMs: number }> {
  const { gateway } = hostile;
  await untilIdle();
  await heldMb(gateway);
  const before = await reportOf(gateway.process.pid!);
  await hostile.attack({ limitRub: RICH_RUB, patienceMs: 25_000, ...attack });
  const after = await reportOf(gateway.process.pid!);
  return { peakMb: after.peakMb - before.residentMb, tookMs: after.cpuMs - before.cpuMs };
}

const LOOKS_EVERY_MS = 300;

/** Waits until work of the last attack has ended. */
async function untilIdle(): Promise<void> {
  for (let used = Infinity; used > 50;) {
    const before = await reportOf(hostile.gateway.process.pid!);
    await sleep(LOOKS_EVERY_MS);
    used = (await reportOf(hostile.gateway.process.pid!)).cpuMs - before.cpuMs;
  }
}

const block = (index: number) =>
  dialects.anthropic.event(`{"type":"content_block_start","index":${index},"content_block":{"type":"text","text":""}}`);
const call = (index: number, args: string) =>
  dialects['openai-chat'].event(
    `{"choices":[{"delta":{"tool_calls":[{"index":${index},"id":"t${index}","function":{"name":"f","arguments":${JSON.stringify(args)}}}]}}]}`,
  );

const bedrockCall = (index: number) =>
  packFrame(
    'contentBlockStart',
    `{"contentBlockIndex":${index},"start":{"toolUse":{"toolUseId":"t${index}","name":"f"}}}`,
  ).toString('latin1');

const within =
  (behavior: Behavior): Behavior =>
  async (exchange) => {
    await exchange.begin();
    await exchange.send(exchange.dialect.opening());
    await behavior(exchange);
  };

/** Total size of the blank lines, which the gateway reads one by one. */
const BLANK_BYTES = repeated(40, { ofWhichAlways: 10 }) * MB;
const blanks = ({ blank }: Dialect) => blank.repeat((64 * KB) / blank.length);

const floods: [string, Attack][] = [
  ...entriesIn(wires, { ofWhichAlways: 2 }).map((wire): [string, Attack] => [
    `60 MB of text over ${wire}, for a client that does not stream`,
    { wire, behavior: within(({ send, dialect }) => flood(send, dialect.text('x'.repeat(16 * KB)), 60 * MB)) },
  ]),
  ...entriesIn(readers, { ofWhichAlways: 1 }).map((wire): [string, Attack] => [
    `one event of 40 MB over ${wire}, before the answer begins`,
    {
      wire,
      behavior: async ({ begin, send, dialect }) => {
        await begin();
        await send(dialect.endless);
        await flood(send, 'x'.repeat(64 * KB), 40 * MB);
      },
    },
  ]),
  ...entriesIn(readers, { ofWhichAlways: 1 }).map((wire): [string, Attack] => [
    `blanks over ${wire}, in an answer, without end`,
    { wire, behavior: within(({ send, dialect }) => flood(send, blanks(dialect), BLANK_BYTES)) },
  ]),
  ...readers.flatMap((wire): [string, Attack][] => [
    [
      `one event of 40 MB over ${wire}, in an answer`,
      {
        wire,
        behavior: within(async ({ send, dialect }) => {
          await send(dialect.endless);
          await flood(send, 'x'.repeat(64 * KB), 40 * MB);
        }),
      },
    ],
  ]),
  // One wire is enough: all wires use the same code for blank lines before an answer.
  [
    '40 MB of blank lines before the answer begins',
    {
      wire: 'anthropic',
      behavior: async ({ begin, send, dialect }) => (await begin()) && flood(send, blanks(dialect), 40 * MB),
    },
  ],
  [
    'an error page of 100 MB',
    {
      wire: 'openai-chat',
      behavior: async ({ write }) => {
        await write('HTTP/1.1 500 No\r\ncontent-type: text/html\r\ncontent-length: 104857600\r\n\r\n');
        await flood(write, '<p>No.</p>'.repeat(6 * KB), 100 * MB);
      },
    },
  ],
  [
    'JSON of 100 MB instead of a stream',
    {
      wire: 'openai-chat',
      behavior: async ({ write, dialect }) => {
        await write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 104857600\r\n\r\n');
        await write(dialect.whole('xx').split('xx')[0]!);
        await flood(write, 'x'.repeat(64 * KB), 100 * MB);
      },
    },
  ],
];

const manyOnes: [string, Attack][] = [
  [
    'a million blocks',
    {
      wire: 'anthropic',
      behavior: within(async ({ send }) => {
        for (let first = 1; first < 1_000_000; first += 500) {
          if (!(await send(Array.from({ length: 500 }, (_, index) => block(first + index)).join('')))) return;
        }
      }),
    },
  ],
  [
    'thirty thousand calls of tools',
    {
      wire: 'openai-chat',
      behavior: within(async ({ send }) => {
        for (let first = 1; first < 30_000; first += 500) {
          if (!(await send(Array.from({ length: 500 }, (_, index) => call(first + index, '{}')).join('')))) return;
        }
      }),
    },
  ],
  [
    'thirty thousand calls in frames',
    {
      wire: 'bedrock-converse',
      behavior: within(async ({ send }) => {
        for (let first = 1; first < 30_000; first += 500) {
          if (!(await send(Array.from({ length: 500 }, (_, index) => bedrockCall(first + index)).join('')))) return;
        }
      }),
    },
  ],
  [
    '30 MB of text after a call that is not complete',
    {
      wire: 'openai-chat',
      behavior: within(async ({ send, dialect }) => {
        await send(call(0, '[1'));
        await flood(send, dialect.text('x'.repeat(16 * KB)), 30 * MB);
      }),
    },
  ],
];

function inPieces(wire: WireName): Attack {
  return {
    wire,
    maxTokens: 100_000,
    behavior: within(async ({ send, finish, dialect }) => {
      const event = dialect.text('x'.repeat(4 * MB));
      for (let start = 0; start < event.length; start += 512) await send(event.slice(start, start + 512));
      await send(dialect.reason() + dialect.stop);
      await finish();
    }),
  };
}

/** In a faulty implementation, each of these events might cost more than its predecessor. */
const grinding: [string, Attack][] = [
  [
    'a call in pieces after an incomplete call',
    {
      wire: 'openai-chat',
      maxTokens: 100_000,
      behavior: within(async ({ send, finish, dialect }) => {
        await send(call(0, `[${'1,'.repeat(256 * KB)}1`));
        for (let round = 0; round < 40; round += 1) await send(call(1, '1').repeat(100));
        await send(dialect.reason() + dialect.stop);
        await finish();
      }),
    },
  ],
  ['one event of 4 MB in pieces of 512 bytes', inPieces('openai-chat')],
  ['one event of 4 MB in pieces of 512 bytes, passed through', inPieces('anthropic')],
  ['one frame of 4 MB in pieces of 512 bytes', inPieces('bedrock-converse')],
  [
    'a hundred thousand citations',
    {
      wire: 'anthropic',
      maxTokens: 100_000,
      behavior: within(async ({ send, finish, dialect }) => {
        const citation = dialect.event(
          '{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"a":1}}}',
        );
        await flood(send, citation.repeat(500), 100_000 * citation.length);
        await send(dialect.reason() + dialect.stop);
        await finish();
      }),
    },
  ],
];

describe('the memory of the gateway', () => {
  it.each([...floods, ...manyOnes])('is not exhausted by %s', async (_what, attack) => {
    const { peakMb } = await measured(attack);
    expect(peakMb).toBeLessThan(PEAK_MB);
  });
});

describe('the processor of the gateway', () => {
  it.each(grinding)('is not blocked by %s', async (_what, attack) => {
    const { tookMs } = await measured(attack);
    expect(tookMs).toBeLessThan(MAX_BUSY_MS);
  });
});

it('attacks on memory and processor leave the gateway and other clients unharmed, and memory is freed', async () => {
  await untilIdle();
  await warmUp();
  const now = await usedMb();
  expect(now.held).toBeLessThan(resting.held * 1.1 + 20);
  // A process returns freed memory to the operating system late, so this bound includes the peak.
  expect(now.resident).toBeLessThan(resting.resident + PEAK_MB);
  await hostile.expectUnharmed();
});
