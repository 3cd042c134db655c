import { randomUUID } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Item, Table } from './table.ts';
import type { TransactItems } from './transact.ts';

/** Who changed something: a management key over HTTP, or the operator at the command line. */
export interface Actor {
  kind: 'management_key' | 'operator';
  /** The key's hash, or the name of the operator's user. */
  id: string;
  /** The key's masked secret. */
  label?: string | undefined;
}

/** One change of an account's configuration; written in the transaction that makes the change. */
export interface AuditEntry {
  at: string;
  action: string;
  /** What was changed, e.g. "key 5ff7…". */
  target: string;
  actor: Actor;
  requestId: string | undefined;
  /** The configuration before and after, without secrets; undefined where there was or is nothing. */
  before: Item | undefined;
  after: Item | undefined;
}

function partition(accountId: string): string {
  return `AUDIT#${accountId}`;
}

export function auditPut(table: Table, accountId: string, entry: AuditEntry): TransactItems[number] {
  return {
    Put: {
      TableName: table.name,
      Item: {
        pk: partition(accountId),
        sk: `${entry.at}#${randomUUID()}`,
        entity: 'audit',
        action: entry.action,
        target: entry.target,
        actor: entry.actor,
        request_id: entry.requestId,
        before: entry.before,
        after: entry.after,
        created_at: entry.at,
      },
    },
  };
}

/** The latest changes of an account, newest first. @param since ISO time from which on */
export async function readAudit(
  table: Table,
  accountId: string,
  selection: { since?: string | undefined; limit: number },
): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let start: Item | undefined;
  do {
    const page = await table.documents.send(
      new QueryCommand({
        TableName: table.name,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND sk >= :since',
        ExpressionAttributeValues: { ':pk': partition(accountId), ':since': selection.since ?? '0' },
        ScanIndexForward: false,
        Limit: selection.limit - entries.length,
        ExclusiveStartKey: start,
      }),
    );
    entries.push(...(page.Items ?? []).map(entryFrom));
    start = page.LastEvaluatedKey;
  } while (start && entries.length < selection.limit);
  return entries;
}

function entryFrom(item: Item): AuditEntry {
  return {
    at: item['created_at'] as string,
    action: item['action'] as string,
    target: item['target'] as string,
    actor: item['actor'] as Actor,
    requestId: item['request_id'] as string | undefined,
    before: item['before'] as Item | undefined,
    after: item['after'] as Item | undefined,
  };
}
