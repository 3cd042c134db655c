/** Finds out from message counts of the settlement queue whether an open hold may still have a settlement message. */

import type { QueueLevels } from '../platform/queues/queue-levels.ts';

/**
 * State of the settlement messages between handlers and their worker:
 * - `none`: no message exists, so an open hold has no message.
 * - `flowing`: the worker is processing messages, and no message waits for it. A hold that is only minutes old may have
 *   one of these messages.
 * - `waiting`: messages wait for the worker, or in the dead-letter queue for an operator; or there are not enough
 *   readings yet. Any hold may have a message.
 */
export type Backlog = 'none' | 'flowing' | 'waiting';

/** Time in ms for which readings must agree, because SQS message counts are approximate and late. */
const TRUSTED_AFTER_MS = 100_000;
/** Maximum time in ms between two readings. After a longer gap, earlier readings are ignored. */
const MAX_GAP_MS = 180_000;

/** Derives the backlog from regular readings of the queue. */
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
    const isTrusted = (sinceMs: number | undefined) => sinceMs !== undefined && atMs - sinceMs >= TRUSTED_AFTER_MS;
    if (isTrusted(this.#noneSinceMs)) return 'none';
    return isTrusted(this.#flowingSinceMs) ? 'flowing' : 'waiting';
  }
}
