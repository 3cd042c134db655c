import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { measureSettlements, sentAt } from '../../lambdas/accounting/settlement-metrics.ts';
import { writeMetrics } from '../../lambdas/platform/metrics.ts';
import { newGenerationId } from '../../lambdas/platform/ids.ts';
import { emptyOutcome } from '../../lambdas/store/generations/outcome.ts';
import { outcome, rub } from '../support/spending.ts';

interface MetricLine {
  _aws: { Timestamp: number; CloudWatchMetrics: [{ Namespace: string; Dimensions: string[][]; Metrics: object[] }] };
  [name: string]: unknown;
}

let lines: MetricLine[];
beforeEach(() => {
  lines = [];
  vi.stubEnv('METRICS_NAMESPACE', 'ModelGateway/test');
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(JSON.parse(String(text)) as MetricLine);
    return true;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('a metric', () => {
  it("is a log line in CloudWatch's embedded format", () => {
    writeMetrics({ Refused: 1 }, { kind: 'server' });
    expect(lines).toEqual([
      {
        _aws: {
          Timestamp: expect.any(Number) as number,
          CloudWatchMetrics: [
            {
              Namespace: 'ModelGateway/test',
              Dimensions: [['kind']],
              Metrics: [{ Name: 'Refused', Unit: 'Count' }],
            },
          ],
        },
        kind: 'server',
        Refused: 1,
      },
    ]);
  });

  it('has its dimensions, and no others', () => {
    // @ts-expect-error -- `Refused` needs the dimension `kind`
    writeMetrics({ Refused: 1 });
    // @ts-expect-error -- `Swept` has no dimension
    writeMetrics({ Swept: 1 }, { provider: 'One' });
    expect(lines).toHaveLength(2);
  });

  it('is not written without a namespace', () => {
    vi.stubEnv('METRICS_NAMESPACE', '');
    writeMetrics({ Swept: 1 });
    expect(lines).toEqual([]);
  });

  it('with more than a hundred values has several lines, and no value is lost', () => {
    writeMetrics({ InputTokens: Array.from({ length: 230 }, (_, index) => index), Settled: 230 });
    expect(lines.map(({ InputTokens: values, Settled }) => [(values as number[]).length, Settled])).toEqual([
      [100, 230],
      [100, undefined],
      [30, undefined],
    ]);
  });

  it('omits values that are not numbers, and has no line without values', () => {
    writeMetrics({ OverheadMs: [Number.NaN, Number.POSITIVE_INFINITY], CostRub: [] });
    expect(lines).toEqual([]);
  });
});

const made = (providerName: string, more: object = {}) => ({
  settlement: {
    generationId: newGenerationId(),
    payer: { accountId: 'a', workspaceId: 'w', memberId: undefined, keyHash: 'k' },
    hold: { amount: rub('1'), steps: 1, scopes: [], serviceHolds: [], rateHolds: [] },
    outcome: { ...outcome(rub('0.5')), providerName, ...more },
  },
  sentAtMs: 1_000,
  isCorrection: false,
});

describe('metrics of settlements', () => {
  it('have client-visible metrics by provider, and each other one once', () => {
    const some = [
      made('One', { overheadMs: 4 }),
      made('Two', { estimated: true, capped: true }),
      made('One', { latencyMs: null, promptTokens: 7, completionTokens: 9 }),
    ];
    measureSettlements(some, 1_250);

    const [all, one, two] = lines as [MetricLine, MetricLine, MetricLine];
    expect(all).toMatchObject({
      Settled: 3,
      Estimated: 1,
      Corrected: 0,
      Capped: 1,
      InputTokens: [expect.any(Number), expect.any(Number), 7],
      OutputTokens: [expect.any(Number), expect.any(Number), 9],
      CostRub: [0.5, 0.5, 0.5],
      HeldRub: [1, 1, 1],
      OverheadMs: 4,
      SettlementLagMs: [250, 250, 250],
    });
    expect(one).toMatchObject({ provider: 'One', Settled: 2, FirstEventMs: 5, AnswerMs: [50, 50] });
    expect(two).toMatchObject({ provider: 'Two', Settled: 1, FirstEventMs: 5 });
  });

  it('count corrections of settlements by the sweep', () => {
    measureSettlements([{ ...made('One'), isCorrection: true }, made('One')], 1_250);

    expect(lines[0]).toMatchObject({ Settled: 2, Corrected: 1 });
  });

  it('contain no payer, key or text', () => {
    measureSettlements([made('One')], 1_250);
    expect(JSON.stringify(lines)).not.toMatch(/"(accountId|keyHash|memberId|model|generationId)"/);
  });

  it('use the time of admission for messages without a sending time', () => {
    const { settlement } = made('One', emptyOutcome(outcome(rub('0'))));
    expect(sentAt('1700000000000', settlement)).toBe(1_700_000_000_000);
    expect(Math.abs(sentAt(undefined, settlement) - Date.now())).toBeLessThan(60_000);
  });
});
