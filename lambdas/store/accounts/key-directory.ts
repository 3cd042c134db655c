/**
 * Lists of keys in the order of creation, one for each combination of filters. Entries and counts change in the
 * transaction that changes the key.
 *
 * Guarantee: a list's count is exact. New entries are only added at the end, so a key's position changes only when an
 * entry before it is removed, or returns because its key is enabled again. `removals` counts both changes.
 * Weakness: keys of one workspace are created one after another, because each new key changes the same item.
 */

import { DAY_MS } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import type { ApiKey } from './keys.ts';
import { queryPage, writeItem } from '../table/calls.ts';
import { readItem } from '../table/query.ts';
import { numberFrom, TTL_ATTRIBUTE, type Table } from '../table/table.ts';
import type { Writes } from '../table/transact.ts';
import { put, remove, update, type Key } from '../table/writes.ts';

export type KeyList = string;

type Listed = Pick<ApiKey, 'kind' | 'accountId' | 'workspaceId' | 'memberId' | 'disabled'>;

export function managementKeysOf(accountId: string): KeyList {
  return `ACCOUNT#${accountId}`;
}

export function inferenceKeysOf(question: {
  workspaceId: string;
  memberId?: string | undefined;
  includeDisabled: boolean;
}): KeyList {
  const member = question.memberId === undefined ? '' : `#MEMBER#${question.memberId}`;
  return `WORKSPACE#${question.workspaceId}${member}${question.includeDisabled ? '' : '#ENABLED'}`;
}

/** Returns the lists that contain a key. The first list has every key of its owner. */
function listsOf(key: Listed): [KeyList, ...KeyList[]] {
  if (key.workspaceId === undefined) return [managementKeysOf(key.accountId)];
  const { workspaceId, memberId } = key;
  const owners = memberId === undefined ? [{ workspaceId }] : [{ workspaceId }, { workspaceId, memberId }];
  return owners.flatMap((owner) => [
    inferenceKeysOf({ ...owner, includeDisabled: true }),
    ...(key.disabled ? [] : [inferenceKeysOf({ ...owner, includeDisabled: false })]),
  ]) as [KeyList, ...KeyList[]];
}

/**
 * Adds a new key to its lists. The write `last` fails if the list has, or had, an entry that sorts after the new entry.
 */
export function enterKey(table: Table, key: ApiKey): Writes {
  const [all, ...others] = listsOf(key);
  return {
    last: update(table, tallyKey(all), {
      set: { last_entry: entryOf(key) },
      add: { entries: 1, removals: 0 },
      when: { belowIfPresent: { last_entry: entryOf(key) } },
    }),
    entry: put(table, entryKey(all, key)),
    ...Object.assign({}, ...others.map((list) => addition(table, list, key, { removals: 0 }))),
  };
}

export function moveKey(table: Table, before: ApiKey, after: ApiKey): Writes {
  const from: KeyList[] = before.deleted ? [] : listsOf(before);
  const to: KeyList[] = after.deleted ? [] : listsOf(after);
  return Object.assign(
    {},
    ...from.filter((list) => !to.includes(list)).map((list) => removal(table, list, before)),
    // A key that is enabled again returns to its old position. Later keys then move, so `removals` counts this change
    // too.
    ...to.filter((list) => !from.includes(list)).map((list) => addition(table, list, after, { removals: 1 })),
  ) as Writes;
}

function addition(table: Table, list: KeyList, key: ApiKey, { removals }: { removals: number }): Writes {
  return {
    [`entry in ${list}`]: put(table, entryKey(list, key)),
    [`tally of ${list}`]: update(table, tallyKey(list), { add: { entries: 1, removals } }),
  };
}

function removal(table: Table, list: KeyList, key: ApiKey): Writes {
  return {
    [`entry in ${list}`]: remove(table, entryKey(list, key)),
    [`tally of ${list}`]: update(table, tallyKey(list), { add: { entries: -1, removals: 1 } }),
  };
}

function entryOf(key: Pick<ApiKey, 'createdAt' | 'hash'>): string {
  return `${key.createdAt}#${key.hash}`;
}

function entryKey(list: KeyList, key: ApiKey): Key {
  return { pk: `KEYS#${list}`, sk: entryOf(key) };
}

export function tallyKey(list: KeyList): Key {
  return { pk: `KEYS#${list}`, sk: 'TALLY' };
}

/** Minimum number of entries from the previous bookmark to a new one. */
const BOOKMARK_EVERY = 20;
const BOOKMARK_SECONDS = DAY_MS / 1000;

