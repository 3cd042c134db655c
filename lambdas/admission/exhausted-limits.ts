import type { QueueSender } from '../platform/queues/queue.ts';
import { sendAlertCheck } from '../store/alerts/alert-check.ts';
import { utcDate } from '../money/periods.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { lacksRoomFor } from '../store/counters/limits.ts';
import type { Refusal } from '../store/generations/refusals.ts';

/** Time in ms for which a process does not report the same limit of a key again. */
const REPORT_LASTS_MS = 60_000;
/** Time in ms after a failed report in which the limit is not reported, so that a slow queue delays few refusals. */
const FAILURE_LASTS_MS = 5_000;
const MAX_REPORTS = 1_000;

/**
 * Reports limits that have refused a request because they are spent, so that `check-alerts` sends the notice
 * `alert.limit.exhausted` or `alert.balance.exhausted`. Admitted requests report nothing. Holds above half of a limit
 * are not reported. For a balance, holds of any size are reported, because only `check-alerts` knows the last payment,
 * to which it compares the hold (alerts/check-balance.ts).
 *
 * Guarantee: each process sends at most one message a minute for the same key, limit, amount of the limit, day and
 * tags, unless sending failed or the process has reported 1,000 other limits in between. A mark in the table makes the
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

  /** @throws {Error} if the message was not sent within a second; a refusal a few seconds later reports the limit */
  async report({ payer, createdAtMs, limit, amounts }: Refusal): Promise<void> {
    if (!amounts) return;
    const { required, spent, interval } = amounts;
    const isSpent =
      limit === 'account_balance' ? spent.plus(required).exceeds(amounts.limit) : lacksRoomFor(required, amounts);
    if (!isSpent) return;
    const date = utcDate(createdAtMs);
    const name = [payer.keyHash, limit, interval, amounts.limit, date, payer.countedTags].join(' ');
    const atMs = this.#nowMs();
    if (atMs - (this.#reportedAtMs.get(name) ?? -Infinity) < REPORT_LASTS_MS) return;
    this.#reportedAtMs.set(name, atMs);
    await sendAlertCheck(this.#queue(), { payer, date, refused: required }).catch((error: unknown) => {
      this.#reportedAtMs.set(name, atMs - REPORT_LASTS_MS + FAILURE_LASTS_MS);
      throw error;
    });
  }
}
