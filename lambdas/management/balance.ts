/**
 * Ledger of an account, with one entry per payment. Its sum is a prepaid account's lifetime limit, so a hold can never
 * exceed the balance.
 */

import { MAX_AMOUNT } from '../money/bounds.ts';
import { Money } from '../money/money.ts';
import { nowMs } from '../platform/clock.ts';
import { conflict, GatewayError, invalidRequest } from '../platform/errors.ts';
import {
  accountLimitsUpdate,
  balanceEntryPut,
  readBalanceEntry,
  type Account,
  type BalanceEntry,
  type BalanceEntryKind,
} from '../store/accounts/accounts.ts';
import { limitWrites } from '../store/counters/counter-parts.ts';
import { lowerLifetimeUpdate, readCounter, type ScopeId } from '../store/counters/counters.ts';
import { gatherGranted } from '../store/counters/limited-parts.ts';
import { limitsAttribute } from '../store/counters/limits.ts';
import type { Item } from '../store/table/table.ts';
import type { Writes } from '../store/table/transact.ts';
import { requireAccount } from './accounts.ts';
import { checkAlertsOf, commitChange, retryOnConflict, type ChangeContext } from './change.ts';

export interface Payment {
  /** Amount in RUB, above zero for top-ups and refunds. */
  amount: Money;
  note?: string | undefined;
  /** Reference of the payment, for example an invoice number. It is the id of the ledger entry. */
  reference: string;
}

export interface Booked {
  account: Account;
  /** Whether the payment had already been booked, so that nothing changed. */
  wasBooked: boolean;
}

/**
 * Adds money to a prepaid account.
 *
 * Guarantee: a reference is booked only once.
 * @throws {GatewayError} 404 for an unknown account, 400 for a postpaid account or a balance above the maximum, 409 for
 *   a reference that was booked with another amount, or if other changes keep interfering
 */
export async function topUp(context: ChangeContext, payment: Payment): Promise<Booked> {
  return book(context, { ...payment, kind: 'top_up' });
}

/**
 * Removes money from a prepaid account, because it was paid back or was booked by mistake.
 *
 * Guarantee: spent and held money cannot be removed, also during concurrent spending. A reference is booked only once.
 * @throws {GatewayError} as `topUp`, and 409 if the amount exceeds the money that is neither spent nor held
 */
export async function refund(context: ChangeContext, payment: Payment): Promise<Booked> {
  return book(context, { ...payment, kind: 'refund', amount: payment.amount.negated() });
}

/**
 * Corrects an account's charges, up or down, with a reason in its ledger. A postpaid account gets only a line in its
 * statement; otherwise the guarantees of `topUp` and `refund` apply.
 *
 * @param adjustment.amount positive or negative, and not zero
 * @param adjustment.note the reason
 * @throws {GatewayError} as `topUp` and `refund`, but not for a postpaid account; 400 for an amount of zero
 */
export async function adjust(context: ChangeContext, adjustment: Payment & { note: string }): Promise<Booked> {
  if (adjustment.amount.isZero) throw invalidRequest('amount', 'must not be 0');
  return book(context, { ...adjustment, kind: 'adjustment' });
}

interface LedgerPayment extends Payment {
  kind: BalanceEntryKind;
}

/**
 * Books a payment.
 * @param payment.amount negative if it reduces the balance
 * @throws {GatewayError} as `topUp`, `refund` and `adjust`
 */
