/** Inserts pauses into long work on the event loop, so that Node also serves other connections. */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time in ms of sliced work, of all requests together, after which the work pauses for a turn of the event loop. */
const SLICE_MS = 5;

let beganAtMs = 0;
let turn: Promise<void> | undefined;

/**
 * Pauses long work, if its time slice is over. Call it between two pieces of work.
 * @returns undefined if work may continue; otherwise a promise that resolves in the next turn of the event loop
 */
export function pauseAfterSlice(): Promise<void> | undefined {
  if (!turn && performance.now() - beganAtMs <= SLICE_MS) return undefined;
  turn ??= nextTurn().then(() => {
    turn = undefined;
    beganAtMs = performance.now();
  });
  return turn;
}
