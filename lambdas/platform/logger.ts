import { nowMs } from './clock.ts';
import { sourceFrame } from './source-frames.ts';

/** Log messages that raise an alarm. */
export const tripwires = {
  /**
   * A provider reported more usage than the maximum that the gateway had calculated for the request, or the limits had
   * no room for the cost. The client was charged only the maximum, or the amount with room.
   */
  usageBeyondHold: 'usage beyond the hold',
  /** A provider reported usage that has no price in the catalog. */
  unpricedUsage: 'unpriced usage',
} as const;

/** Log messages about the books that raise an alarm. */
export const bookTripwires = {
  /** The charge in a record does not follow from the record's other fields. */
  unprovenRecord: 'record does not prove its price',
  /** Sums of usage, counters or payments disagree with the records. */
  booksDiffer: 'books differ',
  /** A day was not compared or sealed in time. */
  booksLate: 'books are late',
  /** DynamoDB started an export of the table, and the export failed. */
  exportFailed: 'export of the books failed',
} as const;

/** Log messages of a server process that raise an alarm. */
export const serverTripwires = {
  /** A server process ended before it could answer requests. */
  notStarted: 'the server did not start',
} as const;

/** Log messages about the catalog that raise an alarm. */
export const catalogTripwires = {
  /** The published catalog is unreadable or invalid, so an earlier or the deployed catalog is in use. */
  publishedUnused: 'published catalog not used',
} as const;

export const secretTripwires = {
  /** Secrets Manager rejected the read of a secret or did not respond, or the secret has no usable value. */
  secretUnread: 'secret not read',
  /** A secret was read, but a part of it is invalid. */
  secretFaulty: 'secret has a fault',
} as const;

export const alertTripwires = {
  /** SNS did not accept an e-mail at any attempt of a day. */
  mailsFail: 'e-mail about an alert not accepted for a day',
} as const;

/**
 * Possible fields of a log line. There is no field for prompts, answers, bodies or secrets, so that no code logs them
 * by mistake.
 */
export interface LogFields {
  requestId?: string;
  /** Lambda's own id of the invocation. */
  awsRequestId?: string | undefined;
  generationId?: string;
  route?: string;
  worker?: string;
  status?: number;
  /** HTTP status of a provider's response. */
  providerStatus?: number;
  /** Id that a provider gave to a request, for its support. */
  providerRequestId?: string;
  messageId?: string;
  /**
   * Short text from the gateway's code, or the name and code of an error. It must contain no text of a request or an
   * answer.
   */
  reason?: string;
  accountId?: string;
  /** First characters of the hash of the request's key. */
  key?: string;
  /** Kind of the error that a client got, or of a provider's failure. */
  kind?: string;
  field?: string;
  limit?: string;
  date?: string;
  model?: string;
  provider?: string;
  durationMs?: number;
  count?: number;
  attempt?: number;
  costRub?: string;
  leaseId?: string;
  deliveryId?: string;
  /** Difference between the two sides of a comparison, in RUB. */
  differenceRub?: string;
  stack?: string;
}

type Level = 'info' | 'warn' | 'error';

/**
 * Writes one JSON object per line to standard error, which Lambda passes to CloudWatch unchanged. If Lambda cannot read
 * the timestamp, it treats the line as INFO, and may drop it.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
 */
export function log(level: Level, message: string, fields: LogFields = {}): void {
  const timestamp = new Date(nowMs()).toISOString();
  process.stderr.write(`${JSON.stringify({ timestamp, level, message, ...fields })}\n`);
}

/**
 * Returns the log fields of an unknown error: its name and code, and where it was thrown. The message is omitted,
 * because it may contain text from a request.
 */
export function describeError(error: unknown): Pick<LogFields, 'reason' | 'stack'> {
  if (!(error instanceof Error)) return { reason: typeof error };
  const code = (error as { code?: unknown }).code;
  // The message is removed first, because some of its lines may look like lines of the stack.
  const frames = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 6);
  return {
    reason: typeof code === 'string' ? `${error.name} ${code}` : error.name,
    stack: frames.map((line) => sourceFrame(line.trim())).join(' < '),
  };
}
