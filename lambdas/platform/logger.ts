import { nowMs } from './clock.ts';

/** Counters that alarms watch. */
export const metrics = {
  /** A provider told more than its request could come to. */
  usageBeyondHold: 'UsageBeyondHold',
  /** A provider charged for something that the catalog has no price for. */
  unpricedUsage: 'UnpricedUsage',
} as const;
export type Metric = (typeof metrics)[keyof typeof metrics];

export const METRIC_NAMESPACE = 'ModelGateway';

/** What may stand in a log line. Prompts, answers, bodies and secrets have no field here, so they cannot be logged. */
export interface LogFields {
  requestId?: string;
  generationId?: string;
  route?: string;
  worker?: string;
  status?: number;
  errorType?: string;
  /** A short text written by us, or the name and code of an error; never text from a request or a provider. */
  reason?: string;
  accountId?: string;
  /** A UTC day. */
  date?: string;
  model?: string;
  provider?: string;
  durationMs?: number;
  count?: number;
  attempt?: number;
  costRub?: string;
  stack?: string;
}

type Level = 'info' | 'warn' | 'error';

/** One JSON object a line on standard error, which Lambda ships to CloudWatch as it is. */
export function log(level: Level, message: string, fields: LogFields = {}): void {
  process.stderr.write(`${JSON.stringify({ time: new Date(nowMs()).toISOString(), level, message, ...fields })}\n`);
}

/** A log line that also counts: CloudWatch makes a metric of it, by the embedded metric format. */
export function logCounted(level: Level, metric: Metric, message: string, fields: LogFields = {}): void {
  const definition = {
    Timestamp: nowMs(),
    CloudWatchMetrics: [{ Namespace: METRIC_NAMESPACE, Dimensions: [[]], Metrics: [{ Name: metric, Unit: 'Count' }] }],
  };
  log(level, message, { ...fields, [metric]: 1, _aws: definition } as LogFields);
}

/** The loggable part of an unknown error: its name and code, and where it was thrown; not its message. */
export function describeError(error: unknown): Pick<LogFields, 'reason' | 'stack'> {
  if (!(error instanceof Error)) return { reason: typeof error };
  const code = (error as { code?: unknown }).code;
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 6);
  return {
    reason: typeof code === 'string' ? `${error.name} ${code}` : error.name,
    stack: frames.map((line) => line.trim()).join(' < '),
  };
}
