import * as z from 'zod';
import { describeError, log, type LogFields } from '../platform/logger.ts';

/** Maximum number of different causes that one run logs. */
const MAX_CAUSES = 20;

/**
 * Logs each different cause once, up to `MAX_CAUSES` causes, with the number of its occurrences: Lambda's own log line
 * for an AggregateError does not contain the causes.
 */
export function logFailures(message: string, failures: readonly unknown[], about: LogFields): void {
  const byCause = Map.groupBy(failures.map(describeError), ({ reason, stack }) => `${reason} ${stack}`);
  for (const causes of [...byCause.values()].slice(0, MAX_CAUSES)) {
    log('error', message, { ...about, count: causes.length, ...causes[0] });
  }
}

/** Describes an error about a queue message without the message's values, which must not be logged. */
export function describeUnreadable(error: unknown): Pick<LogFields, 'reason' | 'stack'> {
  const described = describeError(error);
  if (!(error instanceof z.ZodError)) return described;
  return { ...described, reason: `ZodError at ${error.issues[0]?.path.join('.') || 'the whole message'}` };
}
