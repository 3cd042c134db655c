import { describeError, log } from '../platform/logger.ts';
import type { Refusal } from '../store/generations/refusals.ts';

/**
 * Maximum number of refusals that a process writes per second: for all keys together, and for each key. The limits
 * bound the writes for clients that are refused in a loop. Without the limit for a key, one such client could use up
 * the total.
 */
const MAX_A_SECOND = 50;
const MAX_A_SECOND_OF_KEY = 10;

type RefusalWriter = (refusal: Refusal) => Promise<void>;

/**
 * Records the reasons of refused requests, for `admin generations` and GET /generation.
 *
 * Guarantee: its promises never reject. A process writes at most fifty refusals a second, and at most ten a second for
 * any one key.
 * Weakness: some refusals are only in the log: refusals beyond these limits, and refusals that the table does not store
 * within a second.
 */
export class RefusalLog {
  readonly #writers: readonly RefusalWriter[];
  readonly #nowMs: () => number;
  #second = 0;
  /** Number of items written in this second, in total and for each key. */
  #written = 0;
  #writtenOf = new Map<string, number>();
  #isFailing = false;

  /** @param writers they write each refusal concurrently, and the failure of one does not affect the others */
  constructor(writers: readonly RefusalWriter[], nowMs: () => number) {
    this.#writers = writers;
    this.#nowMs = nowMs;
  }

  async note(refusal: Refusal): Promise<void> {
    if (!this.#mayWrite(refusal.payer.keyHash)) return;
    const written = await Promise.allSettled(this.#writers.map((write) => write(refusal)));
    const failure = written.find((result) => result.status === 'rejected');
    // Logs only the first failure, not one for every request while the table is unavailable.
    if (failure && !this.#isFailing) log('warn', 'refusal not recorded', describeError(failure.reason));
    this.#isFailing = failure !== undefined;
  }

  #mayWrite(keyHash: string): boolean {
    const second = Math.floor(this.#nowMs() / 1_000);
    if (second !== this.#second) [this.#second, this.#written, this.#writtenOf] = [second, 0, new Map()];
    const ofKey = this.#writtenOf.get(keyHash) ?? 0;
    if (this.#written >= MAX_A_SECOND || ofKey >= MAX_A_SECOND_OF_KEY) return false;
    this.#written += 1;
    this.#writtenOf.set(keyHash, ofKey + 1);
    return true;
  }
}
