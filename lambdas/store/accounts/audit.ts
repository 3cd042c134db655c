import { append } from '../../platform/append.ts';
import { randomUUID } from 'node:crypto';
import { queryPage } from '../table/calls.ts';
import type { Item, Table } from '../table/table.ts';
import { optional, plain, record, text, type RecordOf } from '../table/record.ts';
import { readItem } from '../table/query.ts';
import { put, type Key, type Write } from '../table/writes.ts';

/** Who changed something: a management key over HTTP, or the operator at the command line. */
export interface Actor {
  kind: 'management_key' | 'operator';
  /** The key's hash, or the name of the operator's user. */
  id: string;
  /** The key's masked secret. */
  label?: string | undefined;
}

/** An actor as people read it. */
export function actorName({ kind, id, label }: Actor): string {
  return kind === 'operator' ? `operator ${id}` : (label ?? id);
}

const auditRecord = record({
  at: text('created_at'),
  action: text('action'),
  /** What was changed, e.g. "key 5ff7…". */
  target: text('target'),
  actor: plain<Actor>('actor'),
  requestId: optional(text('request_id')),
  /** The configuration before and after, without secrets; undefined where there is none. */
  before: optional(plain<Item>('before')),
  after: optional(plain<Item>('after')),
});

/** One change of an account's configuration; written in the transaction that makes the change. */
export type AuditEntry = RecordOf<typeof auditRecord>;

export const auditAttributes = auditRecord.attributes;

/** Stands for the account of changes that are of the whole gateway. */
export const GATEWAY_AUDIT = 'gateway';

function auditPartition(accountId: string): string {
  return `AUDIT#${accountId}`;
}

/** The name of an entry that is to be written: no other has it. */
export function newAuditKey(accountId: string, { at }: Pick<AuditEntry, 'at'>): Key {
  return { pk: auditPartition(accountId), sk: `${at}#${randomUUID()}` };
}

export function auditPut(table: Table, key: Key, entry: AuditEntry): Write {
  return put(table, { ...key, entity: 'audit', ...auditRecord.toItem(entry) });
}

/** Whether an entry was written, and with it the change that it is about. */
export async function isAudited(table: Table, key: Key): Promise<boolean> {
  return (await readItem(table, key)) !== undefined;
}

/** The latest changes of an account, newest first. @param selection.since ISO time of the oldest that is wanted */
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
