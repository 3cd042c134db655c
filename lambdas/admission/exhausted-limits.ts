import type { QueueSender } from '../platform/queues/queue.ts';
import { sendAlertCheck } from '../store/alerts/alert-check.ts';
import { utcDate } from '../money/periods.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { lacksRoomFor } from '../store/counters/limits.ts';
import type { Refusal } from '../store/generations/refusals.ts';

const REPORT_LASTS_MS = 60_000;
/** Time in ms after a failed report in which the limit is not reported again. */
const FAILURE_LASTS_MS = 5_000;
const MAX_REPORTS = 1_000;

/**
 * Reports limits that have refused a request because they are spent, so that `check-alerts` can send a notice. A
 * refusal that only the holds of other requests caused is not reported. If a request needs more than half of a limit,
 * its refusal is reported only for a balance.
 *
 * Guarantee: each process reports the same limit of a key at most once a minute, unless sending failed or the process
 * has reported 1,000 other limits in between.
 */
export class ExhaustedLimits {
  readonly #queue: () => QueueSender;
  readonly #nowMs: () => number;
  readonly #reportedAtMs = new BoundedMap<string, number>(MAX_REPORTS);

  constructor(queue: () => QueueSender, nowMs: () => number) {
    this.#queue = queue;
    this.#nowMs = nowMs;
  }

  /**
   * Reports the refusal if its limit is spent.
   * @throws {Error} if the message was not sent
   */
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
