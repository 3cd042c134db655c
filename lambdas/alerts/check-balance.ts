/**
 * Publishes a notice if the balance of a prepaid account is low, if it refuses a hold although it is not spent, and if
 * it is spent.
 *
 * Guarantee: each notice is published at most once until the balance is at least twice the amount that counts as low.
 */

import { Money } from '../money/money.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { listBalanceEntries, readAccount } from '../store/accounts/accounts.ts';
import type { AlertSettings } from '../store/alerts/alert-settings.ts';
import {
  balanceAlarmPut,
  balanceLevels,
  readBalanceAlarm,
  type BalanceAlarm,
  type BalanceLevel,
} from '../store/alerts/balance-alarm.ts';
import type { AlertDelivery } from '../store/alerts/deliveries.ts';
import { readCounter, type Counter, type ScopeId, type StoredCounter } from '../store/counters/counters.ts';
import type { Table } from '../store/table/table.ts';
import { StoreBusyError, writeAlone } from '../store/table/transact.ts';
import { rateFacts, rateLines } from './limit-notice.ts';
import { consoleUrl, roundedRub, withLink, type Notice } from './notice.ts';
import { deliveriesOf, publishNotice } from './publish-notice.ts';
import { spendingRate, type SpendingRate } from './spending-rate.ts';

/** Default low balance in percent of the last payment. */
export const DEFAULT_LOW_BALANCE_PERCENT = 20;
/** Multiple of the low amount from which a balance counts as sufficient again after a notice. */
const REARM_FACTOR = 2;

/** Returns whether the lifetime limit of a scope is the balance of a prepaid account. */
export async function isPrepaidBalance(table: Table, scope: ScopeId, { limits }: Counter): Promise<boolean> {
  if (scope.kind !== 'account' || !limits.lifetime) return false;
  return (await readAccount(table, scope.id))?.mode === 'prepaid';
}

/** Maximum number of rounds of a check. A round is repeated if another check has changed the level. */
const MAX_ROUNDS = 4;

interface BalanceCheck {
  refused: Money | undefined;
  atMs: number;
}

/**
 * Checks the balance of a prepaid account. A refused hold counts if it is at most half of the last payment, or at most
 * the low balance.
 * @returns the new deliveries, which are due
 * @throws {StoreBusyError} if other checks changed the level in every round
 */
export async function checkBalance(
  table: Table,
  settings: AlertSettings,
  check: BalanceCheck,
): Promise<AlertDelivery[]> {
  const scope: ScopeId = { kind: 'account', id: settings.accountId };
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    // Reads the alarm before the counter: if another check decides in between, the write of the level fails.
    const alarm = await readBalanceAlarm(table, settings.accountId);
    const counter = await readCounter(table, scope);
    const decided = await decideLevel(table, settings, { alarm, counter, ...check });
    if (decided) return decided;
  }
  throw new StoreBusyError();
}

/**
 * Records the level of the balance, and creates the deliveries of its notice.
 * @returns the new deliveries; undefined if another check has changed the level
 */
async function decideLevel(
  table: Table,
  settings: AlertSettings,
  { alarm, counter, refused, atMs }: BalanceCheck & { alarm: BalanceAlarm; counter: StoredCounter },
): Promise<AlertDelivery[] | undefined> {
  const balance = (counter.limits.lifetime ?? Money.zero).minus(counter.spent('lifetime'));
  const { revision } = counter;
  const last = await lastPayment(table, settings.accountId, revision);
  const low = lowBalance(settings, last);
  const level = nextLevel(alarm, { balance, low });
  const isRearmed = isClearlyHigher(balance, low) && alarm.refusedRevision !== revision;
  const reported = isRearmed ? undefined : alarm.refusedRevision;
  const isRefusing = refused?.exceeds(balance) && !(refused.exceeds(low) && refused.times(2).exceeds(last));
  const cause = isRefusing && level !== 'exhausted' && reported === undefined ? refused : undefined;
  const after = { level, refusedRevision: cause ? revision : reported };
  if (level === alarm.level && after.refusedRevision === alarm.refusedRevision) return [];
  const decision = balanceAlarmPut(table, settings.accountId, alarm, after);
  const needsNotice = cause || (level !== alarm.level && level !== 'sufficient');
  if (!needsNotice) return (await writeAlone(table, decision)) ? undefined : [];
  const rate = spendingRate(counter, { interval: 'lifetime', room: balance, atMs });
  const notice = balanceNotice({ level, balance, low, refused: cause, rate, baseUrl: settings.baseUrl });
  return publishNotice(table, { decision }, deliveriesOf(settings, notice, atMs));
}

function lowBalance(settings: AlertSettings, last: Money): Money {
  if (settings.lowBalance !== undefined) return settings.lowBalance;
  return Money.fromPico((last.pico * BigInt(settings.lowBalancePercent ?? DEFAULT_LOW_BALANCE_PERCENT)) / 100n);
}

/** Last payments by account and revision of its limits. */
const lastPayments = new BoundedMap<string, Money>(10_000);

async function lastPayment(table: Table, accountId: string, revision: number): Promise<Money> {
  const name = `${accountId}#${revision}`;
  const known = lastPayments.get(name);
  if (known) return known;
  const payments = (await listBalanceEntries(table, accountId)).filter(({ kind }) => kind === 'top_up');
  const last = payments.at(-1)?.amount ?? Money.zero;
  lastPayments.set(name, last);
  return last;
}

/** Returns the level to record: the lowest level since the balance last reached twice the low amount. */
function nextLevel(
  { level }: Pick<BalanceAlarm, 'level'>,
  { balance, low }: { balance: Money; low: Money },
): BalanceLevel {
  const isSpent = !balance.exceeds(Money.zero);
  const now: BalanceLevel = isSpent ? 'exhausted' : balance.exceeds(low) ? 'sufficient' : 'low';
  if (level === 'sufficient' || balanceLevels.indexOf(now) > balanceLevels.indexOf(level)) return now;
  return now === 'sufficient' && isClearlyHigher(balance, low) ? 'sufficient' : level;
}

/** Returns whether a balance is so high that its next fall may be reported. */
function isClearlyHigher(balance: Money, low: Money): boolean {
  return !low.times(REARM_FACTOR).exceeds(balance);
}

function balanceNotice(facts: {
  level: BalanceLevel;
  balance: Money;
  low: Money;
  refused: Money | undefined;
  rate: SpendingRate;
  baseUrl: string | undefined;
}): Notice {
  const { level, balance, low, refused, rate } = facts;
  const isSpent = level === 'exhausted';
  const [event, sentence] = refused
    ? [
        'has refused a request',
        `The balance of the account, ${roundedRub(balance)}, has refused a request that needs ${refused} RUB.`,
      ]
    : isSpent
      ? ['is exhausted', `The balance of the account is exhausted, ${roundedRub(balance)}: requests are refused.`]
      : ['is low', `The balance of the account is low: ${roundedRub(balance)}, at most ${roundedRub(low)}.`];
  const notice: Notice = {
    type: isSpent || refused ? 'alert.balance.exhausted' : 'alert.balance.low',
    subject: `Model gateway: the balance ${event}`,
    lines: [sentence, ...rateLines(rate, isSpent)],
    data: { balance_rub: balance, low_balance_rub: low, refused_rub: refused ?? null, ...rateFacts(rate) },
  };
  return withLink(notice, consoleUrl(facts.baseUrl, 'overview'));
}