interface Tally {
  entries: number;
  removals: number;
}

/** Place in a list of keys: `position` entries come before it, and `entry` is the last of these entries. */
interface Bookmark {
  position: number;
  entry: string;
}

/**
 * Returns a page of a list: hashes of keys by position.
 *
 * Cost: a page stores a bookmark at its end, unless a bookmark is near or the list ends. In ascending order of pages,
 * few earlier entries are read again; otherwise up to `offset` entries.
 */
export async function keyPage(
  table: Table,
  list: KeyList,
  page: { offset: number; limit: number },
): Promise<{ hashes: string[]; total: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const tally = await readTally(table, list);
    if (page.offset >= tally.entries) return { hashes: [], total: tally.entries };
    const bookmark = page.offset === 0 ? undefined : await nearestBookmark(table, list, tally, page.offset);
    const entries = await readEntries(table, list, page, bookmark);
    const after = await readTally(table, list);
    const isStable = after.removals === tally.removals;
    if (!isStable && attempt < 3) continue;
    const end = page.offset + entries.length;
    const walked = end - (bookmark?.position ?? 0);
    if (isStable && end < after.entries && walked >= BOOKMARK_EVERY) {
      await leaveBookmark(table, list, tally, { position: end, entry: entries.at(-1)! });
    }
    return { hashes: entries.map(hashOf), total: after.entries };
  }
}

async function readTally(table: Table, list: KeyList): Promise<Tally> {
  const item = await readItem(table, tallyKey(list));
  return { entries: numberFrom(item?.['entries']), removals: numberFrom(item?.['removals']) };
}

async function readEntries(
  table: Table,
  list: KeyList,
  page: { offset: number; limit: number },
  bookmark: Bookmark | undefined,
): Promise<string[]> {
  const skipped = page.offset - (bookmark?.position ?? 0);
  const entries: string[] = [];
  let after = bookmark?.entry ?? '0';
  while (entries.length < skipped + page.limit) {
    const { items, next } = await queryPage(table, {
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :after AND :end',
      ProjectionExpression: 'sk',
      // BETWEEN includes both ends. The entry plus one space sorts after the entry and before all later entries.
      ExpressionAttributeValues: { ':pk': `KEYS#${list}`, ':after': `${after} `, ':end': 'A' },
      Limit: skipped + page.limit - entries.length,
    });
    for (const item of items) entries.push(item['sk'] as string);
    if (!next) break;
    after = next['sk'] as string;
  }
  return entries.slice(skipped);
}

/** The name contains the number of removals, so bookmarks from before a removal are not found again. */
function bookmarkPartition(list: KeyList, { removals }: Tally): string {
  return `BOOKMARKS#${list}#${removals}`;
}

function positionName(position: number): string {
  return String(position).padStart(12, '0');
}

async function nearestBookmark(
  table: Table,
  list: KeyList,
  tally: Tally,
  position: number,
): Promise<Bookmark | undefined> {
  const { items } = await queryPage(table, {
    KeyConditionExpression: 'pk = :pk AND sk <= :position',
    ExpressionAttributeValues: { ':pk': bookmarkPartition(list, tally), ':position': positionName(position) },
    ScanIndexForward: false,
    Limit: 1,
  });
  const [item] = items;
  return item && { position: Number(item['sk']), entry: item['entry'] as string };
}

async function leaveBookmark(table: Table, list: KeyList, tally: Tally, bookmark: Bookmark): Promise<void> {
  const item = {
    pk: bookmarkPartition(list, tally),
    sk: positionName(bookmark.position),
    entity: 'bookmark',
    entry: bookmark.entry,
    [TTL_ATTRIBUTE]: Math.floor(nowMs() / 1000) + BOOKMARK_SECONDS,
  };
  await writeItem(table, put(table, item));
}

const KEYS_IN_A_READ = 100;

/**
 * Yields the hashes of the keys in a list, oldest key first. Keys that enter or leave the list during the read may be
 * missing.
 */
export async function* allKeys(table: Table, list: KeyList): AsyncGenerator<string> {
  for (let start: Bookmark | undefined; ;) {
    const entries = await readEntries(table, list, { offset: start?.position ?? 0, limit: KEYS_IN_A_READ }, start);
    yield* entries.map(hashOf);
    if (entries.length < KEYS_IN_A_READ) return;
    start = { position: (start?.position ?? 0) + entries.length, entry: entries.at(-1)! };
  }
}

function hashOf(entry: string): string {
  return entry.slice(entry.indexOf('#') + 1);
}
