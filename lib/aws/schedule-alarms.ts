import { Duration, type Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Alarms } from './alarms.ts';
import { pascalCase } from './pascal-case.ts';

const eachMinute = { period: Duration.minutes(1), statistic: 'Sum' };
const eachFiveMinutes = { period: Duration.minutes(5), statistic: 'Sum' };
const SILENT_MINUTES = 10;

/** Adds the alarms of a scheduled worker: it keeps failing, or does not run. */
export function addScheduleAlarms(alarms: Alarms, name: string, lambda: IFunction, template: Stack): void {
  const about = { severity: 'Soon', runbook: 'Scheduled workers' } as const;
  const errors = { ...about, threshold: 3, says: `${name} keeps failing.` };
  alarms.add(`${pascalCase(name)}ErrorsAlarm`, lambda.metricErrors(eachFiveMinutes), errors, template);
  const silence = { ...about, evaluationPeriods: SILENT_MINUTES, says: `${name} does not run anymore.` };
  alarms.addForSilence(`${pascalCase(name)}SilenceAlarm`, lambda.metricInvocations(eachMinute), silence, template);
}
