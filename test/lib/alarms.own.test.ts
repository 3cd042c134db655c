import { readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { measureBreak, measureRefusal } from '../../lambdas/http/failure-metrics.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import {
  alertTripwires,
  bookTripwires,
  catalogTripwires,
  log,
  secretTripwires,
  serverTripwires,
  tripwires,
} from '../../lambdas/platform/logger.ts';
import { writeMetrics, type EntryPoint } from '../../lambdas/platform/metrics.ts';
import { alarmOperator } from '../../lambdas/platform/operator-alarm.ts';
import { refusalOfResponse } from '../../lambdas/providers/failures.ts';
import type { QueueName, Route } from '../../lambdas/route.ts';
import { functions, queueWorkers, routes, scheduledWorkers } from '../../lambdas/routes.ts';
import { pascalCase } from '../../lib/aws/pascal-case.ts';
import {
  datapointsOf,
  endsWithoutData,
  notifies,
  type AlarmProperties,
  type Datapoint,
} from '../support/alarm-state.ts';
import { sharedSettings, synthesize, type Synthesized } from '../support/synthesized.ts';

const made: Record<string, Synthesized> = {};
beforeAll(() => {
  const concurrency = { 'gateway:concurrency': 1_000 };
  made['functions'] = synthesize(concurrency);
  made['web'] = synthesize(sharedSettings.server);
  made['without a canary'] = synthesize({ ...concurrency, 'gateway:canaryMinutes': 0 });
}, 300_000);

