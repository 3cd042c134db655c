/** Reads how many seconds a provider requests to wait before a retry. */

import { nowMs } from '../../platform/clock.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import type { UpstreamResponse } from '../http/upstream-http.ts';

/** Longest plausible wait. A greater number is a date in an unknown unit, or an error. */
const MAX_WAIT_SECONDS = 31 * 24 * 60 * 60;
const MAX_WAIT_CHARACTERS = 64;
const DECIMAL = /^\d{1,13}(?:\.\d{1,12})?$/;
/** Matches a duration in Go's format, such as `1h2m3.5s` or `120ms`. */
const DURATION =
  /^(?=\d)(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,8})m(?!s))?(?:(\d{1,10}(?:\.\d{1,12})?)s)?(?:(\d{1,12}(?:\.\d{1,12})?)ms)?$/;
const UNIT_SECONDS = [86_400, 3_600, 60, 1, 0.001];
/** Greater numbers of seconds are points in time, counted from 1970. */
const FIRST_EPOCH = 1_000_000_000;
const RESET = /^(?:x-|anthropic-)?ratelimit-(?:reset-([a-z-]+)|([a-z-]+)-reset|reset)$/;

type Headers = UpstreamResponse['headers'];

/**
 * Returns the wait that the provider requests. The first of these sources applies: `retry-after-ms`; `retry-after`
 * (seconds, fractions, an HTTP date); a RetryInfo in the body; after a rate limit, the reset times of the limits.
 * @returns seconds, rounded up; undefined without a source
 */
export function retryAfterSeconds(headers: Headers, retryDelay: unknown, isRateLimit: boolean): number | undefined {
  return (
    sensible(thousandth(headers['retry-after-ms'])) ??
    sensible(untilThen(headers['retry-after'])) ??
    sensible(delayOf(retryDelay)) ??
    (isRateLimit ? sensible(windowEnd(headers)) : undefined)
  );
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

function durationOf(text: string): number | undefined {
  const parts = DURATION.exec(text);
  return parts?.slice(1).reduce((sum, part, index) => sum + Number(part ?? 0) * UNIT_SECONDS[index]!, 0);
}

/** Returns the seconds of a duration: a text such as "34.4s", or an object with `seconds` and `nanos`. */
function delayOf(value: unknown): number | undefined {
  if (typeof value === 'string') return durationOf(value.slice(0, MAX_WAIT_CHARACTERS));
  if (!isRecord(value)) return undefined;
  const { seconds = 0, nanos = 0 } = value;
  const all = Number(seconds) + Number(nanos) / 1e9;
  return Number.isFinite(all) ? all : undefined;
}

/** Returns the latest reset among exhausted limits, in seconds; if no limit is exhausted, the earliest reset of all. */
function windowEnd(headers: Headers): number | undefined {
  const windows = Object.entries(headers).flatMap(([name, value]) => {
    const found = RESET.exec(name);
    const seconds = found ? untilReset(value) : undefined;
    return seconds === undefined ? [] : [{ seconds, isUsedUp: headers[remainingOf(name)] === '0' }];
  });
  const usedUp = windows.filter(({ isUsedUp }) => isUsedUp).map(({ seconds }) => seconds);
  if (usedUp.length > 0) return Math.max(...usedUp);
  return windows.length > 0 ? Math.min(...windows.map(({ seconds }) => seconds)) : undefined;
}

function remainingOf(resetHeader: string): string {
  return resetHeader.replace('reset', 'remaining');
}

/**
 * Returns the seconds until a limit is reset. Headers have a duration, a number of seconds, or a point in time in
 * seconds or milliseconds.
 */
function untilReset(value: unknown): number | undefined {
  const seconds = untilThen(value);
  if (seconds === undefined || seconds < FIRST_EPOCH) return seconds;
  const atMs = seconds < FIRST_EPOCH * 1_000 ? seconds * 1_000 : seconds;
  return Math.max(0, (atMs - nowMs()) / 1_000);
}
