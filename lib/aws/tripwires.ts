import { Duration } from 'aws-cdk-lib';
import { FilterPattern, type LogGroup } from 'aws-cdk-lib/aws-logs';
import { alertTripwires, bookTripwires, catalogTripwires, secretTripwires } from '../../lambdas/platform/logger.ts';
import type { Alarms, AlarmText } from './alarms.ts';
import { pascalCase } from './pascal-case.ts';

/** Severity and runbook of the alarms, by the subject of the log lines. */
export const tripwireTexts = {
  alerts: { severity: 'Soon', runbook: 'Alerts that are not delivered' },
  books: { severity: 'Urgent', runbook: 'Books that differ' },
  catalog: { severity: 'Urgent', runbook: 'Catalog without a deployment' },
  secrets: { severity: 'Urgent', runbook: 'Secrets that cannot be used' },
  usage: { severity: 'Soon', runbook: 'Usage beyond the hold' },
} as const satisfies Record<string, Omit<AlarmText, 'says'>>;

const { unprovenRecord, booksDiffer, booksLate, exportFailed } = bookTripwires;
const comparisons = [[{ booksDiffer, booksLate }, tripwireTexts.books]] as const;

/** Log lines of workers that raise an alarm, with their texts, by the name of the worker. */
export const workerTripwires: Record<string, readonly (readonly [Record<string, string>, Tripwires['about']])[]> = {
  'roll-up-activity': [[{ unprovenRecord }, tripwireTexts.books]],
  'reconcile-days': comparisons,
  'seal-days': comparisons,
  'export-books': [[{ exportFailed }, tripwireTexts.books]],
  'send-alerts': [[alertTripwires, tripwireTexts.alerts]],
  // This worker reads catalog and provider keys every minute, so problems with either appear in its log early.
  'measure-endpoints': [
    [catalogTripwires, tripwireTexts.catalog],
    [secretTripwires, tripwireTexts.secrets],
  ],
};

export interface Tripwires {
  logs: LogGroup;
  namespace: string;
  /** Text of each log line, by name of the tripwire. */
  lines: Record<string, string>;
  about: Omit<AlarmText, 'says'>;
  /** Whether AWS wraps each of the gateway's log lines, as the field `message` of its own log line. */
  areWrapped?: boolean;
}

/**
 * Adds an alarm for each log line that needs an operator's attention, even if everything else works.
 * @param name function whose log is watched
 */
export function addTripwires(
  alarms: Alarms,
  name: string,
  { logs, namespace, lines, about, areWrapped }: Tripwires,
): void {
  for (const [tripwire, message] of Object.entries(lines)) {
    const id = `${pascalCase(name)}${tripwire[0]!.toUpperCase()}${tripwire.slice(1)}`;
    const filter = logs.addMetricFilter(id, {
      filterPattern: FilterPattern.stringValue('$.message', '=', areWrapped ? `*${message}*` : message),
      metricNamespace: namespace,
      metricName: id,
    });
    const text = { ...about, says: `The log line "${message}" was written.` };
    // Creates the alarm in the log's stack, because a template may have at most 500 resources.
    alarms.add(`${id}Alarm`, filter.metric({ period: Duration.minutes(5), statistic: 'Sum' }), text, logs.stack);
  }
}