let written: string[];
beforeEach(() => {
  written = [];
  vi.stubEnv('METRICS_NAMESPACE', 'ModelGateway/prod');
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A value that AWS measures, or lines that are written to a log. */
type Cause =
  | { metric: string; of?: string; value: number; minutesAgo: number }
  | { logs: string; write: () => void; minutesAgo: number };

/** Causes that must raise an alarm, and similar causes that must not. */
interface Row {
  raise: Cause[];
  miss: Cause[];
}

const minutes = (count: number) => Array.from({ length: count }, (_, minutesAgo) => minutesAgo);
/**
 * Returns causes with a value in each of the last minutes.
 * @param of owner of the metric: a name, or the beginning of a logical id
 */
const measured = (metric: string, of: string | undefined, value: number, lasting = 1): Cause[] =>
  minutes(lasting).map((minutesAgo) => ({ metric, ...(of === undefined ? {} : { of }), value, minutesAgo }));
/** Returns causes that write log lines of a function, `times` times within a minute. */
const writes = (logs: string, write: () => void, times = 1): Cause[] =>
  Array.from({ length: times }, () => ({ logs, write, minutesAgo: 0 }));
/** Returns causes that write log lines of a spending function, in each of the last minutes. */
const writesLasting = (write: () => void, lasting: number): Cause[] =>
  minutes(lasting).map((minutesAgo) => ({ logs: 'CreateMessage', write, minutesAgo }));

const ourFault = new GatewayError('server', 'Something went wrong');
const ofProvider = (status: number) =>
  refusalOfResponse({ status, headers: {} }, '{"message":"Busy"}', {
    id: 'one',
    name: 'One',
    baseUrl: 'https://one.example',
    credential: undefined,
  });
const refused = (refusal: GatewayError, door: EntryPoint) => () => measureRefusal(refusal, door);

/** Returns two failures of providers in each of ten minutes. */
const ofProviders = (door: EntryPoint) =>
  [503, 504].flatMap((status) => writesLasting(refused(ofProvider(status), door), 10));

/** The tuple has AWS's names of the metrics of requests and failures, and the owner of both metrics. */
function doorRow(door: EntryPoint, [requests, failures, of]: [string, string, string]): Row {
  const failing = [...measured(requests, of, 20, 10), ...measured(failures, of, 2, 10)];
  return {
    // Failures of providers at another entry point must not prevent the alarm.
    raise: [...failing, ...ofProviders(door === 'api' ? 'url' : 'api')],
    miss: [...failing, ...ofProviders(door)],
  };
}

function tripwireRows(name: string, lines: Record<string, string>, isWrapped = false): [string, Row][] {
  const id = pascalCase(name);
  return Object.entries(lines).map(([tripwire, words]) => {
    const line = isWrapped ? `stderr: {"message":"${words}"}` : words;
    return [
      `${id}${tripwire[0]!.toUpperCase()}${tripwire.slice(1)}Alarm`,
      {
        raise: writes(id, () => log('error', line)),
        miss: [...writes(id, () => log('error', 'request failed')), ...writes('ListModels', () => log('error', line))],
      },
    ];
  });
}

function queueRows(name: QueueName): [string, Row][] {
  const id = pascalCase(name);
  const { lateAfterSeconds: late } = queueWorkers[name];
  const age = (seconds: number, lasting: number) =>
    measured('ApproximateAgeOfOldestMessage', `${id}Queue`, seconds, lasting);
  const visible = 'ApproximateNumberOfMessagesVisible';
  return [
    [
      `${id}DeadLettersAlarm`,
      { raise: measured(visible, `${id}DeadLetters`, 1), miss: measured(visible, `${id}Queue`, 1) },
    ],
    // Neither one late minute nor exactly the allowed wait raises the alarm.
    [`${id}AgeAlarm`, { raise: age(late + 1, 2), miss: [...age(late + 1, 1), ...age(late, 2)] }],
  ];
}

function scheduleRows(name: string): [string, Row][] {
  const id = pascalCase(name);
  const errors = (count: number) => measured('Errors', `${id}Function`, 1, count);
  return [
    [`${id}ErrorsAlarm`, { raise: errors(3), miss: errors(2) }],
    // One run of the worker within ten minutes is enough to prevent this alarm.
    [`${id}SilenceAlarm`, { raise: [], miss: measured('Invocations', `${id}Function`, 1) }],
  ];
}

const liveRow = (id: string): [string, Row] => [
  `${id}LiveErrorsAlarm`,
  {
    raise: measured('Errors', `${id}Function`, 1, 3),
    miss: [...measured('Errors', `${id}Function`, 1, 2), ...measured('Errors', 'GetKeyFunction', 9)],
  },
];

/** Ten throttled calls twice within fifteen minutes raise the alarm, but very many calls once do not. */
const throughputRows = (metric: string): [string, Row][] =>
  [
    ['Table', 'TableName'],
    ['Index', 'GlobalSecondaryIndexName'],
  ].map(([owner, dimension]) => [
    `${owner}${metric}Alarm`,
    { raise: measured(metric, dimension, 2, 10), miss: measured(metric, dimension, 2_000, 5) },
  ]);

/** @param name a function that the alarm watches */
const throttlesRow = (name: string): Row => ({
  raise: measured('Throttles', `${name}Function`, 2, 10),
  // Very many throttled calls once, or throttling of another function, raise no alarm.
  miss: [...measured('Throttles', `${name}Function`, 2_000, 5), ...measured('Throttles', 'GetKeyFunction', 9, 10)],
});

const { unprovenRecord, booksDiffer, booksLate, exportFailed } = bookTripwires;
const asking = Object.entries<Route>(routes).flatMap(([name, { callsProviders }]) => (callsProviders ? [name] : []));

/** Causes by the alarm's id. */
const rows: Record<string, Row> = {
  ApiErrors: doorRow('api', ['Count', '5XXError', 'model-gateway-prod']),
  FunctionUrlErrors: doorRow('url', ['UrlRequestCount', 'Url5xxCount', 'CreateMessageFunction']),
  FaultsAlarm: {
    // It makes no difference whether the answer had begun.
    raise: [
      ...writes('CreateMessage', refused(ourFault, 'api'), 2),
      ...writes('CreateMessage', () => measureBreak(new TypeError('a bug'), 'url')),
    ],
    miss: [
      ...writes('CreateMessage', refused(ourFault, 'api'), 2),
      ...writes('CreateMessage', () => measureBreak(ofProvider(503), 'api'), 9),
      ...writes('CreateMessage', refused(ofProvider(500), 'api'), 9),
    ],
  },
  SettlementFailedAlarm: {
    raise: writes('FinalizeCost', () => writeMetrics({ SettlementFailed: 3 })),
    miss: writes('FinalizeCost', () => writeMetrics({ SettlementFailed: 2, Corrected: 5 })),
  },
  OperatorNeededAlarm: {
    raise: writes('AdvanceVideos', () => alarmOperator({ fault: 'catalog' }, { provider: 'one' })),
    miss: [
      ...writes('CreateMessage', () => alarmOperator({ fault: 'overload' }, { provider: 'one' }), 9),
      ...writes('CreateMessage', refused(ofProvider(503), 'api'), 9),
    ],
  },
  ServerFaultsAlarm: {
    raise: writes('Server', refused(ourFault, 'web'), 3),
    miss: [...writes('Server', refused(ourFault, 'web'), 2), ...writes('CreateMessage', refused(ourFault, 'api'), 9)],
  },
  SpendingThrottlesAlarm: throttlesRow('CreateMessage'),
  SpendingThrottlesAlarm2: throttlesRow('CreateVideo'),
  WorkerThrottlesAlarm: throttlesRow('FinalizeCost'),
  WorkerThrottlesAlarm2: throttlesRow('SendAlerts'),
  ConcurrencyAlarm: {
    raise: measured('ClaimedAccountConcurrency', undefined, 800, 3),
    miss: measured('ClaimedAccountConcurrency', undefined, 999, 2),
  },
  TableConflictsAlarm: {
    raise: measured('TransactionConflict', 'TableName', 600, 10),
    miss: measured('TransactionConflict', 'TableName', 6_000, 5),
  },
  ...Object.fromEntries([
    ...Object.keys(functions).flatMap((name) => (functions[name]!.changesGradually ? [liveRow(pascalCase(name))] : [])),
    ...['WriteThrottleEvents', 'ReadThrottleEvents'].flatMap(throughputRows),
    ...(Object.keys(queueWorkers) as QueueName[]).flatMap(queueRows),
    ...Object.keys(scheduledWorkers).flatMap(scheduleRows),
    ...tripwireRows('roll-up-activity', { unprovenRecord }),
    ...['reconcile-days', 'seal-days'].flatMap((name) => tripwireRows(name, { booksDiffer, booksLate })),
    ...tripwireRows('send-alerts', alertTripwires),
    ...tripwireRows('export-books', { exportFailed }),
    ...tripwireRows('measure-endpoints', { ...catalogTripwires, ...secretTripwires }),
    ...tripwireRows('create-message', secretTripwires),
    ...asking.flatMap((name) => tripwireRows(name, tripwires)),
    ...tripwireRows('server', { ...tripwires, ...serverTripwires }, true),
  ]),
};

const alarmsOf = (template: Template) =>
  Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => ({
    id: id.replace(/[0-9A-F]{8}$/, ''),
    alarm: Properties as AlarmProperties,
  }));

/**
 * Returns the datapoints of a cause. AWS uses names that only a deployment has, so a cause matches each metric whose
 * dimensions contain its owner.
 */
function measuredByAws(alarm: AlarmProperties, cause: Extract<Cause, { metric: string }>): Datapoint[] {
  const { metric, of, value, minutesAgo } = cause;
  const looked = alarm.Metrics?.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []) ?? [alarm];
  return looked
    .filter(({ MetricName }) => MetricName === metric)
    .filter(({ Dimensions = [] }) =>
      of === undefined ? Dimensions.length === 0 : JSON.stringify(Dimensions).includes(`"${of}`),
    )
    .map(({ Namespace: namespace, Dimensions = [] }) => {
      const dimensions = Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value]));
      return { namespace, metric, dimensions, value, minutesAgo };
    });
}

