import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { nowMs } from '../platform/clock.ts';
import type { ApiKey } from './keys.ts';
import { readItem } from './query.ts';
import { numberFrom, TTL_ATTRIBUTE, type Table } from './table.ts';
import type { TransactItems } from './transact.ts';

/**
 * Lists of keys, kept as narrow entries in the order of creation.
 *
 * A key stands in one list per question that can be asked about it: all keys of its workspace, the enabled ones, those of
 * its member, the enabled ones of its member. Entries and counts change in the transaction that changes the key.
 *
 * Guarantee: a list is read consistently, its count is exact, and no page depends on an index that lags behind.
 * Entries are only ever added at the end (a key whose place is taken meanwhile moves behind it), so a position stays
 * what it is until an entry goes; what goes is counted in `removals`.
 * Weakness: creating keys of one workspace is one at a time, a few hundred a second at most.
 */
export type KeyView = string;

type Listed = Pick<ApiKey, 'kind' | 'accountId' | 'workspaceId' | 'memberId' | 'disabled'>;

export function managementView(accountId: string): KeyView {
  return `ACCOUNT#${accountId}`;
}

/** The list that answers: keys of a workspace, or of one of its members, with or without disabled ones. */
export function inferenceView(question: {
  workspaceId: string;
  memberId?: string | undefined;
  includeDisabled: boolean;
}): KeyView {
  const member = question.memberId === undefined ? '' : `#MEMBER#${question.memberId}`;
  return `WORKSPACE#${question.workspaceId}${member}${question.includeDisabled ? '' : '#ENABLED'}`;
}

/** The lists in which a key stands; the first has every key of its owner. */
function viewsOf(key: Listed): [KeyView, ...KeyView[]] {
  if (key.workspaceId === undefined) return [managementView(key.accountId)];
  const { workspaceId, memberId } = key;
  const owners = memberId === undefined ? [{ workspaceId }] : [{ workspaceId }, { workspaceId, memberId }];
  return owners.flatMap((owner) => [
    inferenceView({ ...owner, includeDisabled: true }),
    ...(key.disabled ? [] : [inferenceView({ ...owner, includeDisabled: false })]),
  ]) as [KeyView, ...KeyView[]];
}

/** Enters a new key into its lists. The first item's condition fails when a later entry stands there already. */
export function enterKey(table: Table, key: ApiKey): TransactItems {
  const [all, ...others] = viewsOf(key);
  return [
    {
      Update: {
        ...tallyUpdate(table, all, { count: 1, removals: 0 }),
        UpdateExpression: 'SET last_entry = :entry ADD entries :count, removals :removals',
        ConditionExpression: 'attribute_not_exists(last_entry) OR last_entry < :entry',
        ExpressionAttributeValues: { ':entry': entryOf(key), ':count': 1, ':removals': 0 },
      },
    },
    { Put: { TableName: table.name, Item: entryKey(all, key) } },
    ...others.flatMap((view) => addition(table, view, key, { removals: 0 })),
  ];
}

/** Moves a key between lists when it is switched off, on again, or deleted. */
export function moveKey(table: Table, before: ApiKey, after: ApiKey): TransactItems {
  const from: KeyView[] = before.deleted ? [] : viewsOf(before);
  const to: KeyView[] = after.deleted ? [] : viewsOf(after);
  return [
    ...from.filter((view) => !to.includes(view)).flatMap((view) => removal(table, view, before)),
    // What comes back takes its old place, which moves everything behind it: as bad for positions as a removal.
    ...to.filter((view) => !from.includes(view)).flatMap((view) => addition(table, view, after, { removals: 1 })),
  ];
}

function addition(table: Table, view: KeyView, key: ApiKey, change: { removals: number }): TransactItems {
  return [
    { Put: { TableName: table.name, Item: entryKey(view, key) } },
    { Update: tallyUpdate(table, view, { count: 1, removals: change.removals }) },
  ];
}

function removal(table: Table, view: KeyView, key: ApiKey): TransactItems {
  return [
    { Delete: { TableName: table.name, Key: entryKey(view, key) } },
    { Update: tallyUpdate(table, view, { count: -1, removals: 1 }) },
  ];
}

function tallyUpdate(table: Table, view: KeyView, change: { count: number; removals: number }) {
  return {
    TableName: table.name,
    Key: tallyKey(view),
    UpdateExpression: 'ADD entries :count, removals :removals',
    ExpressionAttributeValues: { ':count': change.count, ':removals': change.removals },
  };
}

function entryOf(key: Pick<ApiKey, 'createdAt' | 'hash'>): string {
  return `${key.createdAt}#${key.hash}`;
}

