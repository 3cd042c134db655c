import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wires, type Counts, type WireName } from '../support/dialects.ts';
import { startHostileGateway, type Aftermath, type HostileGateway } from '../support/hostile-gateway.ts';
import { repeated } from '../support/long-runs.ts';

/** The client's last usage must be the charged usage, in every order in which providers report. */
let hostile: HostileGateway;
beforeAll(async () => {
  hostile = await startHostileGateway();
});
afterAll(() => hostile.stop());

interface Report {
  counts: Counts;
  /** Whether the report is in the same packet as the event before it. */
  together: boolean;
}

/**
 * Attacks with a provider that sends these usage reports in this order. If a wire reports usage at the beginning of an
 * answer, the first report is sent there.
 */
function reported(wire: WireName, reports: Report[], stream: boolean): Promise<Aftermath> {
  return hostile.attack({
    wire,
    stream,
    limitRub: 100_000,
    behavior: async ({ begin, send, finish, dialect }) => {
      const [first, ...rest] = reports.map(({ counts, together }) => ({ usage: dialect.usage(counts), together }));
      await begin();
      let packet =
        (wire === 'anthropic' ? dialect.opening(first!.usage) : dialect.opening()) + dialect.text('Twelve bytes');
      const later = wire === 'anthropic' ? rest : [first!, ...rest];
      for (const { usage, together } of later.slice(0, -1)) {
        if (!together) {
          await send(packet);
          packet = '';
        }
        packet += dialect.report(usage);
      }
      await send(packet);
      await send(dialect.reason(later.at(-1)?.usage ?? dialect.usage({ output: '5' })) + dialect.stop);
      await finish();
    },
  });
}

const correctedDownwards = (together: boolean): Report[] => [
  { counts: { prompt: '169', output: '1' }, together },
  { counts: { prompt: '79', output: '5' }, together },
];

const count = fc.constantFrom('0', '3', '10', '90', '100', '881', '884', '1e15', 'null', '-1', undefined);
const report = fc.record({
  counts: fc.record({ prompt: count, output: fc.constantFrom('5', '7', '0', undefined), read: count, written: count }),
  together: fc.boolean(),
});

describe.each(wires)('usage that a provider on %s reports repeatedly', (wire) => {
  it('is reported to the client as it is billed, streamed and whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(report, { minLength: 1, maxLength: 3 }), fc.boolean(), async (reports, stream) => {
        // The function that sends the request checks the answer.
        await reported(wire, reports, stream);
      }),
      { numRuns: repeated(300, { ofWhichAlways: 8 }) },
    );
  });

  it('costs the same if its reports come in one packet or in several', async () => {
    const [cut, whole] = await Promise.all([
      reported(wire, correctedDownwards(false), true),
      reported(wire, correctedDownwards(true), true),
    ]);
    expect(cut.cost.toString()).toBe(whole.cost.toString());
    expect(cut.generation['tokens_prompt']).toBe(
      wire === 'openai-responses' ? whole.generation['tokens_prompt'] : '79',
    );
  });
});

describe('usage that is reported three times', () => {
  const counts: Counts[] = [
    { prompt: '100', output: '1', read: '30' },
    { prompt: '40', output: '2' },
    { prompt: '40', output: '5', read: '0' },
  ];
  const cuts = [
    [false, false, false],
    [false, true, false],
    [false, false, true],
    [false, true, true],
  ];
  it.each(['openai-chat', 'google-gemini', 'bedrock-converse'] as const)(
    'over %s costs the same in any packets',
    async (wire) => {
      const answers = cuts.map((together) =>
        reported(
          wire,
          counts.map((one, index) => ({ counts: one, together: together[index]! })),
          true,
        ),
      );
      const costs = (await Promise.all(answers)).map(({ cost }) => cost.toString());
      expect(new Set(costs).size).toBe(1);
    },
  );

  it('never costs more than its largest prompt', async () => {
    const corrected = [counts[0]!, { prompt: '99', output: '5', read: '0' }].map((one) => ({
      counts: one,
      together: false,
    }));
    const { generation } = await reported('openai-chat', corrected, true);
    expect(Number(generation['tokens_prompt'])).toBeLessThanOrEqual(100);
  });
});

describe('caches of other providers with the Messages API', () => {
  const cached = { tokens_prompt: '884', native_tokens_cached: '881' };
  it.each([
    ['an input that first included them', { prompt: '3', read: '881' }],
    ['an input a token larger than the sum', { prompt: '2', read: '881' }],
    ['no further input', { prompt: undefined, read: '881' }],
  ])('after %s are charged once', async (_, last) => {
    const { generation } = await reported(
      'anthropic',
      [
        { counts: { prompt: '884' }, together: false },
        { counts: { ...last, output: '5' }, together: false },
      ],
      true,
    );
    const prompt = String(Number(last.prompt ?? '3') + 881);
    expect(generation).toMatchObject({ ...cached, tokens_prompt: prompt });
  });

  it('that only the first event reports are reported at the end, too', async () => {
    const { message } = await reported(
      'anthropic',
      [
        { counts: { prompt: '12', read: '100', written: '50' }, together: false },
        { counts: { output: '5' }, together: false },
      ],
      false,
    );
    // These 50 tokens are charged as ordinary prompt tokens, because no cache write was requested.
    expect(message!['usage']).toMatchObject({ input_tokens: 62, cache_read_input_tokens: 100 });
  });
});

it('tokens reported both as read and as written are charged once', async () => {
  const counts = { prompt: '217', output: '5', read: '210', written: '210' };
  const { generation } = await reported('openai-chat', [{ counts, together: true }], true);
  expect(generation).toMatchObject({ tokens_prompt: '217', native_tokens_cached: '210' });
});

describe.each(wires)('a report in the middle of an answer over %s that exceeds max_tokens', (wire) => {
  it.each([
    [1, 'the provider ends the answer without a reason'],
    [100, 'the gateway ends the answer at its length limit'],
  ])('is capped, and never shown to the client (%i KB of text, %s)', async (kilobytes) => {
    const { body, generation } = await hostile.attack({
      wire,
      stream: true,
      maxTokens: 200,
      behavior: async ({ begin, send, finish, dialect }) => {
        const report = dialect.report(dialect.usage({ prompt: '10', output: '987654' }));
        await begin();
        await send(
          dialect.opening() +
            dialect.text('Hello. ') +
            report +
            dialect.text('x'.repeat(1_000)).repeat(kilobytes) +
            dialect.stop,
        );
        await finish();
      },
    });

    expect(body).not.toContain('987654');
    expect(generation).toMatchObject({ capped: true, tokens_completion: '200' });
  });
});
