import { beforeAll, describe, expect, it } from 'vitest';
import { metrics } from '../../lambdas/platform/metrics.ts';
import type { Route } from '../../lambdas/route.ts';
import { queueWorkers, routes, scheduledWorkers } from '../../lambdas/routes.ts';
import { pascalCase } from '../../lib/aws/pascal-case.ts';
import { dashboardSeries } from '../support/dashboard-series.ts';
import { sharedSettings, synthesize, type Synthesized } from '../support/synthesized.ts';

let made: Synthesized;
let web: Synthesized;
beforeAll(() => {
  made = synthesize(sharedSettings.otherStage);
  web = synthesize(sharedSettings.server);
});

const bodyOf = ({ api }: Synthesized) => JSON.stringify(api.findResources('AWS::CloudWatch::Dashboard'));

function queriesOf({ api }: Synthesized): { logs: string[]; text: string }[] {
  const queries = Object.values(api.findResources('AWS::Logs::QueryDefinition')) as {
    Properties: { LogGroupNames: object[]; QueryString: string };
  }[];
  return queries.map(({ Properties: { LogGroupNames, QueryString } }) => ({
    logs: LogGroupNames.map((name) => JSON.stringify(name)),
    text: QueryString,
  }));
}

describe('the dashboard', () => {
  it('shows every metric of the gateway, and only series that the code can emit', () => {
    const { own } = dashboardSeries(made.api, 'ModelGateway/my-test');
    const dimensions = new Map<string, readonly string[]>(Object.entries(metrics).map(([name, { by }]) => [name, by]));

    expect(own.filter(({ name, by }) => !dimensions.get(name)?.includes(by))).toEqual([]);
    expect(Object.keys(metrics).filter((metric) => !own.some(({ name }) => name === metric))).toEqual([]);
  });

  it('shows these metrics of AWS', () => {
    expect(dashboardSeries(made.api, 'ModelGateway/my-test').ofAws.toSorted()).toEqual([
      'AWS/DynamoDB ReadThrottleEvents',
      'AWS/DynamoDB TransactionConflict',
      'AWS/DynamoDB WriteThrottleEvents',
      'AWS/Lambda ConcurrentExecutions',
      'AWS/Lambda Duration',
      'AWS/Lambda Errors',
      'AWS/Lambda Throttles',
      'AWS/SQS ApproximateAgeOfOldestMessage',
      'AWS/SQS ApproximateNumberOfMessagesVisible',
    ]);
  });

  it('has every worker', () => {
    for (const worker of [...Object.keys(queueWorkers), ...Object.keys(scheduledWorkers)])
      expect(bodyOf(made)).toContain(worker);
  });

  it('has the failures in the server’s log if there is a server', () => {
    expect(bodyOf(web)).toContain('Failures of the gateway in the server');
    expect(bodyOf(made)).not.toContain('the server');
  });
});

describe('the saved queries of the log', () => {
  it('cover the server, workers and functions that spend or change settings, within CloudWatch’s limit of log groups', () => {
    const needed = Object.entries<Route>(routes).flatMap(([name, { credential, inference, method }]) =>
      inference || (credential === 'management' && method !== 'GET') ? [name] : [],
    );
    const names = ['server', ...needed, ...Object.keys(queueWorkers), ...Object.keys(scheduledWorkers)];
    const queries = queriesOf(web);

    expect(queries).toHaveLength(5);
    for (const { logs } of queries) {
      expect(names.filter((name) => !logs.some((log) => log.includes(`${pascalCase(name)}Logs`)))).toEqual([]);
      expect(logs.length).toBeLessThanOrEqual(50);
    }
  });

  it('show the id that finds Lambda’s own log lines of a request', () => {
    const one = queriesOf(made).find(({ text }) => text.includes("requestId = 'req_…'"))!;
    expect(one.text).toMatch(/fields .*awsRequestId/);
  });
});
