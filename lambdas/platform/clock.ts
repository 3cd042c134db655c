/**
 * Wall clock of the gateway. Windows, ids, expiries and logs use `nowMs`. So a local gateway can run at another date.
 * Durations are measured with performance.now(), which has no offset.
 */

import { isOnOwnMachine, optionalVariable, variables } from './environment.ts';

let offsetMs: number | undefined;

/**
 * Returns the time in epoch milliseconds.
 * @throws {Error} if an offset is set anywhere except on a developer's machine: production never runs at a shifted time
 */
export function nowMs(): number {
  offsetMs ??= readOffsetMs();
  return Date.now() + offsetMs;
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

/** A moment, by the wall clock and by the monotonic clock, which never goes back. */
export interface Moment {
  wallMs: number;
  steadyMs: number;
}

export function thisMoment(): Moment {
  return { wallMs: Date.now(), steadyMs: performance.now() };
}

/**
 * Returns the age of a moment in ms, by the clock that shows more. While Lambda has frozen a function, the monotonic
 * clock may stand still. The wall clock may be set back. So values that must not be too old need both.
 */
export function ageMs({ wallMs, steadyMs }: Moment): number {
  return Math.max(Date.now() - wallMs, performance.now() - steadyMs);
}
