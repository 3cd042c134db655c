/**
 * Inserts pauses into long work on the event loop. Node reads up to two megabytes of a connection at once. If data
 * arrives faster than it is processed, Node would serve no other connection without these pauses.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maximum work in one turn of the event loop, for all requests together, in ms. */
const SLICE_MS = 5;

let beganAtMs = 0;
let turn: Promise<void> | undefined;

/** @returns undefined if this turn of the event loop has time left, otherwise a promise of the next turn */
export function pauseAfterSlice(): Promise<void> | undefined {
  const nowMs = performance.now();
  if (turn) return nowMs - beganAtMs > SLICE_MS ? turn : undefined;
  beganAtMs = nowMs;
  turn = nextTurn().then(() => {
    turn = undefined;
  });
  return undefined;
}
