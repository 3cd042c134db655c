/**
 * Requests checks of payers that have spent. A check compares the spending with the limits (check-payer.ts).
 *
 * Guarantee: no crossing of a threshold is missed. A check is requested for each settlement, after its transaction;
 * also for a duplicate, because a process may have died between the two. If the request fails, the settlement's message
 * returns to its queue. A settlement shares an already requested check of its payer that is not yet due, because that
 * check reads the counters after the settlement.
 * Weakness: a check, and therefore a notice, comes a few seconds after the settlement. For half a minute after an
 * account got its first settings, settlements may request no check; a later settlement then finds the crossing. On a
 * laptop, the queue is in memory. If the gateway is killed, its checks are lost, and the check of the payer's next
 * settlement finds the crossing.
 */

import { utcDate } from '../money/periods.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { ageMs, thisMoment, type Moment } from '../platform/clock.ts';
import { generationTimeMs } from '../platform/ids.ts';
import { describeError, log } from '../platform/logger.ts';
import type { QueueSender } from '../platform/queues/queue.ts';
import type { Payer } from '../store/accounts/payer.ts';
import { encodeAlertCheck } from '../store/alerts/alert-check.ts';

/** A settlement, as far as checks need it. */
interface SettledSpending {
  generationId: string;
  payer: Payer;
}

interface CheckTools {
  /** Returns whether an account, or one of its workspaces or keys, has settings of alerts. */
  hasSettings: (accountId: string) => Promise<boolean>;
  queue: () => QueueSender;
}

/** Time in ms for which a process remembers whether an account has settings. */
const SETTINGS_KEPT_MS = 30_000;
const MAX_ACCOUNTS = 10_000;
const MAX_WAITING_CHECKS = 10_000;
/** Time in ms by which a queue may deliver a message too early, because it counts delays in whole seconds. */
const MAX_EARLY_MS = 1_000;

/**
 * Delay of a check after a settlement, in seconds. In a process, settlements of a payer on one UTC day share one check
 * for most of the delay.
 */
const CHECK_DELAY_SECONDS = 5;

interface Remembered<Value> {
  value: Promise<Value>;
  at: Moment;
}

interface RequestedCheck extends Remembered<void> {
  delaySeconds: number;
}

/** Times of a check and of its settlements, in seconds from now. */
interface CheckTimes {
  /** Delay of the check. */
  delaySeconds: number;
  /** Time within which the settlements are committed; 0 if they are committed already. */
  committedWithinSeconds: number;
}

/** Requests checks. One instance for each process, because it remembers the checks that are not yet due. */
export class CheckRequests {
  readonly #tools: CheckTools;
  readonly #accounts = new BoundedMap<string, Remembered<boolean>>(MAX_ACCOUNTS);
  readonly #waiting = new BoundedMap<string, RequestedCheck>(MAX_WAITING_CHECKS);

  constructor(tools: CheckTools) {
    this.#tools = tools;
  }

  /**
   * Requests the checks for settlements. Accounts without settings cost each process only one read each half minute.
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
      // An unnecessary check does no harm, but a missing one would lose a notice.
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
