import { nowMs } from '../../platform/clock.ts';
import { isRecord, numberOrNaN } from '../../platform/json/foreign-json.ts';
import type { UpstreamResponse } from '../http/upstream-http.ts';
import type { FaultKind } from './fault-rule.ts';
import type { StatedError } from './stated-error.ts';

/** Longest plausible wait. A greater number is a point in time in an unknown unit, or a provider's mistake. */
const MAX_WAIT_SECONDS = 31 * 24 * 60 * 60;
const MAX_WAIT_CHARACTERS = 64;
const MAX_MESSAGE_CHARACTERS = 2_000;
const DECIMAL = /^\d{1,13}(?:\.\d{1,12})?$/;
/** Matches one part of a duration: `1h`, `2m` or `3.5s` as in Go's format, or "30 seconds". */
const DURATION_PART =
  /(?:,|\band\b)?\s*(\d{1,12}(?:\.\d{1,12})?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])\s*/iy;
const MAX_DURATION_PARTS = 6;
const SECONDS_OF_UNITS: Record<string, number> = { d: 86_400, h: 3_600, m: 60, s: 1 };
/** Matches the words before a duration in a message, as in "try again in 1m30s" and "wait 30 s". */
const WAIT_WORDS = /\b(?:try again|retry|retrying|wait|resets?|available again)\b[^.\n\d]{0,40}(?=\d)/gi;
/**
 * Matches a time with its time zone, as in "resets at 2026-05-15T15:00:00Z"
 * (https://github.com/MiniMax-AI/MiniMax-M2.7/issues/36).
 */
const ZONED_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)/y;
/** Smallest number of seconds that is read as a point in time since 1970, and not as a duration. */
const FIRST_EPOCH = 1_000_000_000;
const RESET = /^(?:x-|anthropic-)?rate-?limit(?:bysize)?-(?:reset-([a-z-]+)|([a-z-]+)-reset|reset)$/;

type Headers = UpstreamResponse['headers'];

/**
 * Returns the wait that the provider requests, from the first of these sources that has one:
 * - the headers `retry-after-ms`, `x-ms-retry-after-ms` and `retry-after`
 * - a wait in the error body, or in headers that the body repeats
 * - after a rate limit, the headers with reset times
 * - after a rate limit or an overload, the error message
 * @returns seconds, rounded up; undefined without a plausible wait
 */
export function retryAfterSeconds(
  headers: Headers,
  { retryDelay, headers: relayed = {}, messages = [] }: Partial<StatedError> = {},
  fault?: FaultKind,
): number | undefined {
  const [isLimit, isPassing] = [fault === 'rate', fault === 'rate' || fault === 'overload'];
  return (
    headerWait(headers) ??
    sensible(delayOf(retryDelay)) ??
    headerWait(relayed) ??
    (isLimit ? (sensible(windowEnd(headers)) ?? sensible(windowEnd(relayed))) : undefined) ??
    (isPassing ? firstFound(messages, (message) => sensible(waitInMessage(message))) : undefined)
  );
}

function headerWait(headers: Headers): number | undefined {
  return (
    sensible(thousandth(headers['retry-after-ms'])) ??
    // Azure's API gateways, which operators may put in front of a model, send this header.
    sensible(thousandth(headers['x-ms-retry-after-ms'])) ??
    sensible(untilReset(headers['retry-after']))
  );
}

function firstFound(texts: readonly string[], read: (text: string) => number | undefined): number | undefined {
  return texts.map(read).find((value) => value !== undefined);
}

/** Returns the first wait in a message that follows words such as "try again in" or "resets at", in seconds. */
function waitInMessage(message: string): number | undefined {
  for (const found of message.slice(0, MAX_MESSAGE_CHARACTERS).matchAll(WAIT_WORDS)) {
    const start = found.index + found[0].length;
    ZONED_TIME.lastIndex = start;
    const seconds = durationAt(message, start)?.seconds ?? untilDate(ZONED_TIME.exec(message)?.[0] ?? '');
    if (seconds !== undefined) return seconds;
  }
  return undefined;
}

