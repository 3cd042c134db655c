import { Duration } from 'aws-cdk-lib';
import { FilterPattern, type LogGroup } from 'aws-cdk-lib/aws-logs';
import { alertTripwires, bookTripwires, catalogTripwires, secretTripwires } from '../../lambdas/platform/logger.ts';
import type { Alarms, AlarmText } from './alarms.ts';
import { pascalCase } from './pascal-case.ts';

export const tripwireTexts = {
  alerts: { severity: 'Soon', runbook: 'Alerts that are not delivered' },
  books: { severity: 'Urgent', runbook: 'Books that differ' },
  catalog: { severity: 'Urgent', runbook: 'Catalog without a deployment' },
  secrets: { severity: 'Urgent', runbook: 'Secrets that cannot be used' },
  usage: { severity: 'Soon', runbook: 'Usage beyond the hold' },
} as const satisfies Record<string, Omit<AlarmText, 'says'>>;

const { unprovenRecord, booksDiffer, booksLate, exportFailed } = bookTripwires;
const comparisons = [[{ booksDiffer, booksLate }, tripwireTexts.books]] as const;

export const workerTripwires: Record<string, readonly (readonly [Record<string, string>, Tripwires['about']])[]> = {
  'roll-up-activity': [[{ unprovenRecord }, tripwireTexts.books]],
  'reconcile-days': comparisons,
  'seal-days': comparisons,
  'export-books': [[{ exportFailed }, tripwireTexts.books]],
  'send-alerts': [[alertTripwires, tripwireTexts.alerts]],
  // This worker reads the catalog and provider keys every minute, so its log shows problems with them early.
  'measure-endpoints': [
    [catalogTripwires, tripwireTexts.catalog],
    [secretTripwires, tripwireTexts.secrets],
  ],
};

export interface Tripwires {
  logs: LogGroup;
  namespace: string;
  lines: Record<string, string>;
  about: Omit<AlarmText, 'says'>;
  /** Whether the log has lines of AWS that contain the gateway's lines in the field `message`. */
  areWrapped?: boolean;
}

/** Adds an alarm for each of the given log lines. */
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
    // A template may have at most 500 resources, so the alarm is in the log's stack.
    alarms.add(`${id}Alarm`, filter.metric({ period: Duration.minutes(5), statistic: 'Sum' }), text, logs.stack);
  }
}