function entryKey(view: KeyView, key: ApiKey): { pk: string; sk: string } {
  return { pk: `KEYS#${view}`, sk: entryOf(key) };
}

/** Where the number of a list's entries stands. */
export function tallyKey(view: KeyView): { pk: string; sk: string } {
  return { pk: `KEYS#${view}`, sk: 'TALLY' };
}

/** A bookmark is set when at least this many entries were walked since the last one; fewer cost one read unit anyway. */
const BOOKMARK_EVERY = 20;
const BOOKMARK_SECONDS = 86_400;

interface Tally {
  entries: number;
  removals: number;
}

/** The entry that stands last before a position. */
interface Bookmark {
  position: number;
  entry: string;
}

/**
 * A page of a list: hashes of keys by position.
 *
 * Cost: walking page after page reads each entry once, because each page leaves a bookmark where it ended; a jump reads
 * at most offset + limit entries. A page that something was removed under is read again.
 */
export async function keyPage(
  table: Table,
  view: KeyView,
  page: { offset: number; limit: number },
): Promise<{ hashes: string[]; total: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const tally = await readTally(table, view);
    if (page.offset >= tally.entries) return { hashes: [], total: tally.entries };
    const bookmark = page.offset === 0 ? undefined : await nearestBookmark(table, view, tally, page.offset);
    const entries = await readEntries(table, view, page, bookmark);
    const after = await readTally(table, view);
    const isStable = after.removals === tally.removals;
    if (!isStable && attempt < 3) continue;
    const end = page.offset + entries.length;
    const walked = end - (bookmark?.position ?? 0);
    if (isStable && end < after.entries && walked >= BOOKMARK_EVERY) {
      await leaveBookmark(table, view, tally, { position: end, entry: entries.at(-1)! });
    }
    return { hashes: entries.map((entry) => entry.slice(entry.indexOf('#') + 1)), total: after.entries };
  }
}

async function readTally(table: Table, view: KeyView): Promise<Tally> {
  const item = await readItem(table, tallyKey(view));
  return { entries: numberFrom(item?.['entries']), removals: numberFrom(item?.['removals']) };
}

async function readEntries(
  table: Table,
  view: KeyView,
  page: { offset: number; limit: number },
  bookmark: Bookmark | undefined,
): Promise<string[]> {
  const skipped = page.offset - (bookmark?.position ?? 0);
  const entries: string[] = [];
  let after = bookmark?.entry ?? '0';
  while (entries.length < skipped + page.limit) {
    const answer = await table.documents.send(
      new QueryCommand({
        TableName: table.name,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :after AND :end',
        ProjectionExpression: 'sk',
        // BETWEEN includes its ends: what follows an entry begins with it and one character more.
        ExpressionAttributeValues: { ':pk': `KEYS#${view}`, ':after': `${after} `, ':end': 'A' },
        Limit: skipped + page.limit - entries.length,
      }),
    );
    for (const item of answer.Items ?? []) entries.push(item['sk'] as string);
    if (!answer.LastEvaluatedKey) break;
    after = answer.LastEvaluatedKey['sk'] as string;
  }
  return entries.slice(skipped);
}

/** Bookmarks hold for as long as nothing was removed: their name says after how many removals they were set. */
function bookmarkPartition(view: KeyView, { removals }: Tally): string {
  return `BOOKMARKS#${view}#${removals}`;
}

function positionName(position: number): string {
  return String(position).padStart(12, '0');
}

async function nearestBookmark(
  table: Table,
  view: KeyView,
  tally: Tally,
  position: number,
): Promise<Bookmark | undefined> {
  const answer = await table.documents.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk <= :position',
      ExpressionAttributeValues: { ':pk': bookmarkPartition(view, tally), ':position': positionName(position) },
      ScanIndexForward: false,
      Limit: 1,
    }),
  );
  const item = answer.Items?.[0];
  return item && { position: Number(item['sk']), entry: item['entry'] as string };
}

async function leaveBookmark(table: Table, view: KeyView, tally: Tally, bookmark: Bookmark): Promise<void> {
  await table.documents.send(
    new PutCommand({
      TableName: table.name,
      Item: {
        pk: bookmarkPartition(view, tally),
        sk: positionName(bookmark.position),
        entity: 'bookmark',
        entry: bookmark.entry,
        [TTL_ATTRIBUTE]: Math.floor(nowMs() / 1000) + BOOKMARK_SECONDS,
      },
    }),
  );
}

/** Every hash of a list, oldest first. */
export async function* allKeys(table: Table, view: KeyView): AsyncGenerator<string> {
  for (let offset = 0; ;) {
    const { hashes } = await keyPage(table, view, { offset, limit: 100 });
    yield* hashes;
    if (hashes.length < 100) return;
    offset += hashes.length;
  }
}
