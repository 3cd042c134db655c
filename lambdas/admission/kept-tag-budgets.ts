import { ageMs, thisMoment, type Moment } from '../platform/clock.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { tagSettingsFrom, tagSettingsKey, type TagBudgets } from '../store/accounts/account-tags.ts';
import type { Item } from '../store/table/table.ts';
import type { Key } from '../store/table/writes.ts';

interface KeptBudgets {
  readAt: Moment;
  budgets: Promise<readonly TagBudgets[]>;
}

/** Budgets by account. The map is bounded, because an account's budgets may have more than 100 KB. */
const kept = new BoundedMap<string, KeptBudgets>(500);

interface ReadCaller {
  items: Item[];
  tagBudgets: readonly TagBudgets[];
  readAt: Moment;
}

/**
 * Reads a caller and the budgets of its account's tags, usually in one read. Known budgets are read again after
 * `maxAgeMs`.
 * @param read reads the items of the caller, and the items with the keys `more`
 */
export async function readWithTagBudgets(
  accountId: string,
  maxAgeMs: number,
  read: (more: Key[]) => Promise<Item[]>,
): Promise<ReadCaller> {
  const known = kept.get(accountId);
  if (known && ageMs(known.readAt) < maxAgeMs) {
    // The kept budgets may come from the read of another caller. If that read failed, the budgets are read again below.
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
