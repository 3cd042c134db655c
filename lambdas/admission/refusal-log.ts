import { describeError, log } from '../platform/logger.ts';
import type { Refusal } from '../store/generations/refusals.ts';

/** Maximum number of refusals that a process writes per second, in total and for each key. */
const MAX_A_SECOND = 50;
const MAX_A_SECOND_OF_KEY = 10;

type RefusalWriter = (refusal: Refusal) => Promise<void>;

/**
 * Records refusals; its promises never reject. Weakness: refusals above the limits per second are not recorded, nor are
 * refusals that the table does not store.
 */
export class RefusalLog {
  readonly #writers: readonly RefusalWriter[];
  readonly #nowMs: () => number;
  #second = 0;
  #written = 0;
  #writtenOf = new Map<string, number>();
  #isFailing = false;

  /** @param writers write each refusal concurrently; one failure does not affect the others */
  constructor(writers: readonly RefusalWriter[], nowMs: () => number) {
    this.#writers = writers;
    this.#nowMs = nowMs;
  }

  async note(refusal: Refusal): Promise<void> {
    if (!this.#mayWrite(refusal.payer.keyHash)) return;
    const written = await Promise.allSettled(this.#writers.map((write) => write(refusal)));
    const failure = written.find((result) => result.status === 'rejected');
    // Logs only the first of consecutive failures.
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
