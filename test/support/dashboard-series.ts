import type { Template } from 'aws-cdk-lib/assertions';

/**
 * `own` has the gateway's metrics, each with its dimension, and `ofAws` AWS's metrics, each with its namespace before
 * its name.
 */
export interface Series {
  own: { name: string; by: string }[];
  ofAws: string[];
}

interface Widget {
  type: string;
  properties: { metrics?: [unknown, ...unknown[]][] };
}

const SEARCH = /^SEARCH\('\{"([^"]+)",(\w+)\} MetricName="(\w+)"', '\w+', 300\)$/;

/** Returns the series of a dashboard. A graph lists a metric, or searches for it by one dimension. */
export function dashboardSeries(template: Template, ownNamespace: string): Series {
  const [{ Properties }] = Object.values(template.findResources('AWS::CloudWatch::Dashboard')) as [
    { Properties: { DashboardBody: { 'Fn::Join': ['', (string | object)[]] } } },
  ];
  const [, parts] = Properties.DashboardBody['Fn::Join'];
  const body = parts.map((part) => (typeof part === 'string' ? part : 'of a deployment')).join('');
  const { widgets } = JSON.parse(body) as { widgets: Widget[] };
  const lines = widgets.flatMap(({ properties }) => properties.metrics ?? []).map(lineOf);
  const own = lines.filter(({ namespace }) => namespace === ownNamespace).map(({ name, by }) => ({ name, by }));
  const others = lines.filter(({ namespace }) => namespace !== ownNamespace);
  return { own, ofAws: [...new Set(others.map(({ namespace, name }) => `${namespace} ${name}`))] };
}

function lineOf([first, name, ...rest]: [unknown, ...unknown[]]): { namespace: string; name: string; by: string } {
  if (typeof first === 'string') {
    const dimension = typeof rest[0] === 'string' ? rest[0] : 'all';
    return { namespace: first, name: name as string, by: dimension };
  }
  const { expression } = first as { expression: string };
  const [, namespace, by, searched] = SEARCH.exec(expression) ?? [];
  if (namespace === undefined) throw new Error(`Not a search for one metric: ${expression}`);
  return { namespace, name: searched!, by: by! };
}

export function writtenSeries(log: string): { name: string; by: string }[] {
  return log
    .split('\n')
    .filter((line) => line.includes('"_aws"'))
    .flatMap((line) => {
      const { _aws } = JSON.parse(line.slice(line.indexOf('{'))) as {
        _aws: { CloudWatchMetrics: [{ Dimensions: [string[]]; Metrics: { Name: string }[] }] };
      };
      const [{ Dimensions, Metrics }] = _aws.CloudWatchMetrics;
      return Metrics.map(({ Name: name }) => ({ name, by: Dimensions[0][0] ?? 'all' }));
    });
}
