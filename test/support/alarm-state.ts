/** Evaluates alarms in a template as CloudWatch does. */

import { runInNewContext } from 'node:vm';
import type { Template } from 'aws-cdk-lib/assertions';

export interface Datapoint {
  namespace: string;
  metric: string;
  dimensions: Record<string, unknown>;
  minutesAgo: number;
  value: number;
}

interface MetricOfAlarm {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: unknown }[];
}

export interface AlarmProperties extends MetricOfAlarm {
  Statistic: string;
  Period: number;
  Metrics?: {
    Id: string;
    Expression?: string;
    MetricStat?: { Metric: MetricOfAlarm; Period: number; Stat: string };
    ReturnData: boolean;
  }[];
  Threshold: number;
  ComparisonOperator: string;
  EvaluationPeriods: number;
  DatapointsToAlarm?: number;
  TreatMissingData: string;
  AlarmDescription: string;
  InsufficientDataActions?: unknown[];
}

const SECONDS_PER_MINUTE = 60;

const statistics: Record<string, (values: number[]) => number> = {
  Sum: (values) => values.reduce((sum, value) => sum + value, 0),
  Maximum: (values) => Math.max(...values),
};

const comparisons: Record<string, (value: number, threshold: number) => boolean> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
};

/**
 * Functions of CloudWatch's metric math that the alarms use. Arithmetic with a missing value gives no number, so the
 * result is missing too, unless FILL replaces it.
 */
const metricMath = {
  IF: (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise),
  FILL: (value: number | undefined, instead: number) => value ?? instead,
};

/**
 * Whether the alarm sends a notification: in the state ALARM, or in the state INSUFFICIENT_DATA if it has an action for
 * it.
 */
export function notifies(alarm: AlarmProperties, points: readonly Datapoint[]): boolean {
  const state = alarmState(alarm, points);
  return state === 'ALARM' || (state === 'INSUFFICIENT_DATA' && (alarm.InsufficientDataActions ?? []).length > 0);
}

/**
 * Whether a raised alarm ends when its metrics have no more values. CloudWatch may ignore missing values of DynamoDB's
 * metrics, whatever the alarm says about them, and then leaves the alarm in its state.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html (TreatMissingData)
 */
export function endsWithoutData(alarm: AlarmProperties): boolean {
  const watched = alarm.Metrics?.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []) ?? [alarm];
  const isOfDynamodb = watched.some(({ Namespace }) => Namespace === 'AWS/DynamoDB');
  if (isOfDynamodb && valueIn(alarm, [], 0) === undefined) return false;
  return alarmState(alarm, []) !== 'ALARM';
}

/**
 * Returns the state of an alarm.
 * @param points metric values; values from before the alarm's periods are ignored
 */
function alarmState(alarm: AlarmProperties, points: readonly Datapoint[]): 'ALARM' | 'OK' | 'INSUFFICIENT_DATA' {
  const { EvaluationPeriods: periods, DatapointsToAlarm: enough = periods } = alarm;
  const isBreaching = (value: number | undefined) => {
    if (value !== undefined) return entryOf(comparisons, alarm.ComparisonOperator)(value, alarm.Threshold);
    return false;
  };
  const values = Array.from({ length: periods }, (_, period) => valueIn(alarm, points, period));
  if (alarm.TreatMissingData === 'missing' && values.every((value) => value === undefined)) return 'INSUFFICIENT_DATA';
  if (!['missing', 'notBreaching'].includes(alarm.TreatMissingData)) throw new Error('Not known: missing data');
  const breaching = values.filter(isBreaching);
  return breaching.length >= enough ? 'ALARM' : 'OK';
}

