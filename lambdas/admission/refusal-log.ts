import { describeError, log } from '../platform/logger.ts';
import type { Refusal } from '../store/generations/refusals.ts';

/**
 * Maximum number of refusals that are written per second: for all keys together, and for each key. The limits bound the
 * writes for clients that are refused in a loop. Without the limit for a key, one such client could use up the total.
 */
const MAX_A_SECOND = 50;
const MAX_A_SECOND_OF_KEY = 10;

/**
 * Records the reasons of refused requests, for `admin generations` and GET /generation.
 *
 * Guarantee: its promises never reject. It writes at most fifty items a second, and at most ten a second for any one
 * key.
 * Weakness: some refusals are only in the log: refusals beyond these limits, and refusals that the table does not store
 * within a second.
 */
export class RefusalLog {
  readonly #write: (refusal: Refusal) => Promise<void>;
  readonly #nowMs: () => number;
  #second = 0;
  /** Number of items written in this second, in total and for each key. */
  #written = 0;
  #writtenOf = new Map<string, number>();
  #isFailing = false;

  constructor(write: (refusal: Refusal) => Promise<void>, nowMs: () => number) {
    this.#write = write;
    this.#nowMs = nowMs;
  }

  async note(refusal: Refusal): Promise<void> {
    if (!this.#mayWrite(refusal.payer.keyHash)) return;
    try {
      await this.#write(refusal);
      this.#isFailing = false;
    } catch (error) {
      // Logs only the first failure, not one for every request while the table is unavailable.
      if (!this.#isFailing) log('warn', 'refusal not recorded', describeError(error));
      this.#isFailing = true;
    }
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
