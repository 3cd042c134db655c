import type { QueueSender } from '../platform/queues/queue.ts';
import { encodeAlertCheck } from '../store/alerts/alert-check.ts';
import { utcDate } from '../money/periods.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { lacksRoomFor } from '../store/counters/limits.ts';
import type { Refusal } from '../store/generations/refusals.ts';

/** Time in ms for which a process does not report the same limit of a key again. */
const REPORT_LASTS_MS = 60_000;
const MAX_REPORTS = 1_000;

/**
 * Reports limits that have refused a request because they are spent, so that `check-alerts` sends the notice
 * `alert.limit.exhausted`. Admitted requests report nothing.
 *
 * Guarantee: each process sends at most one message a minute for one limit of one key. A mark in the table makes the
 * notice unique (alerts/check-payer.ts).
 */
export class ExhaustedLimits {
  readonly #queue: () => QueueSender;
  readonly #nowMs: () => number;
  readonly #reportedAtMs = new BoundedMap<string, number>(MAX_REPORTS);

  constructor(queue: () => QueueSender, nowMs: () => number) {
    this.#queue = queue;
    this.#nowMs = nowMs;
  }

  /** @throws {Error} if the message could not be sent; the next refusal then reports the limit */
  async report({ payer, createdAtMs, limit, amounts }: Refusal): Promise<void> {
    if (!amounts || !lacksRoomFor(amounts.required, amounts)) return;
    const name = [payer.keyHash, limit, amounts.interval, payer.countedTags].join(' ');
    const atMs = this.#nowMs();
    if (atMs - (this.#reportedAtMs.get(name) ?? -Infinity) < REPORT_LASTS_MS) return;
    this.#reportedAtMs.set(name, atMs);
    const check = { payer, date: utcDate(createdAtMs), refused: amounts.required };
    await this.#queue()
      .send(encodeAlertCheck(check))
      .catch((error: unknown) => {
        this.#reportedAtMs.delete(name);
        throw error;
      });
  }
}