async function book(context: ChangeContext, payment: LedgerPayment): Promise<Booked> {
  const { table, accountId, actor } = context;
  const { amount, note, reference: id, kind } = payment;
  const createdAt = new Date(nowMs()).toISOString();
  return retryOnConflict(async () => {
    const account = await requireAccount(table, accountId);
    if (account.mode !== 'prepaid' && kind !== 'adjustment') {
      throw new GatewayError(
        'invalid_request',
        'This account is postpaid: it has no balance. Create a prepaid account with "accounts create --mode prepaid", and name it with --account <id>.',
      );
    }
    // This check must come after the account is read. If the payment was booked earlier, the sum then includes it, or
    // the write fails because the sum is outdated.
    if (await isBooked(context, { id, amount })) {
      return { account: await requireAccount(table, accountId), wasBooked: true };
    }
    if (account.mode === 'postpaid') return noteAdjustment(context, account, payment, createdAt);
    const paidIn = (account.limits.lifetime ?? Money.zero).plus(amount);
    if (paidIn.exceeds(MAX_AMOUNT))
      throw invalidRequest('amount', `must not raise the balance above ${MAX_AMOUNT} RUB`);
    if (paidIn.isNegative) return refuseTooMuch(context, amount);
    const limits = { lifetime: paidIn };
    const revision = account.revision + 1;
    const outcome = await commitChange(
      context,
      {
        action: `account.${kind}`,
        target: `account ${accountId}`,
        before: limitsAttribute(account.limits),
        after: { ...limitsAttribute(limits), ...paymentForAudit(payment) },
      },
      {
        entry: balanceEntryPut(table, accountId, { id, kind, amount, note, actor, createdAt }),
        account: accountLimitsUpdate(table, account, limits),
        ...(await counterWrites(context, { amount, paidIn, revision })),
      },
    );
    if (outcome.committed) {
      await checkAlertsOf(context, 'account');
      return { account: { ...account, limits, revision }, wasBooked: false };
    }
    // Another payment was booked concurrently, or the reply to this booking was lost.
    if (outcome.failed['entry'] || outcome.failed['account']) return undefined;
    return refuseTooMuch(context, amount);
  });
}

/** Books an adjustment of a postpaid account. It has no balance, so the adjustment only appears in its statement. */
async function noteAdjustment(
  context: ChangeContext,
  account: Account,
  payment: LedgerPayment,
  createdAt: string,
): Promise<Booked | undefined> {
  const { table, accountId, actor } = context;
  const { amount, note, reference: id, kind } = payment;
  const outcome = await commitChange(
    context,
    { action: `account.${kind}`, target: `account ${accountId}`, after: paymentForAudit(payment) },
    { entry: balanceEntryPut(table, accountId, { id, kind, amount, note, actor, createdAt }) },
  );
  return outcome.committed ? { account, wasBooked: false } : undefined;
}

function paymentForAudit({ amount, note, reference }: Payment): Item {
  return { amount_rub: amount.toString(), reference, ...(note === undefined ? {} : { note }) };
}

/**
 * Returns the writes of the account's counter. If it is split into several items (parts), they are merged before the
 * balance is lowered.
 */
async function counterWrites(
  { table, accountId }: ChangeContext,
  { amount, paidIn, revision }: { amount: Money; paidIn: Money; revision: number },
): Promise<Writes> {
  const scope = accountCounter(accountId);
  if (!amount.isNegative) return limitWrites(table, scope, { limits: { lifetime: paidIn }, revision });
  await gatherGranted(table, scope);
  return { counter: lowerLifetimeUpdate(table, scope, { limit: paidIn, revision }) };
}

function accountCounter(accountId: string): ScopeId {
  return { kind: 'account', id: accountId };
}

/**
 * Refuses a refund or an adjustment that exceeds the available money.
 * @param amount refused amount, negative
 * @returns undefined if enough money is available by now
 * @throws {GatewayError} 409 with the available amounts
 */
async function refuseTooMuch({ table, accountId }: ChangeContext, amount: Money): Promise<undefined> {
  // The counter also has the sum of payments, so all amounts are from one moment.
  const counter = await readCounter(table, accountCounter(accountId));
  const paidIn = counter.limits.lifetime ?? Money.zero;
  const [spent, committed] = [counter.spent('lifetime'), counter.committed('lifetime')];
  const left = Money.max(Money.zero, paidIn.minus(committed));
  if (!amount.negated().exceeds(left)) return undefined;
  throw conflict(
    `${amount.negated()} RUB cannot be refunded, but at most ${left} RUB: ${paidIn} RUB were paid in, ${spent} are spent, ` +
      `and ${committed.minus(spent)} are held by requests in flight.`,
  );
}

/**
 * Whether a payment with this reference is booked.
 * @throws {GatewayError} 409 if the reference was booked with another amount
 */
async function isBooked(
  { table, accountId }: ChangeContext,
  { id, amount }: Pick<BalanceEntry, 'id' | 'amount'>,
): Promise<boolean> {
  const booked = await readBalanceEntry(table, accountId, id);
  if (booked && !booked.amount.equals(amount)) {
    throw conflict(`The payment "${id}" was booked with ${booked.amount} RUB. Use a new reference for ${amount} RUB.`);
  }
  return booked !== undefined;
}
