/**
 * Writes metrics as log lines, from which CloudWatch extracts them (embedded metric format). No request is sent and
 * nothing waits. This file defines the names and units of all metrics.
 *
 * Weakness: a line may be delivered twice, and amounts are floating point. So metrics are only for observation, never
 * for money.
 */

import { nowMs } from './clock.ts';
import { optionalVariable, variables } from './environment.ts';

/** Dimension of a metric. `door` is the way by which a request arrived: API Gateway, the function URL, or a server. */
export type MetricDimension = 'provider' | 'kind' | 'door';
export type EntryPoint = 'api' | 'url' | 'web';

interface MetricSpec {
  /** Name of the unit in CloudWatch. */
  unit: 'Count' | 'None' | 'Milliseconds';
  /**
   * Dimensions of the metric; `all` means without dimension. Each value of a dimension is a separate metric with its
   * own price.
   */
  by: readonly ('all' | MetricDimension)[];
}

export const metrics = {
  /**
   * Generations that became final. Corrected, Estimated and Capped count those whose charge was corrected, estimated or
   * limited.
   */
  Settled: { unit: 'Count', by: ['all', 'provider'] },
  Corrected: { unit: 'Count', by: ['all'] },
  Estimated: { unit: 'Count', by: ['all'] },
  Capped: { unit: 'Count', by: ['all'] },
  /** Settlements whose first attempt failed. Failures because of a busy table or a lack of time do not count. */
  SettlementFailed: { unit: 'Count', by: ['all'] },
  /** Generations that the sweep settled. */
  Swept: { unit: 'Count', by: ['all'] },
  CostRub: { unit: 'None', by: ['all'] },
  InputTokens: { unit: 'Count', by: ['all'] },
  OutputTokens: { unit: 'Count', by: ['all'] },
  /** Amount held at the end of each generation. */
  HeldRub: { unit: 'None', by: ['all'] },
  /** Conflicts of transactions. An attempt counts if a conflict made it fail. */
  Conflicts: { unit: 'Count', by: ['all'] },
  /** The gateway's own time: from the arrival of a request until the first provider has received all of it. */
  OverheadMs: { unit: 'Milliseconds', by: ['all'] },
  /**
   * Time from a request to the first event of its answer. AnswerMs is the time from the first event to the end of the
   * answer.
   */
  FirstEventMs: { unit: 'Milliseconds', by: ['provider'] },
  AnswerMs: { unit: 'Milliseconds', by: ['provider'] },
  /** Time from the end of an answer to its settlement. */
  SettlementLagMs: { unit: 'Milliseconds', by: ['all'] },
  /** Absolute differences between two parts of the books, in RUB. */
  DriftRub: { unit: 'None', by: ['all'] },
  /** Refused requests, by the kind of the refusal. */
  Refused: { unit: 'Count', by: ['kind'] },
  /** Requests that failed because of an error of the gateway, before or during their answer. */
  Faults: { unit: 'Count', by: ['all', 'door'] },
  /** Requests that ended with a 5xx status because of a provider. */
  ProviderFailed: { unit: 'Count', by: ['door'] },
  /** Failures that only the operator can fix: of a key, an account or a project, or a removed model. */
  OperatorNeeded: { unit: 'Count', by: ['all', 'provider'] },
  /** Requests that were sent again without encrypted reasoning, because their provider could not read it. */
  ReasoningDropped: { unit: 'Count', by: ['provider'] },
  /** Answers that began and that the provider did not finish. */
  BrokeOff: { unit: 'Count', by: ['provider'] },
} as const satisfies Record<string, MetricSpec>;

/** Names of the metrics that have a dimension. */
export type MetricsBy<By extends 'all' | MetricDimension> = {
  [Name in keyof typeof metrics]: By extends (typeof metrics)[Name]['by'][number] ? Name : never;
}[keyof typeof metrics];

/** CloudWatch's maximum number of values of one metric in a line. */
const MAX_VALUES = 100;

/** Values by metric: one number, or one for each measurement. */
export type Measured<By extends 'all' | MetricDimension = 'all'> = Partial<
  Record<MetricsBy<By>, number | readonly number[]>
>;

/**
 * Writes measurements if the environment names a namespace for metrics, which a laptop does not. Values that are not
 * finite numbers are dropped.
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
