/**
 * Pauses in long work on the event loop. If data arrive faster than they are read, the loop never turns: Node reads up
 * to two megabytes of a connection before it serves another one, and continues a reader after each chunk.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work in one turn of the loop, for all requests together. */
const SLICE_MS = 5;

let beganAtMs = 0;
let turn: Promise<void> | undefined;

/** @returns undefined while this turn of the loop has time left, otherwise a promise of the next turn */
export function pauseAfterSlice(): Promise<void> | undefined {
  const nowMs = performance.now();
  if (turn) return nowMs - beganAtMs > SLICE_MS ? turn : undefined;
  beganAtMs = nowMs;
  turn = nextTurn().then(() => {
    turn = undefined;
  });
  return undefined;
}
