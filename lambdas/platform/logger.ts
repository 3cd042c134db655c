import { nowMs } from './clock.ts';

/** Log messages with an alarm each, which matches this text. */
export const tripwires = {
  /** A provider reported more than the bound of its request; the bound was charged. */
  usageBeyondHold: 'usage beyond the hold',
  /** A provider charged for something that the catalog has no price for. */
  unpricedUsage: 'unpriced usage',
} as const;

/** The same for the books. */
export const bookTripwires = {
  /** The charge does not follow from its record. */
  unprovenRecord: 'record does not prove its price',
  /** Rows, counters or payments disagree. */
  booksDiffer: 'books differ',
  /** A day has not been compared or sealed twelve hours after that was started. */
  booksLate: 'books are late',
  /** DynamoDB has started an export of the table, but has not completed it. */
  exportFailed: 'export of the books failed',
} as const;

/** The same for a server. */
export const serverTripwires = {
  /** A revision receives requests, but its process ends before it can answer any. */
  notStarted: 'the server did not start',
} as const;

/** The same for the catalog. */
export const catalogTripwires = {
  /** The published catalog is unreadable or invalid, so another one is in use. */
  publishedUnused: 'published catalog not used',
} as const;

/** The same for the deployment's secrets. */
export const secretTripwires = {
  /** Secrets Manager refuses a secret or does not respond, or the secret has no usable value. */
  secretUnread: 'secret not read',
  /** A secret was read, but a part of it is wrong. */
  secretFaulty: 'secret has a fault',
} as const;

/**
 * The possible fields of a log line. Prompts, answers, bodies and secrets have no field here, so they cannot be logged.
 */
export interface LogFields {
  requestId?: string;
  /** Lambda's own request id, which finds its lines of one call. */
  awsRequestId?: string | undefined;
  generationId?: string;
  route?: string;
  worker?: string;
  /** The status that the client gets. */
  status?: number;
  /** The status of a provider's response. */
  providerStatus?: number;
  /** Id of a queue's message. */
  messageId?: string;
  /** A short text written by us, or the name and code of an error; never text from a request or a provider. */
  reason?: string;
  accountId?: string;
  /** The beginning of the hash of the request's key. */
  key?: string;
  /** The kind of a refusal or of a provider's failure, the field that it names, and the limit without room. */
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
  /** The difference between the two sides of a comparison. */
  differenceRub?: string;
  stack?: string;
}

type Level = 'info' | 'warn' | 'error';

/**
 * Writes one JSON object per line to standard error, which Lambda sends to CloudWatch unchanged. Lambda reads `level`
 * and `timestamp` of a line. It treats a line without a recognized timestamp as INFO, so a higher log level would drop
 * our errors.
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
