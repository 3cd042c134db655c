/**
 * Requests checks of payers that have spent. A settlement shares an already requested check of its payer that is not
 * yet due, because that check reads the counters after the settlement.
 *
 * Weakness: for half a minute after an account got its first settings, settlements may request no check. On a laptop,
 * the queue is in memory, so checks are lost if the gateway is killed.
 */

import { utcDate } from '../money/periods.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { ageMs, thisMoment, type Moment } from '../platform/clock.ts';
import { generationTimeMs } from '../platform/ids.ts';
import { describeError, log } from '../platform/logger.ts';
import type { QueueSender } from '../platform/queues/queue.ts';
import type { Payer } from '../store/accounts/payer.ts';
import { encodeAlertCheck } from '../store/alerts/alert-check.ts';

interface SettledSpending {
  generationId: string;
  payer: Payer;
}

interface CheckTools {
  hasSettings: (accountId: string) => Promise<boolean>;
  queue: () => QueueSender;
}

/** Time in ms for which a process remembers whether an account has settings. */
const SETTINGS_KEPT_MS = 30_000;
const MAX_ACCOUNTS = 10_000;
const MAX_WAITING_CHECKS = 10_000;
/** Time in ms by which a queue may deliver a message too early, because it counts delays in whole seconds. */
const MAX_EARLY_MS = 1_000;

/** Delay of a check after a settlement, in seconds. */
const CHECK_DELAY_SECONDS = 5;

interface Remembered<Value> {
  value: Promise<Value>;
  at: Moment;
}

interface RequestedCheck extends Remembered<void> {
  delaySeconds: number;
}

interface CheckTimes {
  delaySeconds: number;
  /** Maximum time in seconds until the settlements are committed; 0 if they are committed already. */
  committedWithinSeconds: number;
}

/** Requests checks. Use one instance for each process, because it remembers the checks that are not yet due. */
export class CheckRequests {
  readonly #tools: CheckTools;
  readonly #accounts = new BoundedMap<string, Remembered<boolean>>(MAX_ACCOUNTS);
  readonly #waiting = new BoundedMap<string, RequestedCheck>(MAX_WAITING_CHECKS);

  constructor(tools: CheckTools) {
    this.#tools = tools;
  }

  /**
   * Requests the checks for settlements.
   * @param times a check sees only settlements that are committed before it is due
   * @throws {Error} if a check could not be requested
   */
  async request(
    settlements: readonly SettledSpending[],
    times: CheckTimes = { delaySeconds: CHECK_DELAY_SECONDS, committedWithinSeconds: 0 },
  ): Promise<void> {
    const checks = new Map<string, string>();
    for (const { generationId, payer } of settlements) {
      const date = utcDate(generationTimeMs(generationId)!);
      checks.set(encodeAlertCheck({ payer, date }), payer.accountId);
    }
    const requested = [...checks].map(async ([body, accountId]) => {
      if (await this.#hasSettings(accountId)) await this.#send(body, times);
    });
    await Promise.all(requested);
  }

  async #hasSettings(accountId: string): Promise<boolean> {
    const known = this.#accounts.get(accountId);
    if (known && ageMs(known.at) < SETTINGS_KEPT_MS) return known.value;
    const value = this.#tools.hasSettings(accountId).catch((error: unknown) => {
      // After an error, assumes that there are settings. An unnecessary check does no harm; a missing check would lose
      // a notice.
      log('warn', 'settings of alerts not read', { accountId, ...describeError(error) });
      this.#accounts.delete(accountId);
      return true;
    });
    this.#accounts.set(accountId, { value, at: thisMoment() });
    return value;
  }

  async #send(body: string, { delaySeconds, committedWithinSeconds }: CheckTimes): Promise<void> {
    const known = this.#waiting.get(body);
    const isSeenBy = ({ at, delaySeconds: delay }: RequestedCheck) =>
      ageMs(at) + committedWithinSeconds * 1_000 < delay * 1_000 - MAX_EARLY_MS;
    if (known && isSeenBy(known)) return known.value;
    const at = thisMoment();
    const value = this.#tools.queue().send(body, { delaySeconds });
    const sent = { value, at, delaySeconds };
    this.#waiting.set(body, sent);
    try {
      await value;
    } catch (error) {
      if (this.#waiting.get(body) === sent) this.#waiting.delete(body);
      throw error;
    }
  }
}