function sensible(seconds: number | undefined): number | undefined {
  if (seconds === undefined || !(seconds >= 0)) return undefined;
  const whole = Math.ceil(seconds);
  return whole <= MAX_WAIT_SECONDS ? whole : undefined;
}

function thousandth(value: unknown): number | undefined {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) / 1_000 : undefined;
}

function untilThen(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.length > MAX_WAIT_CHARACTERS) return undefined;
  const text = value.trim();
  if (DECIMAL.test(text)) return Number(text);
  return durationOf(text) ?? untilDate(text);
}

/** Returns the seconds until a date; 0 for a date in the past. */
function untilDate(text: string): number | undefined {
  const atMs = /[a-z]{3}|^\d{4}-\d\d-\d\d/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, (atMs - nowMs()) / 1_000);
}

/** Returns the seconds of a text that is only a duration; undefined for any other text. */
function durationOf(text: string): number | undefined {
  const duration = durationAt(text, 0);
  return duration?.end === text.length ? duration.seconds : undefined;
}

/** Returns the duration that begins at a position in a text, and the position after the duration. */
function durationAt(text: string, start: number): { seconds: number; end: number } | undefined {
  let [seconds, end] = [0, start];
  for (let count = 0; count < MAX_DURATION_PARTS; count += 1) {
    DURATION_PART.lastIndex = end;
    const part = DURATION_PART.exec(text);
    if (!part) break;
    seconds += Number(part[1]) * secondsOfUnit(part[2]!.toLowerCase());
    end += part[0].length;
  }
  return end === start ? undefined : { seconds, end };
}

function secondsOfUnit(unit: string): number {
  return unit === 'ms' || unit.startsWith('milli') ? 0.001 : SECONDS_OF_UNITS[unit[0]!]!;
}

/** Returns the seconds of a text such as "34.4s", of a number (as in `untilReset`), or of `seconds` and `nanos`. */
function delayOf(value: unknown): number | undefined {
  if (typeof value === 'number' || typeof value === 'string') return untilReset(String(value));
  if (!isRecord(value)) return undefined;
  const { seconds = 0, nanos = 0 } = value;
  const all = numberOrNaN(seconds) + numberOrNaN(nanos) / 1e9;
  return Number.isFinite(all) ? all : undefined;
}

/** Returns the seconds until the latest reset of the exhausted limits, or else until the earliest reset. */
function windowEnd(headers: Headers): number | undefined {
  const windows = Object.entries(headers).flatMap(([name, value]) => {
    const found = RESET.exec(name);
    const seconds = found ? untilReset(value) : undefined;
    return seconds === undefined ? [] : [{ seconds, isUsedUp: isNoneLeft(headers[remainingOf(name)]) }];
  });
  const usedUp = windows.filter(({ isUsedUp }) => isUsedUp).map(({ seconds }) => seconds);
  if (usedUp.length > 0) return Math.max(...usedUp);
  return windows.length > 0 ? Math.min(...windows.map(({ seconds }) => seconds)) : undefined;
}

function isNoneLeft(value: unknown): boolean {
  return typeof value === 'string' && /^0+(?:\.0*)?$/.test(value);
}

function remainingOf(resetHeader: string): string {
  return resetHeader.replace('reset', 'remaining');
}

/**
 * Returns the seconds until the time that a value states: a duration, a number of seconds, a date, or a time in seconds
 * or milliseconds since 1970.
 */
function untilReset(value: unknown): number | undefined {
  const seconds = untilThen(value);
  if (seconds === undefined || seconds < FIRST_EPOCH) return seconds;
  const atMs = seconds < FIRST_EPOCH * 1_000 ? seconds * 1_000 : seconds;
  return Math.max(0, (atMs - nowMs()) / 1_000);
}
