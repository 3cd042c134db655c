/** Judges from the levels of a queue which holds may still have a message that settles them. */

import type { QueueLevels } from '../platform/queues/queue-levels.ts';

/**
 * What waits between handlers and their settlement.
 * `none`: no message waits anywhere, so a hold that is still open has no message.
 * `flowing`: messages are being processed, and none waits: a hold that is only minutes old may have one of them.
 * `waiting`: messages wait for the worker, or for a person in the dead-letter queue: any hold may have one of them.
 */
export type Backlog = 'none' | 'flowing' | 'waiting';

/** SQS counts approximately, and up to a minute late: only what several looks in a row have seen counts. */
const BELIEVED_AFTER_MS = 100_000;
/** Looks further apart than this say nothing about the time between them. */
const MAX_GAP_MS = 180_000;

/** Watches a queue over several looks, a minute apart. A new process begins without any knowledge of earlier looks. */
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
