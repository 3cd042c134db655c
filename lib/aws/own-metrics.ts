/**
 * Metrics that the gateway itself writes, for alarms and the dashboard. The types only allow metrics and dimensions
 * that the code writes.
 */

import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { EntryPoint, MetricDimension, MetricsBy } from '../../lambdas/platform/metrics.ts';

/** Period of each data point of these metrics, in graphs and alarms. */
export const metricPeriod = Duration.minutes(5);

/** Returns a metric without dimensions. */
export function ownMetric(namespace: string, metricName: MetricsBy<'all'>, statistic = 'Sum'): Metric {
  return new Metric({ namespace, metricName, statistic, period: metricPeriod });
}

/** Returns a metric for one entry point of requests (API, function URL or server). */
export function entryPointMetric(namespace: string, metricName: MetricsBy<'door'>, door: EntryPoint): Metric {
  const dimensionsMap = { door } satisfies Partial<Record<MetricDimension, string>>;
  return new Metric({ namespace, metricName, dimensionsMap, statistic: 'Sum', period: metricPeriod });
}
