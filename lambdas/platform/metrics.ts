/**
 * Metrics, as log lines that CloudWatch makes them of (embedded metric format). Nothing is sent, and no request waits: they are written where
 * work is logged anyway. Each has a name and a unit here, and none is named anywhere else.
 *
 * Weakness: a line may be delivered twice, and amounts are floating point here: metrics are for looking at, never for money.
 */

import { nowMs } from './clock.ts';
import { optionalVariable, variables } from './environment.ts';

/** The measurements that there are, in CloudWatch's units. */
const metricUnits = {
  /** Generations that became final, and what became of them. */
  Settled: 'Count',
  Corrected: 'Count',
  Estimated: 'Count',
  Capped: 'Count',
  /** Holds that the sweep had to settle. */
  Swept: 'Count',
  CostRub: 'None',
  InputTokens: 'Count',
  OutputTokens: 'Count',
  /** The amount that was held at the end of each generation. */
  HeldRub: 'None',
  /** Transactions that met others, each time. */
  Conflicts: 'Count',
  /** From the request until the first provider had all of it: the gateway's own time. */
  OverheadMs: 'Milliseconds',
  /** From the request to the first event of its answer, and from there to its end. */
  FirstEventMs: 'Milliseconds',
  AnswerMs: 'Milliseconds',
  /** From the end of an answer to its settlement. */
  SettlementLagMs: 'Milliseconds',
  /** By how much books differ, each difference as an amount above zero. */
  DriftRub: 'None',
  /** Requests that were refused, by the kind of the refusal. */
  Refused: 'Count',
} as const satisfies Record<string, 'Count' | 'None' | 'Milliseconds'>;
export type MetricName = keyof typeof metricUnits;

export const metricNames = Object.keys(metricUnits) as MetricName[];

/** By whom or what a metric may be split; each value is a metric of its own, and is charged so. */
export interface MetricDimensions {
  provider?: string;
  kind?: string;
}

/** CloudWatch takes no more values of one metric in a line. */
const MAX_VALUES = 100;

/** One number, or one for each thing that was measured. */
export type Measured = Partial<Record<MetricName, number | readonly number[]>>;

/** Writes measurements, where metrics have a namespace: on a laptop there is nobody to read them. What is not a number is left out. */
export function writeMetrics(measured: Measured, dimensions: MetricDimensions = {}): void {
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
    const metrics = part.map(([Name]) => ({ Name, Unit: metricUnits[Name as MetricName] }));
    const line = {
      _aws: {
        Timestamp: nowMs(),
        CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [Object.keys(dimensions)], Metrics: metrics }],
      },
      ...dimensions,
      ...Object.fromEntries(part.map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
    };
    process.stderr.write(`${JSON.stringify(line)}\n`);
  }
}
