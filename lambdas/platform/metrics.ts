/**
 * Writes metrics as log lines, from which CloudWatch extracts them (embedded metric format).
 *
 * Weakness: CloudWatch may receive a line twice, and amounts are floating-point numbers. Do not use metrics for
 * charges.
 */

import { nowMs } from './clock.ts';
import { optionalVariable, variables } from './environment.ts';

/**
 * Dimension of a metric. `door` is the way by which a request arrived: API Gateway, a function URL, or a server
 * process.
 */
export type MetricDimension = 'provider' | 'kind' | 'door';
export type EntryPoint = 'api' | 'url' | 'web';

interface MetricSpec {
  /** Name of the unit in CloudWatch. */
  unit: 'Count' | 'None' | 'Milliseconds';
  /**
   * Dimensions of the metric; `all` means the total without a dimension. CloudWatch charges for each value of a
   * dimension.
   */
  by: readonly ('all' | MetricDimension)[];
}

export const metrics = {
  /**
   * Settled counts settlements from the queue, but not by the sweep. Corrected counts the settlements that
   * replaced an estimate of the sweep. Estimated counts the settlements whose usage the gateway estimated. Capped
   * counts the settlements whose charge was limited to a maximum.
   */
  Settled: { unit: 'Count', by: ['all', 'provider'] },
  Corrected: { unit: 'Count', by: ['all'] },
  Estimated: { unit: 'Count', by: ['all'] },
  Capped: { unit: 'Count', by: ['all'] },
  /**
   * Messages to settlement that failed at their first delivery, also because of work after the settlement. Failures
   * because the table was busy or time ran out do not count.
   */
  SettlementFailed: { unit: 'Count', by: ['all'] },
  /** Generations that the sweep settled. */
  Swept: { unit: 'Count', by: ['all'] },
  CostRub: { unit: 'None', by: ['all'] },
  InputTokens: { unit: 'Count', by: ['all'] },
  OutputTokens: { unit: 'Count', by: ['all'] },
  /** Money that was held for each generation when it ended. */
  HeldRub: { unit: 'None', by: ['all'] },
  /** Attempts at transactions of the table that failed because of a conflict or a throttled item. */
  Conflicts: { unit: 'Count', by: ['all'] },
  /** Time from the arrival of a client's request until the first provider has received the whole request. */
  OverheadMs: { unit: 'Milliseconds', by: ['all'] },
  /**
   * Time from the arrival of a client's request to the first event of its answer, or to the end of an answer without
   * events. AnswerMs is the time from the first event to the end.
   */
  FirstEventMs: { unit: 'Milliseconds', by: ['provider'] },
  AnswerMs: { unit: 'Milliseconds', by: ['provider'] },
  /** Time from the queued message of an ended answer to its settlement. */
  SettlementLagMs: { unit: 'Milliseconds', by: ['all'] },
  /** Absolute differences in RUB that a comparison of the books found. */
  DriftRub: { unit: 'None', by: ['all'] },
  /**
   * Requests whose response is an error, by the kind of the error. Errors of API Gateway and Lambda do not count, but
   * errors of the gateway's own HTTP server do.
   */
  Refused: { unit: 'Count', by: ['kind'] },
  /** Requests that failed because of an error in the gateway, before or during their answer. */
  Faults: { unit: 'Count', by: ['all', 'door'] },
  /** Requests that ended with a 5xx status because of a provider. */
  ProviderFailed: { unit: 'Count', by: ['door'] },
  /**
   * Failures that only the operator can fix: a provider's key, account or project has a problem, or the provider has
   * removed the model.
   */
  OperatorNeeded: { unit: 'Count', by: ['all', 'provider'] },
  /** Requests that were sent again without encrypted reasoning, because the provider could not read it. */
  ReasoningDropped: { unit: 'Count', by: ['provider'] },
  BrokeOff: { unit: 'Count', by: ['provider'] },
} as const satisfies Record<string, MetricSpec>;

export type MetricsBy<By extends 'all' | MetricDimension> = {
  [Name in keyof typeof metrics]: By extends (typeof metrics)[Name]['by'][number] ? Name : never;
}[keyof typeof metrics];

/** CloudWatch's maximum number of values of one metric in a line. */
const MAX_VALUES = 100;

export type Measured<By extends 'all' | MetricDimension = 'all'> = Partial<
  Record<MetricsBy<By>, number | readonly number[]>
>;

/**
 * Writes measurements, if the environment names a CloudWatch namespace. Values that are not finite numbers are dropped.
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
