import { ageMs, thisMoment, type Moment } from '../platform/clock.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { tagSettingsFrom, tagSettingsKey, type TagBudgets } from '../store/accounts/account-tags.ts';
import type { Item } from '../store/table/table.ts';
import type { Key } from '../store/table/writes.ts';

/** Budgets of an account's tags, and the time at which the read began. */
interface KeptBudgets {
  readAt: Moment;
  budgets: Promise<readonly TagBudgets[]>;
}

/** Budgets of accounts that have any. An account's budgets may have more than 100 KB, so the number is bounded. */
const kept = new BoundedMap<string, KeptBudgets>(500);

/** Items of a caller, the budgets of its account's tags, and the time of the older of the two reads. */
interface ReadCaller {
  items: Item[];
  tagBudgets: readonly TagBudgets[];
  readAt: Moment;
}

/**
 * Reads a caller, and the budgets of its account's tags.
 *
 * Cost: one read, usually. A process that knows budgets of an account reads them again after `maxAgeMs`, however many
 * of the account's keys it serves. The settings of an account without budgets are small, so each caller reads them.
 * @param read reads the items of the caller and of further keys
 */
export async function readWithTagBudgets(
  accountId: string,
  maxAgeMs: number,
  read: (more: Key[]) => Promise<Item[]>,
): Promise<ReadCaller> {
  const known = kept.get(accountId);
  if (known && ageMs(known.readAt) < maxAgeMs) {
    // A failed read of another caller must not fail this one.
    const [items, tagBudgets] = await Promise.all([read([]), known.budgets.catch(() => undefined)]);
    if (tagBudgets) return { items, tagBudgets, readAt: known.readAt };
  }
  const readAt = thisMoment();
  const reading = read([tagSettingsKey(accountId)]);
  const entry = { readAt, budgets: reading.then(budgetsIn) };
  entry.budgets.catch(() => undefined);
  if (known) kept.set(accountId, entry);
  try {
    const [items, tagBudgets] = [await reading, await entry.budgets];
    if (tagBudgets.length === 0) forget(accountId, entry);
    else if (!kept.has(accountId)) kept.set(accountId, entry);
    return { items, tagBudgets, readAt };
  } catch (error) {
    forget(accountId, entry);
    throw error;
  }
}

function forget(accountId: string, entry: KeptBudgets): void {
  if (kept.get(accountId) === entry) kept.delete(accountId);
}

function budgetsIn(items: Item[]): readonly TagBudgets[] {
  const tags = items.find((item) => item['entity'] === 'account_tags');
  return tags ? tagSettingsFrom(tags).budgets : [];
}
