/**
 * Metrics as log lines, from which CloudWatch extracts them (embedded metric format). Nothing is sent, and no request
 * waits: they are written together with other log lines. This file alone defines their names and units.
 *
 * Weakness: a line may be delivered twice, and amounts are floating point here. Metrics are for observation, never for
 * money.
 */

import { nowMs } from './clock.ts';
import { optionalVariable, variables } from './environment.ts';

/** Dimensions of a metric. `door` is the entrance of a request: the API, the function URL, or a server. */
export type MetricDimension = 'provider' | 'kind' | 'door';
export type Door = 'api' | 'url' | 'web';

interface MetricSpec {
  /** CloudWatch's name of the unit. */
  unit: 'Count' | 'None' | 'Milliseconds';
  /** Its dimensions; `all` means none. Each value of a dimension is a separate metric, and is charged separately. */
  by: readonly ('all' | MetricDimension)[];
}

/** All metrics of the gateway. */
export const metrics = {
  /** Generations that became final, and their outcomes. */
  Settled: { unit: 'Count', by: ['all', 'provider'] },
  Corrected: { unit: 'Count', by: ['all'] },
  Estimated: { unit: 'Count', by: ['all'] },
  Capped: { unit: 'Count', by: ['all'] },
  /** Settlements that failed at their first attempt for another reason than a busy table or a lack of time. */
  SettlementFailed: { unit: 'Count', by: ['all'] },
  /** Holds that the sweep had to settle. */
  Swept: { unit: 'Count', by: ['all'] },
  CostRub: { unit: 'None', by: ['all'] },
  InputTokens: { unit: 'Count', by: ['all'] },
  OutputTokens: { unit: 'Count', by: ['all'] },
  /** The held amount at the end of each generation. */
  HeldRub: { unit: 'None', by: ['all'] },
  /** Conflicts of transactions, each time. */
  Conflicts: { unit: 'Count', by: ['all'] },
  /** The gateway's own time: from the request until the first provider had received all of it. */
  OverheadMs: { unit: 'Milliseconds', by: ['all'] },
  /** From the request to the first event of its answer, and from there to its end. */
  FirstEventMs: { unit: 'Milliseconds', by: ['provider'] },
  AnswerMs: { unit: 'Milliseconds', by: ['provider'] },
  /** From the end of an answer to its settlement. */
  SettlementLagMs: { unit: 'Milliseconds', by: ['all'] },
  /** Differences in the books, each as a positive amount. */
  DriftRub: { unit: 'None', by: ['all'] },
  /** Refused requests, by the kind of the refusal. */
  Refused: { unit: 'Count', by: ['kind'] },
  /** Requests that ended with a fault of our own, before their answer began or in the middle of it. */
  Faults: { unit: 'Count', by: ['all', 'door'] },
  /** Requests that ended with a 5xx because of a provider. */
  ProviderFailed: { unit: 'Count', by: ['door'] },
  /** Rejections that only the operator can fix: of a key, an account, a project, or of a removed model. */
  OperatorNeeded: { unit: 'Count', by: ['all', 'provider'] },
  /** Requests that were sent again without sealed reasoning that their provider could no longer read. */
  ReasoningDropped: { unit: 'Count', by: ['provider'] },
  /** Answers that had begun, but that a provider did not finish. */
  BrokeOff: { unit: 'Count', by: ['provider'] },
} as const satisfies Record<string, MetricSpec>;

/** The metrics that have a dimension. */
export type MetricsBy<By extends 'all' | MetricDimension> = {
  [Name in keyof typeof metrics]: By extends (typeof metrics)[Name]['by'][number] ? Name : never;
}[keyof typeof metrics];

/** CloudWatch's limit of values of one metric in a line. */
const MAX_VALUES = 100;

/** One number, or one for each measurement. */
export type Measured<By extends 'all' | MetricDimension = 'all'> = Partial<
  Record<MetricsBy<By>, number | readonly number[]>
>;

/**
 * Writes measurements if there is a namespace for metrics; a laptop has none. Values that are not numbers are left out.
 */
export function writeMetrics(measured: Measured): void;
export function writeMetrics<By extends MetricDimension>(measured: Measured<By>, dimensions: Record<By, string>): void;
export function writeMetrics(
  measured: Record<string, number | readonly number[]>,
  dimensions: Record<string, string> = {},
): void {
  const namespace = optionalVariable(variables.metricsNamespace);
  if (namespace === undefined) return;
  const series = Object.entries(measured).map(([name, values]): [string, number[]] => [
    name,
    [values].flat().filter(Number.isFinite),
  ]);
  for (let start = 0; series.some(([, values]) => values.length > start); start += MAX_VALUES) {
    const part = series
      .map(([name, values]): [string, number[]] => [name, values.slice(start, start + MAX_VALUES)])
      .filter(([, values]) => values.length > 0);
    const named = part.map(([Name]) => ({ Name, Unit: metrics[Name as keyof typeof metrics].unit }));
    const line = {
      _aws: {
        Timestamp: nowMs(),
        CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [Object.keys(dimensions)], Metrics: named }],
      },
      ...dimensions,
      ...Object.fromEntries(part.map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
    };
    process.stderr.write(`${JSON.stringify(line)}\n`);
  }
}
