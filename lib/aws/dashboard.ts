import type { Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  LogQueryWidget,
  MathExpression,
  PeriodOverride,
  TextWidget,
  type IMetric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { QueryDefinition, QueryString, type LogGroup } from 'aws-cdk-lib/aws-logs';
import type { MetricDimension, MetricsBy } from '../../lambdas/platform/metrics.ts';
import type { QueueName } from '../../lambdas/route.ts';
import { queueWorkers, routes, scheduledWorkers } from '../../lambdas/routes.ts';
import type { Route } from '../../lambdas/route.ts';
import type { GatewayFunction } from './gateway-function.ts';
import type { GatewayTable } from './data-stack.ts';
import { metricPeriod, ownMetric } from './own-metrics.ts';
import { pascalCase } from './pascal-case.ts';
import type { WorkerQueue } from './worker-queue.ts';

interface Watched {
  namespace: string;
  table: GatewayTable;
  queues: Record<QueueName, WorkerQueue>;
  functions: Readonly<Record<string, GatewayFunction>>;
  serverLogs?: LogGroup | undefined;
}

const WIDGET_WIDTH = 8;

/** Creates the dashboard for the person on call. */
export function createDashboard(stack: Stack, watched: Watched): Dashboard {
  const dashboard = new Dashboard(stack, 'Dashboard', { periodOverride: PeriodOverride.AUTO });
  dashboard.addWidgets(
    new TextWidget({
      width: 3 * WIDGET_WIDTH,
      height: 2,
      markdown:
        'Amounts on this page are rounded (floating point). The exact books are in the table (docs/billing.md). Runbooks: docs/operations/alarms.md.',
    }),
  );
  const rows = [moneyRow(watched), clientRow(watched), workRow(watched), waitingRow(watched), saturationRow(watched)];
  for (const row of rows) dashboard.addWidgets(...row.map(([title, ...left]) => graph(title, left)));
  if (watched.serverLogs) dashboard.addWidgets(serverFailures(watched.serverLogs));
  addQueries(stack, watched);
  return dashboard;
}

type Graph = [title: string, ...metrics: IMetric[]];

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: WIDGET_WIDTH, height: 6, period: metricPeriod });
}

function own({ namespace }: Watched, metricName: MetricsBy<'all'>, statistic = 'Sum'): IMetric {
  return ownMetric(namespace, metricName, statistic).with({ label: `${metricName} ${statistic}` });
}

/**
 * Returns an expression that finds a metric for each value of a dimension. In a search, CloudWatch requires double
 * quotes around a namespace that contains a slash.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
 */
function split<By extends MetricDimension>(
  { namespace }: Watched,
  { name, by, statistic = 'Sum' }: { name: MetricsBy<By>; by: By; statistic?: string },
): MathExpression {
  const search = `{"${namespace}",${by}} MetricName="${name}"`;
  return new MathExpression({
    expression: `SEARCH('${search}', '${statistic}', ${metricPeriod.toSeconds()})`,
    label: '',
    period: metricPeriod,
  });
}

/** Lists failures of the gateway itself; the 5xx metric of AWS also counts failures of providers. */
function serverFailures(logs: LogGroup): LogQueryWidget {
  const { fields, filter } = queries['Failures of ours'];
  const queryString = new QueryString({ fields, filterStatements: [filter], sort: NEWEST_FIRST, limit: 20 });
  const logGroupNames = [logs.logGroupName];
  return new LogQueryWidget({
    title: 'Failures of the gateway in the server',
    logGroupNames,
    queryString: queryString.toString(),
    width: 3 * WIDGET_WIDTH,
    height: 6,
  });
}

function moneyRow(watched: Watched): Graph[] {
  return [
    ['Charged, and held at the end, in RUB', own(watched, 'CostRub'), own(watched, 'HeldRub')],
    [
      'Generations that became final',
      own(watched, 'Settled'),
      own(watched, 'Corrected'),
      own(watched, 'Estimated'),
      own(watched, 'Capped'),
    ],
    [
      'Settlement: holds swept, failures, and differences in RUB',
      own(watched, 'Swept'),
      own(watched, 'SettlementFailed'),
      own(watched, 'DriftRub'),
    ],
  ];
}

function clientRow(watched: Watched): Graph[] {
  return [
    ['First event, by provider, p95', split(watched, { name: 'FirstEventMs', by: 'provider', statistic: 'p95' })],
    [
      'The gateway’s own time before a provider has the request',
      own(watched, 'OverheadMs', 'p50'),
      own(watched, 'OverheadMs', 'p95'),
    ],
    ['Refused, by kind', split(watched, { name: 'Refused', by: 'kind' })],
    [
      'Faults of the gateway, and failures of providers, by entry point',
      own(watched, 'Faults'),
      split(watched, { name: 'Faults', by: 'door' }),
      split(watched, { name: 'ProviderFailed', by: 'door' }),
    ],
    [
      'Requests rejected because of the operator’s account, and dropped reasoning, by provider',
      own(watched, 'OperatorNeeded'),
      split(watched, { name: 'OperatorNeeded', by: 'provider' }),
      split(watched, { name: 'ReasoningDropped', by: 'provider' }),
    ],
    ['Answers that a provider broke off', split(watched, { name: 'BrokeOff', by: 'provider' })],
  ];
}

