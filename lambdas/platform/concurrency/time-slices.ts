/**
 * Pauses in long work on the event loop. Data that arrive faster than they are read never let the loop turn: Node reads up to two
 * megabytes of a connection before it looks at another one, and continues a reader after each chunk.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work of one turn of the loop, of all requests together. */
const SLICE_MS = 5;

let beganAtMs = 0;
let turn: Promise<void> | undefined;

/** @returns undefined while this turn of the loop has time left, else a promise of the next turn */
export function pauseAfterSlice(): Promise<void> | undefined {
  const nowMs = performance.now();
  if (turn) return nowMs - beganAtMs > SLICE_MS ? turn : undefined;
  beganAtMs = nowMs;
  turn = nextTurn().then(() => {
    turn = undefined;
  });
  return undefined;
}
