import { Duration } from 'aws-cdk-lib';
import { FilterPattern, type LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Alarms, AlarmText } from './alarms.ts';
import { pascalCase } from './pascal-case.ts';

export interface Tripwires {
  logs: LogGroup;
  namespace: string;
  /** The words of each line, by a name for its metric. */
  lines: Record<string, string>;
  about: Omit<AlarmText, 'says'>;
  /** Whether AWS puts a line of ours into the message of a line of its own. */
  areWrapped?: boolean;
}

/**
 * Alarms for lines of a log that a person must look at, even if all else goes well.
 * @param name whose log it is
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
    const words = { ...about, says: `The log line "${message}" was written.` };
    // Beside its log: a template takes 500 resources.
    alarms.add(`${id}Alarm`, filter.metric({ period: Duration.minutes(5), statistic: 'Sum' }), words, logs.stack);
  }
}
