/**
 * The gateway's wall clock. Use `nowMs` for time windows, ids and expiries, so that a local gateway can run at another
 * date.
 */

import { isOnOwnMachine, optionalVariable, variables } from './environment.ts';

let offsetMs: number | undefined;

/**
 * Returns the time in ms since the epoch.
 * @throws {Error} if the offset is not a whole number, or is set anywhere except on a developer's machine
 */
export function nowMs(): number {
  offsetMs ??= readOffsetMs();
  return Date.now() + offsetMs;
}

/** Returns the time in whole seconds since the epoch. */
export function nowSeconds(): number {
  return Math.floor(nowMs() / 1_000);
}

function readOffsetMs(): number {
  const text = optionalVariable(variables.clockOffsetMs);
  if (text === undefined) return 0;
  if (!isOnOwnMachine()) throw new Error(`${variables.clockOffsetMs} must not be set in production`);
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new Error(`${variables.clockOffsetMs} must be a whole number of milliseconds`);
  return value;
}

/** A moment, by the wall clock and by Node's monotonic clock, which never goes back. */
export interface Moment {
  wallMs: number;
  steadyMs: number;
}

export function thisMoment(): Moment {
  return { wallMs: Date.now(), steadyMs: performance.now() };
}

/** Returns the earlier of two moments, separately for each clock. */
export function earlierOf(a: Moment, b: Moment): Moment {
  return { wallMs: Math.min(a.wallMs, b.wallMs), steadyMs: Math.min(a.steadyMs, b.steadyMs) };
}

/**
 * Returns the age of a moment in ms, by the clock that gives the greater age: the monotonic clock may stand still while
 * Lambda has frozen the process, and the wall clock may be set back.
 */
export function ageMs({ wallMs, steadyMs }: Moment): number {
  return Math.max(Date.now() - wallMs, performance.now() - steadyMs);
}
