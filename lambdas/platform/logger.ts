import { nowMs } from './clock.ts';

/** Lines that have an alarm each, which finds them by these words. */
export const tripwires = {
  /** A provider reported more than its request could come to; it was charged at the bound. */
  usageBeyondHold: 'usage beyond the hold',
  /** A provider charged for something that the catalog has no price for. */
  unpricedUsage: 'unpriced usage',
} as const;

/** The same of the books. */
export const bookTripwires = {
  /** What was charged does not follow from the record of it. */
  unprovenRecord: 'record does not prove its price',
  /** Rows, counters or payments say different things. */
  booksDiffer: 'books differ',
  /** A day has not been compared or sealed twelve hours after that was begun. */
  booksLate: 'books are late',
  /** DynamoDB has begun an export of the table, and has not completed it. */
  exportFailed: 'export of the books failed',
} as const;

/** The same of a server. */
export const serverTripwires = {
  /** A revision of it takes requests, and its process ends before it could answer any. */
  notStarted: 'the server did not start',
} as const;

/** The same of the catalog. */
export const catalogTripwires = {
  /** The published catalog cannot be read, or is none: another one is in force. */
  publishedUnused: 'published catalog not used',
} as const;

/** The same of the deployment's secrets. */
export const secretTripwires = {
  /** Secrets Manager refuses one or does not answer, or it has no value that can be used. */
  secretUnread: 'secret not read',
  /** One is read, and a part of it is not what it should be. */
  secretFaulty: 'secret has a fault',
} as const;

/** What a log line may have. Prompts, answers, bodies and secrets have no field here, so they cannot be logged. */
export interface LogFields {
  requestId?: string;
  /** Lambda's own, by which its lines of one call are found. */
  awsRequestId?: string | undefined;
  generationId?: string;
  route?: string;
  worker?: string;
  /** The status that the client gets. */
  status?: number;
  /** The status that a provider answered with. */
  providerStatus?: number;
  /** Id of a queue's message. */
  messageId?: string;
  /** A short text written by us, or the name and code of an error; never text from a request or a provider. */
  reason?: string;
  accountId?: string;
  /** The beginning of the hash of the key that asked. */
  key?: string;
  /** The kind of a refusal or of a provider's failure, the field that it names, and the limit that had no room. */
  kind?: string;
  field?: string;
  limit?: string;
  /** A UTC day. */
  date?: string;
  model?: string;
  provider?: string;
  durationMs?: number;
  count?: number;
  attempt?: number;
  costRub?: string;
  leaseId?: string;
  /** How much more one side of a comparison has than the other. */
  differenceRub?: string;
  stack?: string;
}

type Level = 'info' | 'warn' | 'error';

/**
 * One JSON object a line on standard error, which Lambda ships to CloudWatch as it is. Lambda reads `level` and `timestamp` of a line; it
 * takes one without a timestamp that it knows for INFO, so that a log level above that would drop our errors.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
 */
export function log(level: Level, message: string, fields: LogFields = {}): void {
  const timestamp = new Date(nowMs()).toISOString();
  process.stderr.write(`${JSON.stringify({ timestamp, level, message, ...fields })}\n`);
}

/** The loggable part of an unknown error: its name and code, and where it was thrown; not its message. */
export function describeError(error: unknown): Pick<LogFields, 'reason' | 'stack'> {
  if (!(error instanceof Error)) return { reason: typeof error };
  const code = (error as { code?: unknown }).code;
  // A message of several lines may look like stack frames.
  const frames = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 6);
  return {
    reason: typeof code === 'string' ? `${error.name} ${code}` : error.name,
    stack: frames.map((line) => line.trim()).join(' < '),
  };
}
