import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { EntryPoint, MetricDimension, MetricsBy } from '../../lambdas/platform/metrics.ts';

export const metricPeriod = Duration.minutes(5);

export function ownMetric(namespace: string, metricName: MetricsBy<'all'>, statistic = 'Sum'): Metric {
  return new Metric({ namespace, metricName, statistic, period: metricPeriod });
}

export function entryPointMetric(namespace: string, metricName: MetricsBy<'door'>, door: EntryPoint): Metric {
  const dimensionsMap = { door } satisfies Partial<Record<MetricDimension, string>>;
  return new Metric({ namespace, metricName, dimensionsMap, statistic: 'Sum', period: metricPeriod });
}