function workRow(watched: Watched): Graph[] {
  return [
    ['Tokens', own(watched, 'InputTokens'), own(watched, 'OutputTokens')],
    [
      'From the first event to the end, by provider, p95',
      split(watched, { name: 'AnswerMs', by: 'provider', statistic: 'p95' }),
    ],
    ['Generations, by provider', split(watched, { name: 'Settled', by: 'provider' })],
  ];
}

function waitingRow(watched: Watched): Graph[] {
  const { queues, functions } = watched;
  const ages = Object.entries(queues).map(([name, { queue }]) =>
    queue.metricApproximateAgeOfOldestMessage({ period: metricPeriod, label: name }),
  );
  const dead = Object.entries(queues).map(([name, { deadLetters }]) =>
    deadLetters.metricApproximateNumberOfMessagesVisible({ period: metricPeriod, statistic: 'Maximum', label: name }),
  );
  const workers = [...Object.keys(queueWorkers), ...Object.keys(scheduledWorkers)];
  const errors = workers.map((name) => functions[name]!.lambda.metricErrors({ period: metricPeriod, label: name }));
  return [
    ['From message to settlement, p95', own(watched, 'SettlementLagMs', 'p95'), ...ages],
    ['Dead letters', ...dead],
    ['Errors of workers', ...errors],
  ];
}

function saturationRow(watched: Watched): Graph[] {
  const { table, functions } = watched;
  const sum = { period: metricPeriod, statistic: 'Sum' };
  const spending = Object.entries<Route>(routes).filter(([, { inference }]) => inference);
  return [
    [
      'Table: throttled, and conflicts',
      table.metric('WriteThrottleEvents', sum),
      table.metric('ReadThrottleEvents', sum),
      table.metric('TransactionConflict', sum),
      own(watched, 'Conflicts'),
    ],
    [
      'Lambda: concurrent executions, and throttled requests',
      ...spending.flatMap(([name]) => {
        const { lambda } = functions[name]!;
        const concurrent = lambda.metric('ConcurrentExecutions', {
          period: metricPeriod,
          statistic: 'Maximum',
          label: name,
        });
        return [concurrent, lambda.metricThrottles({ period: metricPeriod, label: `${name} throttled` })];
      }),
    ],
    [
      'Duration, p95',
      ...spending.map(([name]) =>
        functions[name]!.lambda.metricDuration({ period: metricPeriod, statistic: 'p95', label: name }),
      ),
    ],
  ];
}

interface SavedQuery {
  fields: string[];
  filter: string;
  sort?: string;
}

const NEWEST_FIRST = '@timestamp desc';

const queries = {
  'Failures of ours': {
    fields: ['@timestamp', 'route', 'worker', 'message', 'reason', 'requestId', 'awsRequestId', 'stack'],
    filter: "level = 'error'",
  },
  'One request': {
    fields: ['@timestamp', '@log', 'message', 'status', 'reason', 'durationMs', 'generationId', 'awsRequestId'],
    filter: "requestId = 'req_…'",
  },
  'Refusals of a key': {
    fields: ['@timestamp', 'route', 'status', 'kind', 'field', 'limit'],
    filter: "key = '…' and status >= 400",
  },
  'Slowest requests': {
    fields: ['@timestamp', 'route', 'durationMs', 'requestId'],
    filter: "message = 'request'",
    sort: 'durationMs desc',
  },
  'Failures of providers': {
    fields: ['@timestamp', 'provider', 'model', 'message', 'reason'],
    filter: 'ispresent(provider)',
  },
} satisfies Record<string, SavedQuery>;

/** Maximum number of log groups that one query can read. */
const MAX_LOG_GROUPS = 50;

function routesWhere(isWanted: (route: Route) => boolean): string[] {
  return Object.entries<Route>(routes).flatMap(([name, route]) => (isWanted(route) ? [name] : []));
}

/**
 * Returns the logs that the saved queries read, the most important first. A query can read fewer log groups than there
 * are functions, so some logs may be missing.
 */
function queriedLogs({ functions, serverLogs }: Watched): LogGroup[] {
  const names = [
    ...routesWhere(({ inference }) => inference === true),
    ...Object.keys(queueWorkers),
    ...Object.keys(scheduledWorkers),
    ...routesWhere(({ credential, method }) => credential === 'management' && method !== 'GET'),
    ...routesWhere(({ credential }) => credential === 'management'),
    ...routesWhere(
      ({ credential, entry }) => credential !== 'none' && !/\/(?:estimate|count-[a-z-]+)\.ts$/.test(entry),
    ),
    ...Object.keys(functions),
  ];
  const logs = [...new Set(names)].map((name) => functions[name]!.logs);
  return [...(serverLogs ? [serverLogs] : []), ...logs].slice(0, MAX_LOG_GROUPS);
}

function addQueries(stack: Stack, watched: Watched): void {
  const logGroups = queriedLogs(watched);
  for (const [name, { fields, filter, sort = NEWEST_FIRST }] of Object.entries<SavedQuery>(queries)) {
    new QueryDefinition(stack, `${pascalCase(name.toLowerCase().replaceAll(' ', '-'))}Query`, {
      queryDefinitionName: `${stack.stackName}/${name}`,
      queryString: new QueryString({ fields, filterStatements: [filter], sort, limit: 100 }),
      logGroups,
    });
  }
}
