import { append } from '../../platform/append.ts';
import { randomUUID } from 'node:crypto';
import { queryPage } from '../table/calls.ts';
import type { Item, Table } from '../table/table.ts';
import { optional, plain, record, text, type RecordOf } from '../table/record.ts';
import { readItem } from '../table/query.ts';
import { put, type Key, type Write } from '../table/writes.ts';

/** Author of a change. */
export interface Actor {
  kind: 'management_key' | 'operator';
  /** Hash of the key, or the operator's user name. */
  id: string;
  /** Masked secret of the key. */
  label?: string | undefined;
}

export function actorName({ kind, id, label }: Actor): string {
  return kind === 'operator' ? `operator ${id}` : (label ?? id);
}

const auditRecord = record({
  at: text('created_at'),
  action: text('action'),
  /** The changed object, for example "key 5ff7…". */
  target: text('target'),
  actor: plain<Actor>('actor'),
  requestId: optional(text('request_id')),
  /** Configuration before and after the change, without secrets. Undefined if the object did not exist. */
  before: optional(plain<Item>('before')),
  after: optional(plain<Item>('after')),
});

export type AuditEntry = RecordOf<typeof auditRecord>;

export const auditAttributes = auditRecord.attributes;

/** Account id of audit entries for changes of the whole gateway. */
export const GATEWAY_AUDIT = 'gateway';

function auditPartition(accountId: string): string {
  return `AUDIT#${accountId}`;
}

export function newAuditKey(accountId: string, { at }: Pick<AuditEntry, 'at'>): Key {
  return { pk: auditPartition(accountId), sk: `${at}#${randomUUID()}` };
}

export function auditPut(table: Table, key: Key, entry: AuditEntry): Write {
  return put(table, { ...key, entity: 'audit', ...auditRecord.toItem(entry) });
}

/** Returns whether an audit entry was written. The change that the entry describes is in the same transaction. */
export async function isAudited(table: Table, key: Key): Promise<boolean> {
  return (await readItem(table, key)) !== undefined;
}

/**
 * Returns the latest changes, newest first.
 * @param selection.since ISO time of the oldest change to return
 */
export async function readAudit(
  table: Table,
  accountId: string,
  selection: { since?: string | undefined; limit: number },
): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let start: Item | undefined;
  do {
    const page = await queryPage(
      table,
      {
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND sk >= :since',
        ExpressionAttributeValues: { ':pk': auditPartition(accountId), ':since': selection.since ?? '0' },
        ScanIndexForward: false,
        Limit: selection.limit - entries.length,
      },
      { start },
    );
    append(entries, page.items.map(auditRecord.from));
    start = page.next;
  } while (start && entries.length < selection.limit);
  return entries;
}
