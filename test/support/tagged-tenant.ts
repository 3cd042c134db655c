/** Accounts for tests of reports by tag, whose requests are dated yesterday, so that daily rows can be computed. */

import { dayBefore } from '../../lambdas/accounting/activity-days.ts';
import type { ActivitySplit } from '../../lambdas/accounting/activity.ts';
import { rollUpShard } from '../../lambdas/accounting/roll-up.ts';
import { reconcile } from '../../lambdas/books/reconcile.ts';
import { readTaggedActivity } from '../../lambdas/books/tagged-activity.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { addMembers } from '../../lambdas/management/members.ts';
import { setReportedTags } from '../../lambdas/management/reported-tags.ts';
import { findWorkspace } from '../../lambdas/management/workspaces.ts';
import { Money } from '../../lambdas/money/money.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import type { Account } from '../../lambdas/store/accounts/accounts.ts';
import type { Payer } from '../../lambdas/store/accounts/payer.ts';
import { dailyRows } from '../../lambdas/store/days/activity.ts';
import { GENERATION_SHARDS } from '../../lambdas/store/generations/generation-key.ts';
import type { Table } from '../../lambdas/store/table/table.ts';

export const taggedDate = dayBefore(utcDate(Date.now()));
export const reportedNames = ['project', 'team'];
/** Tags of the second key, now and when its requests were sent. */
export const tagsOfSecondKey = { team: 'of the key' };

export class TaggedTenant {
  readonly table: Table;
  readonly account: Account;
  readonly context: ChangeContext;
  /** Three keys, of which only the first has a member, and only the second has tags. */
  readonly payers: readonly Payer[];

  private constructor(context: ChangeContext, account: Account, payers: readonly Payer[]) {
    this.table = context.table;
    this.context = context;
    this.account = account;
    this.payers = payers;
  }

  static async create(table: Table): Promise<TaggedTenant> {
    const actor = { kind: 'operator', id: 'test' } as const;
    const account = await createAccount(table, actor, { name: 'Tags', mode: 'postpaid' });
    const context: ChangeContext = { table, accountId: account.id, actor };
    const workspaceId = account.defaultWorkspaceId;
    await addMembers(context, await findWorkspace(table, account.id, workspaceId), ['ann']);
    await setReportedTags(context, { reported: reportedNames });
    const payers: Payer[] = [];
    for (const more of [{ memberId: 'ann' }, { tags: tagsOfSecondKey }, {}]) {
      const { key } = await createKey(context, 'pepper', { kind: 'inference', workspaceId, name: 'k', ...more });
      payers.push({ accountId: account.id, workspaceId, memberId: key.memberId, keyHash: key.hash });
    }
    return new TaggedTenant(context, account, payers);
  }

  async rollUp(): Promise<void> {
    const { id: accountId } = this.account;
    for (let shard = 0; shard < GENERATION_SHARDS; shard += 1) {
      await rollUpShard(this.table, { accountId, date: taggedDate, shard, sinceMs: Date.now() + 60_000 });
    }
  }

  /** Returns the differences that `reconcile --deep` reports. */
  async differences() {
    const question = { account: this.account, dates: [taggedDate], isDeep: true, isWhole: true, pauseMs: 1 };
    return (await reconcile(this.table, question)).findings;
  }

  activityBy(...splitBy: ActivitySplit[]) {
    return readTaggedActivity({ table: this.table, accountId: this.account.id }, [taggedDate], { splitBy });
  }

  keyRows() {
    return Array.fromAsync(dailyRows(this.table, this.account.id, taggedDate, { level: 'KEY' }));
  }
}

export function sumsBy<Of>(
  all: readonly Of[],
  nameOf: (one: Of) => unknown,
  amountOf: (one: Of) => Money,
): Record<string, string> {
  const groups = Map.groupBy(all, (one) => JSON.stringify(nameOf(one)));
  return Object.fromEntries([...groups].map(([name, own]) => [name, String(Money.sum(own.map(amountOf)))]));
}

export const rowUsage = ({ usage }: { usage: Money }): Money => usage;
