/**
 * Inserts pauses into long work on the event loop. Node reads up to two megabytes of a connection in one turn. If data
 * of one connection arrive faster than they are processed, Node would serve no other connection without these pauses.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maximum time in ms that sliced work may take in one turn of the event loop, for all requests together. */
const SLICE_MS = 5;

let beganAtMs = 0;
let turn: Promise<void> | undefined;

/**
 * Call it between two pieces of work. Turns of the event loop are noticed only when a slice is over, because a callback
 * in every turn costs more than a small piece of work.
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
