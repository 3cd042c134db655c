/** The gateway's own metrics as alarms and the dashboard read them: only those that its code can write, with the dimensions that they have. */

import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Door, MetricDimension, MetricsBy } from '../../lambdas/platform/metrics.ts';

/** Each point of a graph, and each that an alarm looks at, stands for so much time. */
export const metricPeriod = Duration.minutes(5);

/** A metric over all. */
export function ownMetric(namespace: string, metricName: MetricsBy<'all'>, statistic = 'Sum'): Metric {
  return new Metric({ namespace, metricName, statistic, period: metricPeriod });
}

/** How much of it came through one door. */
export function metricOfDoor(namespace: string, metricName: MetricsBy<'door'>, door: Door): Metric {
  const dimensionsMap = { door } satisfies Partial<Record<MetricDimension, string>>;
  return new Metric({ namespace, metricName, dimensionsMap, statistic: 'Sum', period: metricPeriod });
}
