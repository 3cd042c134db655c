import * as z from 'zod';
import { describeError, log, type LogFields } from '../platform/logger.ts';

/** Different causes of one run that are logged. */
const MAX_CAUSES = 20;

/** Logs each different cause once, with how often it occurred: Lambda's own line of an AggregateError has none of them. */
export function logFailures(message: string, failures: readonly unknown[], about: LogFields): void {
  const byCause = Map.groupBy(failures.map(describeError), ({ reason, stack }) => `${reason} ${stack}`);
  for (const causes of [...byCause.values()].slice(0, MAX_CAUSES)) {
    log('error', message, { ...about, count: causes.length, ...causes[0] });
  }
}

/** The loggable part of an error about a message of a queue. The names of its fields are ours; their values are not logged. */
export function describeUnreadable(error: unknown): Pick<LogFields, 'reason' | 'stack'> {
  const described = describeError(error);
  if (!(error instanceof z.ZodError)) return described;
  return { ...described, reason: `ZodError at ${error.issues[0]?.path.join('.') || 'the whole message'}` };
}
