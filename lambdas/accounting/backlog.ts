/** Decides which holds may still have a settlement message, from the message counts of the settlement queue. */

import type { QueueLevels } from '../platform/queues/queue-levels.ts';

/**
 * State of the settlement messages between handlers and their worker:
 * - `none`: no message waits anywhere, so an open hold has no message.
 * - `flowing`: the worker is processing messages, and no other message waits. A hold that is only minutes old may have
 *   one of these messages.
 * - `waiting`: messages wait for the worker, or in the dead-letter queue for a person. Any hold may have one of these
 *   messages.
 */
export type Backlog = 'none' | 'flowing' | 'waiting';

/**
 * Time in ms for which several readings must agree before a queue state counts. SQS counts messages only approximately,
 * and up to a minute late.
 */
const TRUSTED_AFTER_MS = 100_000;
/** Maximum time in ms between two readings. After a longer gap, the queue may have had other states in between. */
const MAX_GAP_MS = 180_000;

/** Watches a queue over several readings, a minute apart. A new process starts without earlier readings. */
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
