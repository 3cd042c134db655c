/**
 * The ledger of an account. What was paid in, less what was given back, with what was adjusted, is a prepaid account's lifetime limit,
 * so a hold can never pass the balance. Each payment is an entry.
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
import { commitChange, retryOnConflict, type ChangeContext } from './change.ts';

export interface Payment {
  /** Above zero. */
  amount: Money;
  note?: string | undefined;
  /** Of the payment, for example the number of an invoice; the id of its entry in the ledger. */
  reference: string;
}

export interface Booked {
  /** As it is now. */
  account: Account;
  /** The payment had been booked before: nothing was changed. */
  wasBooked: boolean;
}

/**
 * Adds money to a prepaid account.
 *
 * Guarantee: of payments with the same reference one is booked, however often it is asked for.
 * @throws {GatewayError} 404 for an unknown account, 400 for a postpaid one, 409 for a reference of another amount
 */
export async function topUp(context: ChangeContext, payment: Payment): Promise<Booked> {
  return book(context, { ...payment, kind: 'top_up' });
}

/**
 * Takes money out of a prepaid account: it was paid back, or booked by mistake.
 *
 * Guarantee: what is spent or held stays paid for, whatever is spent meanwhile; and one of those with the same reference is
 * booked.
 * @throws {GatewayError} as topUp, and 409 for more than is left
 */
export async function refund(context: ChangeContext, payment: Payment): Promise<Booked> {
  return book(context, { ...payment, kind: 'refund', amount: payment.amount.negated() });
}

/**
 * Corrects what an account was charged, up or down, for a reason that stays in its ledger. A prepaid account has it in its balance at
 * once; of a postpaid one it is a line of the statement.
 *
 * Guarantee: as of top-ups and refunds; an adjustment takes no more than what is neither spent nor held.
 * @param adjustment.amount of either sign, and not zero
 * @param adjustment.note why
 * @throws {GatewayError} as topUp and refund, and 400 for nothing
 */
export async function adjust(context: ChangeContext, adjustment: Payment & { note: string }): Promise<Booked> {
  if (adjustment.amount.isZero) throw invalidRequest('amount', 'must not be 0: it would adjust nothing');
  return book(context, { ...adjustment, kind: 'adjustment' });
}

interface LedgerPayment extends Payment {
  kind: BalanceEntryKind;
}

/** @param payment.amount below zero, where money is given back */
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
    // Looked for after the account was read: what is booked by then is in the sum, or the sum is refused as outdated.
    if (await isBooked(context, { id, amount })) {
      return { account: await requireAccount(table, accountId), wasBooked: true };
    }
    if (account.mode === 'postpaid') return noteAdjustment(context, account, payment, createdAt);
    const paidIn = (account.limits.lifetime ?? Money.zero).plus(amount);
    if (paidIn.exceeds(MAX_AMOUNT)) throw invalidRequest('amount', `makes the balance larger than ${MAX_AMOUNT} RUB`);
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
    if (outcome.committed) return { account: { ...account, limits, revision }, wasBooked: false };
    // The same payment, or another one, got there first, or a reply to this one was lost: all is looked at anew.
    if (outcome.failed['entry'] || outcome.failed['account']) return undefined;
    return refuseTooMuch(context, amount);
  });
}

/** An adjustment of an account without a balance: the statement has it. */
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

/** The writes that change the balance at the counter. Its parts are taken in by them, or before. */
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
 * @param amount that was to be given back, below zero
 * @returns undefined where there is enough by now
 * @throws {GatewayError} 409 with what there is
 */
async function refuseTooMuch({ table, accountId }: ChangeContext, amount: Money): Promise<undefined> {
  // It has what was paid in as well: all of it is of one moment.
  const counter = await readCounter(table, accountCounter(accountId));
  const paidIn = counter.limits.lifetime ?? Money.zero;
  const [spent, committed] = [counter.spent('lifetime'), counter.committed('lifetime')];
  const left = Money.max(Money.zero, paidIn.minus(committed));
  if (!amount.negated().exceeds(left)) return undefined;
  throw conflict(
    `${amount.negated()} RUB cannot be given back, only ${left}: ${paidIn} RUB were paid in, ${spent} are spent, ` +
      `and ${committed.minus(spent)} are held by requests that are under way.`,
  );
}

/** @throws {GatewayError} 409 where the same reference was booked with another amount */
async function isBooked(
  { table, accountId }: ChangeContext,
  { id, amount }: Pick<BalanceEntry, 'id' | 'amount'>,
): Promise<boolean> {
  const booked = await readBalanceEntry(table, accountId, id);
  if (booked && !booked.amount.equals(amount)) {
    throw conflict(
      `The payment "${id}" was booked with ${booked.amount} RUB; use a reference of its own for ${amount} RUB.`,
    );
  }
  return booked !== undefined;
}
