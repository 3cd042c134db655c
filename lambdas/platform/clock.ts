/**
 * The one wall clock of the gateway: windows, ids, expiries and logs all take their time from it, so a local gateway
 * started at another date is at that date everywhere. Durations use performance.now(), which no offset touches.
 */

import { isOnOwnMachine, optionalVariable, variables } from './environment.ts';

let offsetMs: number | undefined;

/** Epoch milliseconds. @throws when an offset is set elsewhere than on a person's machine: production never runs on a shifted time. */
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

/** A moment by the wall clock, and by the monotonic clock, which only runs forward. */
export interface Moment {
  wallMs: number;
  steadyMs: number;
}

export function thisMoment(): Moment {
  return { wallMs: Date.now(), steadyMs: performance.now() };
}

/**
 * How old something is, by the clock that says more: while Lambda has a function frozen, the steady clock may stand still,
 * and the one on the wall may be set back. What must not be older than it says is asked of both.
 */
export function ageMs({ wallMs, steadyMs }: Moment): number {
  return Math.max(Date.now() - wallMs, performance.now() - steadyMs);
}
