import { accountEntryPut } from '../lambdas/store/accounts.ts';
import { moveKey } from '../lambdas/store/key-directory.ts';
import { keyFrom, keyItem, type ApiKey } from '../lambdas/store/keys.ts';
import { readItem } from '../lambdas/store/query.ts';
import { scanItemsWithout } from '../lambdas/store/scan.ts';
import { numberFrom, type Item, type Table } from '../lambdas/store/table.ts';
import { transact, writeAlone } from '../lambdas/store/transact.ts';
import { put, update, type Condition } from '../lambdas/store/writes.ts';

/** The version of records. 2: versions for ETags, keys and accounts in their own lists. */
const CURRENT = 2;
const MARK = { pk: 'SCHEMA', sk: 'VERSION' };

/** Records that were changed, by their kind. */
type Upgraded = Record<'account' | 'workspace' | 'member' | 'key', number>;

/**
 * Upgrades the records of an earlier version: reads the whole table once, then never again.
 *
 * Guarantee: each record is changed on condition that it is still old, so this can be interrupted, repeated, and run
 * while the gateway serves.
 * @returns how many records of each kind were changed
 */
export async function upgradeRecords(table: Table): Promise<Upgraded> {
  const mark = await readItem(table, MARK);
  const changed: Upgraded = { account: 0, workspace: 0, member: 0, key: 0 };
  if (numberFrom(mark?.['version']) >= CURRENT) return changed;
  for await (const item of scanItemsWithout(table, 'version', Object.keys(changed))) {
    if (await upgradeRecord(table, item)) changed[item['entity'] as keyof Upgraded] += 1;
  }
  await writeAlone(table, put(table, { ...MARK, entity: 'schema', version: CURRENT }));
  return changed;
}

async function upgradeRecord(table: Table, item: Item): Promise<boolean> {
  if (item['entity'] === 'key') return upgradeKey(table, keyFrom(item));
  if (item['entity'] === 'account') {
    const account = { id: item['id'] as string, createdAt: item['created_at'] as string };
    await writeAlone(table, accountEntryPut(table, account));
    return true;
  }
  const key = { pk: item['pk'] as string, sk: item['sk'] as string };
  return (
    (await writeAlone(table, update(table, key, { set: { version: 1 }, when: isOld(item['entity'] as string) }))) ===
    undefined
  );
}

/** A record that was removed meanwhile has no entity. */
function isOld(entity: string): Condition {
  return { equal: { entity }, absent: ['version'] };
}

/** In its lists the key keeps its place by creation, even when newer keys exist. */
async function upgradeKey(table: Table, old: ApiKey): Promise<boolean> {
  const key = { ...old, version: 1 };
  const outcome = await transact(table, {
    key: put(table, keyItem(key), isOld('key')),
    ...moveKey(table, { ...key, deleted: true }, key),
  });
  return outcome.committed;
}
