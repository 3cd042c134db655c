import type { QueueLevels } from '../platform/queue-levels.ts';

/**
 * What stands between handlers and their settlement.
 * `none`: no message waits anywhere, so a hold that is still open has no message.
 * `flowing`: messages are being worked on, and none waits for its turn: what is only minutes old may be among them.
 * `waiting`: messages wait for the worker, or for a person in the dead-letter queue: any hold may be one of theirs.
 */
export type Backlog = 'none' | 'flowing' | 'waiting';

/** SQS counts approximately, and up to a minute late: only what several looks in a row have seen is believed. */
const BELIEVED_AFTER_MS = 100_000;
/** Looks further apart than this say nothing about the time between them. */
const MAX_GAP_MS = 180_000;

/** Watches a queue over several looks, a minute apart; it forgets what it knew with its process, and begins again. */
export class BacklogWatch {
  #lastLookMs = -Infinity;
  #noneSinceMs: number | undefined;
  #flowingSinceMs: number | undefined;

  look({ waiting, inFlight, dead }: QueueLevels, atMs: number): Backlog {
    if (atMs - this.#lastLookMs > MAX_GAP_MS) this.#noneSinceMs = this.#flowingSinceMs = undefined;
    this.#lastLookMs = atMs;
    const isFlowing = waiting === 0 && dead === 0;
    this.#flowingSinceMs = isFlowing ? (this.#flowingSinceMs ?? atMs) : undefined;
    this.#noneSinceMs = isFlowing && inFlight === 0 ? (this.#noneSinceMs ?? atMs) : undefined;
    const isBelieved = (sinceMs: number | undefined) => sinceMs !== undefined && atMs - sinceMs >= BELIEVED_AFTER_MS;
    if (isBelieved(this.#noneSinceMs)) return 'none';
    return isBelieved(this.#flowingSinceMs) ? 'flowing' : 'waiting';
  }
}
