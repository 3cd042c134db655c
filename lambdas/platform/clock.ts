/**
 * The wall clock of the gateway. Windows, ids, expiries and logs use `nowMs`, so a local gateway that is started at
 * another date uses that date for them. Durations are measured with performance.now(), which has no offset.
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

/** A moment of the wall clock, and of the monotonic clock, which only runs forward. */
export interface Moment {
  wallMs: number;
  steadyMs: number;
}

export function thisMoment(): Moment {
  return { wallMs: Date.now(), steadyMs: performance.now() };
}

/**
 * Returns the age of a moment in ms: the larger of the differences that the two clocks show. While Lambda has frozen a
 * function, the monotonic clock may stand still. The wall clock may be set back. So both are used for values that must
 * not be too old.
 */
export function ageMs({ wallMs, steadyMs }: Moment): number {
  return Math.max(Date.now() - wallMs, performance.now() - steadyMs);
}
