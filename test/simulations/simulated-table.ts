/**
 * Table that cancels conflicting transactions as DynamoDB does. A transaction that uses an item of a running
 * transaction is cancelled, with the reason at that item. A partition key accepts 1,000 write units per second; each
 * item is assumed to need one unit, and two in a transaction. It supports only the requests that store/table/writes.ts
 * makes.
 */

import type { Table } from '../../lambdas/store/table/table.ts';
import { AwsError, type AwsCall } from '../../lambdas/platform/aws/aws-call.ts';
import { Money } from '../../lambdas/money/money.ts';
import type { Attributes } from '../../lambdas/store/table/attribute-values.ts';
import { PartitionUnits, partitionRates } from '../support/table-rules/throughput.ts';
import type { SimulatedTime } from './simulated-time.ts';

export interface SimulatedTable extends Table {
  /** Number of transactions that were carried out, that were cancelled because of conflicts, and that were throttled. */
  transactions: { done: number; met: number; throttled: number };
}

interface Delays {
  /** Milliseconds from a client to the table, and the same back. */
  wayMs: number;
  /** Milliseconds for which a transaction locks its items. */
  transactionMs: number;
}

/** Write of one item. */
interface Request {
  Key?: Attributes;
  Item?: Attributes;
  UpdateExpression?: string;
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Attributes;
}

const UNITS_IN_A_TRANSACTION = 2;

export function simulatedTable(
  time: SimulatedTime,
  chance: () => number,
  { wayMs, transactionMs }: Delays,
): SimulatedTable {
  const items = new Map<string, Attributes>();
  const busy = new Set<string>();
  const units = new PartitionUnits(partitionRates.write, time.nowMs);
  const transactions = { done: 0, met: 0, throttled: 0 };
  // The delay is random, from half to one and a half times the given value.
  const way = () => time.sleep(wayMs * (0.5 + chance()));
  const write = (request: Request) => void items.set(nameOf(request), changed(items.get(nameOf(request)), request));
  const failed = (request: Request) => !holds(items.get(nameOf(request)) ?? {}, request);

  const transact = async (requests: Request[]) => {
    const names = requests.map(nameOf);
    const met = names.map((name) => busy.has(name));
    if (met.includes(true)) {
      transactions.met += 1;
      throw cancelled(met.map((isMet) => (isMet ? 'TransactionConflict' : 'None')));
    }
    const partitions = requests.map(partitionOf);
    const throttled = partitions.map((partition) => !units.hasRoom(partition));
    if (throttled.includes(true)) {
      transactions.throttled += 1;
      throw cancelled(throttled.map((isThrottled) => (isThrottled ? 'ThrottlingError' : 'None')));
    }
    for (const partition of partitions) units.take(partition, UNITS_IN_A_TRANSACTION);
    const refused = requests.map(failed);
    if (refused.includes(true)) {
      throw cancelled(
        refused.map((isRefused) => (isRefused ? 'ConditionalCheckFailed' : 'None')),
        names.map((name) => items.get(name)),
      );
    }
    for (const name of names) busy.add(name);
    await time.sleep(transactionMs);
    for (const name of names) busy.delete(name);
    requests.forEach(write);
    transactions.done += 1;
  };
  const alone = (request: Request) => {
    if (busy.has(nameOf(request))) throw error('TransactionConflictException');
    if (!units.hasRoom(partitionOf(request))) throw error('ThrottlingException');
    units.take(partitionOf(request), 1);
    if (failed(request)) throw error('ConditionalCheckFailedException');
    write(request);
  };

  const call = async (operation: string, input: object): Promise<unknown> => {
    await way();
    try {
      switch (operation) {
        case 'GetItem':
          return { Item: items.get(nameOf(input)) };
        case 'BatchGetItem': {
          const [[table, { Keys: keys }]] = Object.entries(
            (input as { RequestItems: Record<string, { Keys: Attributes[] }> }).RequestItems,
          ) as [[string, { Keys: Attributes[] }]];
          return {
            Responses: {
              [table]: keys.map((key) => items.get(nameOf({ Key: key }))).filter((item) => item !== undefined),
            },
          };
        }
        case 'TransactWriteItems':
          return await transact(
            (input as { TransactItems: Record<string, Request>[] }).TransactItems.map((one) => Object.values(one)[0]!),
          );
        default:
          return alone(input);
      }
    } finally {
      await way();
    }
  };
  return { name: 'simulated', endpoint: undefined, call: call as AwsCall, transactions };
}

function keyOf({ Key: key, Item: item }: Request): Record<'pk' | 'sk', { S: string }> {
  return (key ?? item) as Record<'pk' | 'sk', { S: string }>;
}

function nameOf(request: Request): string {
  const { pk, sk } = keyOf(request);
  return `${pk.S} ${sk.S}`;
}

function partitionOf(request: Request): string {
  return keyOf(request).pk.S;
}

function error(type: string, details: object = {}): AwsError {
  return new AwsError(400, { __type: type, ...details });
}

function cancelled(codes: string[], items: (Attributes | undefined)[] = []): AwsError {
  return error('TransactionCanceledException', {
    CancellationReasons: codes.map((code, index) => ({ Code: code, Item: items[index] })),
  });
}

/** Whether the condition of a request holds for an item. */
function holds(item: Attributes, request: Request): boolean {
  const { ConditionExpression: condition = '', ExpressionAttributeNames: names = {} } = request;
  if (condition === '') return true;
  return condition.split(' AND ').every((one) => {
    const parts = CONDITION.exec(one)?.groups ?? unknown(one);
    const { absent, name, operator, value } = parts;
    const isAbsent = absent !== undefined && item[names[absent]!] === undefined;
    if (name === undefined || isAbsent) return isAbsent;
    const [stored, asked] = [item[names[name]!], request.ExpressionAttributeValues![value!]!];
    if (operator === '=') return JSON.stringify(stored) === JSON.stringify(asked);
    return stored !== undefined && !numberIn(stored).exceeds(numberIn(asked));
  });
}

/** Matches a condition: an attribute that must be absent, a comparison, or either of them. */
const CONDITION =
  /^\(?(?:attribute_not_exists\((?<absent>#\w+)\))?(?: OR )?(?:(?<name>#\w+) (?<operator>=|<=) (?<value>:\w+))?\)?$/;

function unknown(text: string): never {
  throw new TypeError(`The simulated table does not know "${text}"`);
}

/** Returns the item after a request. */
function changed(before: Attributes | undefined, request: Request): Attributes {
  if (request.Item) return request.Item;
  const {
    UpdateExpression: text = '',
    ExpressionAttributeNames: names = {},
    ExpressionAttributeValues: values = {},
  } = request;
  const after: Attributes = { ...before, ...request.Key };
  for (const [, verb, parts] of text.matchAll(/(SET|ADD|REMOVE) (.+?)(?= (?:SET|ADD|REMOVE) |$)/g)) {
    for (const part of parts!.split(', ')) {
      const [placeholder, value] = part.split(/ = | /) as [string, string?];
      const name = names[placeholder]!;
      if (verb === 'REMOVE') delete after[name];
      else if (verb === 'SET') after[name] = values[value!]!;
      else after[name] = { N: sum(after[name], values[value!]) };
    }
  }
  return after;
}

function sum(...values: (Attributes[string] | undefined)[]): string {
  return Money.sum(values.map((value) => (value ? numberIn(value) : Money.zero))).toString();
}

function numberIn(value: Attributes[string]): Money {
  return Money.parseNumber((value as { N: string }).N);
}
