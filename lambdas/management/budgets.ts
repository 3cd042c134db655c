import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { GatewayError, notFound } from '../platform/errors.ts';
import type { Money } from '../money/money.ts';
import { intervals, type Interval } from '../money/periods.ts';
import { configureUpdate, type ScopeId } from '../store/counters.ts';
import { limitsAttribute, limitsFrom, type Limits } from '../store/limits.ts';
import { numberFrom, type Item, type Table } from '../store/table.ts';
import { transact } from '../store/transact.ts';

/** A configuration item that carries limits, and the scope in which they are counted. */
export interface LimitedRecord {
  key: { pk: string; sk: string };
  scope: ScopeId;
}

/**
 * Sets or removes one limit. Configuration and counter change in one transaction; what has been counted stays.
 * @param limit null removes the limit of the interval
 * @throws {GatewayError} 400 when limits would not rise from daily to lifetime, 404 when the record does not exist.
 */
export async function setLimit(
  table: Table,
  record: LimitedRecord,
  interval: Interval,
  limit: Money | null,
): Promise<Limits> {
  for (;;) {
    const item = await readRecord(table, record);
    const revision = numberFrom(item['revision']);
    const limits: Limits = { ...limitsFrom(item['limits']) };
    if (limit) limits[interval] = limit;
    else delete limits[interval];
    checkOrder(limits);
    const outcome = await transact(table, [
      {
        Update: {
          TableName: table.name,
          Key: record.key,
          UpdateExpression: 'SET #limits = :limits, #revision = :next',
          ConditionExpression: '#revision = :revision',
          ExpressionAttributeNames: { '#limits': 'limits', '#revision': 'revision' },
          ExpressionAttributeValues: {
            ':limits': limitsAttribute(limits),
            ':next': revision + 1,
            ':revision': revision,
          },
        },
      },
      { Update: configureUpdate(table, record.scope, { limits, revision: revision + 1 }) },
    ]);
    // Limits that changed in between are read again, so that the order is checked against what is really there.
    if (outcome.committed) return limits;
  }
}

/** Budgets must rise: daily < weekly < monthly < lifetime. */
export function checkOrder(limits: Limits): void {
  let previous: { interval: Interval; limit: Money } | undefined;
  for (const interval of intervals) {
    const limit = limits[interval];
    if (!limit) continue;
    if (previous && !limit.exceeds(previous.limit)) {
      throw new GatewayError(
        400,
        'invalid_request',
        `limit_rub: the ${interval} limit (${limit} RUB) must be above the ${previous.interval} one (${previous.limit} RUB); limits rise from daily to lifetime.`,
        { metadata: { field: 'limit_rub' } },
      );
    }
    previous = { interval, limit };
  }
}

async function readRecord(table: Table, { key }: LimitedRecord): Promise<Item> {
  const answer = await table.documents.send(new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }));
  if (!answer.Item) throw notFound('There is nothing with this id to set a limit for.');
  return answer.Item;
}