function valueIn(alarm: AlarmProperties, points: readonly Datapoint[], period: number): number | undefined {
  const { Metrics: parts } = alarm;
  if (!parts) return statistic(alarm, { Period: alarm.Period, Stat: alarm.Statistic }, points, period);
  const values = parts.flatMap(({ Id, MetricStat }) =>
    MetricStat ? [[Id, statistic(MetricStat.Metric, MetricStat, points, period)] as const] : [],
  );
  const { Expression, Id } = parts.find(({ ReturnData }) => ReturnData)!;
  const known = Object.fromEntries(values);
  if (Expression === undefined) return known[Id];
  const result = runInNewContext(Expression, { ...metricMath, ...known }) as number;
  return Number.isFinite(result) ? result : undefined;
}

/**
 * Returns a statistic of a metric in one period.
 * @param period 0 is the period that ends now
 */
function statistic(
  { Namespace, MetricName, Dimensions = [] }: MetricOfAlarm,
  { Period, Stat }: { Period: number; Stat: string },
  points: readonly Datapoint[],
  period: number,
): number | undefined {
  const asked = JSON.stringify(sorted(Dimensions.map(({ Name, Value }) => [Name, Value])));
  const values = points
    .filter(({ namespace, metric }) => namespace === Namespace && metric === MetricName)
    .filter(({ dimensions }) => JSON.stringify(sorted(Object.entries(dimensions))) === asked)
    .filter(({ minutesAgo }) => Math.floor((minutesAgo * SECONDS_PER_MINUTE) / Period) === period)
    .map(({ value }) => value);
  return values.length === 0 ? undefined : entryOf(statistics, Stat)(values);
}

const sorted = (dimensions: [name: string, value: unknown][]) => dimensions.toSorted(([a], [b]) => (a < b ? -1 : 1));

function entryOf<Value>(table: Record<string, Value>, name: string): Value {
  const found = table[name];
  if (found === undefined) throw new Error(`Not known: ${name}`);
  return found;
}

interface EmbeddedMetrics {
  _aws: { CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[] };
  [field: string]: unknown;
}

/**
 * Returns the embedded metrics of a log line. If the line has no embedded metrics, returns the metrics of the metric
 * filters that the line matches.
 */
export function datapointsOf(line: string, log: string, template: Template): Omit<Datapoint, 'minutesAgo'>[] {
  const fields = JSON.parse(line) as EmbeddedMetrics | { message: string };
  return '_aws' in fields ? embedded(fields) : filtered(fields.message, log, template);
}

function embedded(line: EmbeddedMetrics): Omit<Datapoint, 'minutesAgo'>[] {
  return line._aws.CloudWatchMetrics.flatMap(({ Namespace: namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) =>
      Metrics.flatMap(({ Name: metric }) =>
        [line[metric] as number | number[]].flat().map((value) => {
          const dimensions = Object.fromEntries(names.map((name) => [name, line[name]]));
          return { namespace, metric, dimensions, value };
        }),
      ),
    ),
  );
}

interface FilterProperties {
  FilterPattern: string;
  LogGroupName: { Ref: string };
  MetricTransformations: { MetricName: string; MetricNamespace: string; MetricValue: string }[];
}

function filtered(message: string, log: string, template: Template): Omit<Datapoint, 'minutesAgo'>[] {
  const filters = Object.values(template.findResources('AWS::Logs::MetricFilter')) as {
    Properties: FilterProperties;
  }[];
  return filters
    .filter(({ Properties: { LogGroupName } }) => LogGroupName.Ref.startsWith(`${log}Logs`))
    .filter(({ Properties: { FilterPattern } }) => passes(FilterPattern, message))
    .flatMap(({ Properties: { MetricTransformations } }) => MetricTransformations)
    .map(({ MetricName: metric, MetricNamespace: namespace, MetricValue }) => {
      return { namespace, metric, dimensions: {}, value: Number(MetricValue) };
    });
}

/** Whether a message matches a filter's pattern: the whole text of the message, or a part of it between two stars. */
function passes(pattern: string, message: string): boolean {
  const [, start, words, end] = /^\{ \$\.message = "(\*?)([^"*]+)(\*?)" \}$/.exec(pattern)!;
  return start && end ? message.includes(words!) : message === words;
}
