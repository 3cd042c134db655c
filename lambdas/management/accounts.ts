import { randomUUID } from 'node:crypto';
import { conflict, GatewayError, notFound } from '../platform/errors.ts';
import { Money } from '../money/money.ts';
import { nowMs } from '../platform/clock.ts';
import { uuidv7 } from '../platform/ids.ts';
import {
  accountEntryPut,
  accountLimitsUpdate,
  accountPrivacyUpdate,
  accountPut,
  readAccount,
  readTopUp,
  topUpPut,
  type Account,
  type AccountMode,
  type TopUp,
} from '../store/accounts.ts';
import type { Actor } from '../store/audit.ts';
import { configureUpdate } from '../store/counters.ts';
import { limitsAttribute } from '../store/limits.ts';
import { openPrivacy, privacyAttribute, type PrivacyChange } from '../store/privacy.ts';
import type { Table } from '../store/table.ts';
import { commitChange, untilUndisturbed, type ChangeContext } from './change.ts';
import { changedPrivacy } from './privacy.ts';
import { newWorkspace, workspaceWrites } from './workspaces.ts';

/** Creates an account with its Default workspace, in one transaction. A prepaid account starts with nothing to spend. */
export async function createAccount(
  table: Table,
  actor: Actor,
  input: { name: string; mode: AccountMode },
): Promise<Account> {
  const id = uuidv7();
  const workspace = newWorkspace({
    accountId: id,
    name: 'Default',
    slug: 'default',
    isDefault: true,
    privacy: openPrivacy,
  });
  const account: Account = {
    id,
    name: input.name,
    mode: input.mode,
    limits: input.mode === 'prepaid' ? { lifetime: Money.zero } : {},
    revision: 0,
    privacy: openPrivacy,
    defaultWorkspaceId: workspace.id,
    createdAt: workspace.createdAt,
  };
  await commitChange(
    { table, accountId: id, actor },
    { action: 'account.create', target: `account ${id}`, after: { name: account.name, mode: account.mode } },
    {
      account: accountPut(table, account),
      entry: accountEntryPut(table, account),
      counter: configureUpdate(table, { kind: 'account', id }, { limits: account.limits, revision: 0, active: true }),
      ...workspaceWrites(table, workspace),
    },
  );
  return account;
}

/** Changes which providers may see anything of the account. @throws {GatewayError} 404 */
export async function setAccountPrivacy(context: ChangeContext, change: PrivacyChange | null): Promise<Account> {
  const { table, accountId } = context;
  return untilUndisturbed(async () => {
    const account = await requireAccount(table, accountId);
    const privacy = changedPrivacy(context, account.privacy, change);
    if (privacy === account.privacy) return account;
    const outcome = await commitChange(
      context,
      {
        action: 'account.privacy',
        target: `account ${accountId}`,
        before: privacyAttribute(account.privacy),
        after: privacyAttribute(privacy),
      },
      { account: accountPrivacyUpdate(table, account, privacy) },
    );
    return outcome.committed ? { ...account, privacy } : undefined;
  });
}

async function requireAccount(table: Table, accountId: string): Promise<Account> {
  const account = await readAccount(table, accountId);
  if (!account) throw notFound(`There is no account "${accountId}".`);
  return account;
}

/**
 * Adds money to a prepaid account. The sum of its top-ups is its lifetime limit, so a hold can never pass the balance.
 *
 * Guarantee: of top-ups with the same reference one is booked, however often it is asked for.
 * @param input.reference of the payment, for example the number of an invoice
 * @returns the account as it is now, and whether the payment was booked before
 * @throws {GatewayError} 404 for an unknown account, 400 for a postpaid one, 409 for a reference of another amount
 */
export async function topUp(
  context: ChangeContext,
  input: { amount: Money; note?: string | undefined; reference?: string | undefined },
): Promise<{ id: string; account: Account; wasBooked: boolean }> {
  const { table, accountId } = context;
  const { amount, note, reference } = input;
  const id = reference ?? randomUUID();
  const createdAt = new Date(nowMs()).toISOString();
  return untilUndisturbed(async () => {
    const wasBooked = reference !== undefined && (await isBooked(context, { id, amount }));
    // Read after it, so that it has what was booked.
    const account = await requireAccount(table, accountId);
    if (account.mode !== 'prepaid') {
      throw new GatewayError('invalid_request', 'This account is postpaid: it has no balance to top up.');
    }
    if (wasBooked) return { id, account, wasBooked };
    const limits = { lifetime: (account.limits.lifetime ?? Money.zero).plus(amount) };
    const revision = account.revision + 1;
    const outcome = await commitChange(
      context,
      {
        action: 'account.top_up',
        target: `account ${accountId}`,
        before: limitsAttribute(account.limits),
        after: limitsAttribute(limits),
      },
      {
        topUp: topUpPut(table, accountId, { id, amount, note, createdAt }),
        account: accountLimitsUpdate(table, account, limits),
        counter: configureUpdate(table, { kind: 'account', id: accountId }, { limits, revision }),
      },
    );
    if (outcome.committed) return { id, account: { ...account, limits, revision }, wasBooked: false };
    // The top-up's own item exists already: this repeats a write whose reply was lost, or the reference was used meanwhile.
    // Otherwise another top-up got there first: the new sum is read, and added to.
    if (outcome.failed.topUp && reference === undefined) {
      return { id, account: await requireAccount(table, accountId), wasBooked: false };
    }
    return undefined;
  });
}

/** @throws {GatewayError} 409 where the same reference was booked with another amount */
async function isBooked(
  { table, accountId }: ChangeContext,
  { id, amount }: Pick<TopUp, 'id' | 'amount'>,
): Promise<boolean> {
  const booked = await readTopUp(table, accountId, id);
  if (booked && !booked.amount.equals(amount)) {
    throw conflict(
      `The payment "${id}" was booked with ${booked.amount} RUB; use a reference of its own for ${amount} RUB.`,
    );
  }
  return booked !== undefined;
}
