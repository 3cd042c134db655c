/**
 * Stops the keys of a suspended or closed account. The keys are stored as disabled, because the previous release does
 * not read the status of accounts. Remove this file one release after 0.3.0.
 */

import { conflict } from '../platform/errors.ts';
import { accountStatusCheck, isActive, type Account } from '../store/accounts/accounts.ts';
import { allKeys, inferenceKeysOf, managementKeysOf, type KeyList } from '../store/accounts/key-directory.ts';
import { keyFrom, keyItemKey, keyReplacement, type ApiKey } from '../store/accounts/keys.ts';
import { readItems } from '../store/table/query.ts';
import type { Table } from '../store/table/table.ts';
import { transact } from '../store/table/transact.ts';
import { listWorkspaces } from '../store/accounts/workspaces.ts';
import { requireAccount } from './accounts.ts';
import { retryOnConflict } from './change.ts';

/** Number of keys in one transaction, with the check of the account. */
const BATCH = 25;

/**
 * Stops or releases every key of an account, as the account's status requires; the call may be repeated. Cost: all keys
 * of the account are read.
 *
 * Guarantee: each write checks the account's status, so a slower command cannot undo a later one.
 * @returns the number of changed keys
 * @throws {GatewayError} 404 if the account does not exist; 409 if another command changes the status at the same time,
 *   or if other changes keep interfering
 */
export async function alignKeys(table: Table, accountId: string): Promise<number> {
  const account = await requireAccount(table, accountId);
  let changed = 0;
  for (const list of await keyListsOf(table, account.id)) {
    let batch: string[] = [];
    for await (const hash of allKeys(table, list)) {
      batch.push(hash);
      if (batch.length < BATCH) continue;
      changed += await alignBatch(table, account, batch);
      batch = [];
    }
    changed += await alignBatch(table, account, batch);
  }
  return changed;
}

/** Returns the lists that together contain every key of an account, except deleted keys. */
export async function keyListsOf(table: Table, accountId: string): Promise<KeyList[]> {
  const workspaces = await listWorkspaces(table, accountId);
  return [
    managementKeysOf(accountId),
    ...workspaces.map(({ id }) => inferenceKeysOf({ workspaceId: id, includeDisabled: true })),
  ];
}

async function alignBatch(table: Table, account: Account, hashes: readonly string[]): Promise<number> {
  const isStopped = !isActive(account);
  return retryOnConflict(async () => {
    const keys = (await readItems(table, hashes.map(keyItemKey))).map(keyFrom);
    const differing = keys.filter((key) => !key.deleted && key.isStopped !== isStopped);
    if (differing.length === 0) return 0;
    const replaced = differing.map((key): [string, ReturnType<typeof keyReplacement>] => {
      const after: ApiKey = { ...key, isStopped, version: key.version + 1 };
      return [key.hash, keyReplacement(table, key, after)];
    });
    const outcome = await transact(table, {
      account: accountStatusCheck(table, account),
      ...Object.fromEntries(replaced),
    });
    if (outcome.committed) return differing.length;
    if (outcome.failed['account'])
      throw conflict('Another command changed the status of the account. Check the status, and repeat the command.');
    return undefined;
  });
}