function datapoints(causes: Cause[], alarm: AlarmProperties, template: Template): Datapoint[] {
  return causes.flatMap((cause) => {
    if ('metric' in cause) return measuredByAws(alarm, cause);
    written = [];
    cause.write();
    const { minutesAgo, logs } = cause;
    return written.flatMap((line) => datapointsOf(line, logs, template)).map((point) => ({ ...point, minutesAgo }));
  });
}

describe.each(['functions', 'web', 'without a canary'])('the alarms of a deployment: %s', (name) => {
  it('are raised by their failure, and not by similar harmless data', () => {
    const { api } = made[name]!;
    const states = alarmsOf(api).map(({ id, alarm }) => {
      const row = rows[id];
      const state = (causes: Cause[] | undefined) => causes && notifies(alarm, datapoints(causes, alarm, api));
      return { id, raised: state(row?.raise), missed: state(row?.miss) };
    });

    expect(states.filter(({ raised, missed }) => raised !== true || missed !== false)).toEqual([]);
  });

  it('all end when their metrics have no more values', () => {
    expect(alarmsOf(made[name]!.api).filter(({ alarm }) => !endsWithoutData(alarm))).toEqual([]);
  });

  it('all have a row in this file', () => {
    const { api, data } = made[name]!;
    const expected = Object.keys(rows).filter((id) => name === 'web' || !id.startsWith('Server'));
    expect([...alarmsOf(api), ...alarmsOf(data)].map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  });

  it('name their urgency and an existing section of the runbook', () => {
    const headings = [...readFileSync('docs/operations/alarms.md', 'utf8').matchAll(/^#+ (.+)$/gm)].map(
      ([, text]) => text!,
    );
    for (const { alarm } of alarmsOf(made[name]!.api)) {
      const parts = /^(?:Urgent|Soon): .+\. Runbook: docs\/operations\/alarms\.md, "(.+)"\.$/s.exec(
        alarm.AlarmDescription,
      );
      expect(headings).toContain(parts?.[1]);
    }
  });
});
