/**
 * Metrics, as log lines that CloudWatch makes them of (embedded metric format). Nothing is sent, and no request waits: they are written where
 * work is logged anyway. Each has a name and a unit here, and none is named anywhere else.
 *
 * Weakness: a line may be delivered twice, and amounts are floating point here: metrics are for looking at, never for money.
 */

import { nowMs } from './clock.ts';
import { optionalVariable, variables } from './environment.ts';

/** By whom or what a metric may be split. `door` is the way by which a request came in: the API, the function URL, a server. */
export type MetricDimension = 'provider' | 'kind' | 'door';
export type Door = 'api' | 'url' | 'web';

interface MetricSpec {
  /** In CloudWatch's words. */
  unit: 'Count' | 'None' | 'Milliseconds';
  /** The dimensions that it has: `all` is none. Each value of one is a metric of its own, and is charged so. */
  by: readonly ('all' | MetricDimension)[];
}

/** The measurements that there are. */
export const metrics = {
  /** Generations that became final, and what became of them. */
  Settled: { unit: 'Count', by: ['all', 'provider'] },
  Corrected: { unit: 'Count', by: ['all'] },
  Estimated: { unit: 'Count', by: ['all'] },
  Capped: { unit: 'Count', by: ['all'] },
  /** Settlements that failed when they were first tried, for another reason than a busy table or want of time. */
  SettlementFailed: { unit: 'Count', by: ['all'] },
  /** Holds that the sweep had to settle. */
  Swept: { unit: 'Count', by: ['all'] },
  CostRub: { unit: 'None', by: ['all'] },
  InputTokens: { unit: 'Count', by: ['all'] },
  OutputTokens: { unit: 'Count', by: ['all'] },
  /** The amount that was held at the end of each generation. */
  HeldRub: { unit: 'None', by: ['all'] },
  /** Transactions that met others, each time. */
  Conflicts: { unit: 'Count', by: ['all'] },
  /** From the request until the first provider had all of it: the gateway's own time. */
  OverheadMs: { unit: 'Milliseconds', by: ['all'] },
  /** From the request to the first event of its answer, and from there to its end. */
  FirstEventMs: { unit: 'Milliseconds', by: ['provider'] },
  AnswerMs: { unit: 'Milliseconds', by: ['provider'] },
  /** From the end of an answer to its settlement. */
  SettlementLagMs: { unit: 'Milliseconds', by: ['all'] },
  /** By how much books differ, each difference as an amount above zero. */
  DriftRub: { unit: 'None', by: ['all'] },
  /** Requests that were refused, by the kind of the refusal. */
  Refused: { unit: 'Count', by: ['kind'] },
  /** Requests that ended with a fault of our own, before their answer began or in the middle of it. */
  Faults: { unit: 'Count', by: ['all', 'door'] },
  /** Requests that ended with a 5xx because of a provider. */
  ProviderFailed: { unit: 'Count', by: ['door'] },
  /** Refusals of providers that only the operator can end: of a key, an account, a project, or of a model that is gone. */
  OperatorNeeded: { unit: 'Count', by: ['all', 'provider'] },
  /** Requests that were sent again without sealed reasoning, which their provider could not read any more. */
  ReasoningDropped: { unit: 'Count', by: ['provider'] },
  /** Answers that had begun, and that a provider did not finish. */
  BrokeOff: { unit: 'Count', by: ['provider'] },
} as const satisfies Record<string, MetricSpec>;

/** The metrics that have a dimension. */
export type MetricsBy<By extends 'all' | MetricDimension> = {
  [Name in keyof typeof metrics]: By extends (typeof metrics)[Name]['by'][number] ? Name : never;
}[keyof typeof metrics];

/** CloudWatch takes no more values of one metric in a line. */
const MAX_VALUES = 100;

/** One number, or one for each thing that was measured. */
export type Measured<By extends 'all' | MetricDimension = 'all'> = Partial<
  Record<MetricsBy<By>, number | readonly number[]>
>;

/** Writes measurements, where metrics have a namespace: on a laptop there is nobody to read them. What is not a number is left out. */
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
