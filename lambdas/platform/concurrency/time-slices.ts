/**
 * Inserts pauses into long work on the event loop. Node reads up to two megabytes of a connection at once. If data of
 * one connection arrive faster than they are processed, Node would serve no other connection without these pauses.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maximum time in ms that such work takes in one turn of the event loop, for all requests together. */
const SLICE_MS = 5;

let beganAtMs = 0;
let turn: Promise<void> | undefined;

/**
 * @returns undefined if work may continue in this turn of the event loop; otherwise a promise that resolves in the next
 *   turn
 */
export function pauseAfterSlice(): Promise<void> | undefined {
  const nowMs = performance.now();
  if (turn) return nowMs - beganAtMs > SLICE_MS ? turn : undefined;
  beganAtMs = nowMs;
  turn = nextTurn().then(() => {
    turn = undefined;
  });
  return undefined;
}
