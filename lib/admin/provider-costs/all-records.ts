import { dayFinder, type Period } from '../../../lambdas/books/period.ts';
import { recordsOf } from '../../../lambdas/books/records.ts';
import { notFound } from '../../../lambdas/platform/errors.ts';
import { listAccountIds, readAccount } from '../../../lambdas/store/accounts/accounts.ts';
import type { Generation } from '../../../lambdas/store/generations/generation.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { showProgress } from '../command-line/progress.ts';

/**
 * Yields the generations of a period with their days, for one account or for all accounts.
 * @throws {GatewayError} 404 if the account does not exist
 */
export async function* recordsOfAccounts(
  table: Table,
  account: string | undefined,
  period: Period,
): AsyncGenerator<{ generation: Generation; day: string }, void> {
  if (account !== undefined && !(await readAccount(table, account)))
    throw notFound(`There is no account "${account}". List accounts with "accounts list".`);
  const ids = account === undefined ? (await Array.fromAsync(listAccountIds(table))).map(({ id }) => id) : [account];
  const dayOf = dayFinder(period);
  const progress = showProgress('read', ids.length);
  for (const accountId of ids) {
    for await (const generation of recordsOf({ table, accountId }, period)) {
      yield { generation, day: dayOf(generation.createdAtMs)! };
    }
    progress(accountId);
  }
}
