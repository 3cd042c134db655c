/**
 * Table that cancels conflicting transactions as DynamoDB does, with the reason at the conflicting item, and that
 * limits the units of a partition key. It supports only the requests of store/table/writes.ts and store/table/calls.ts,
 * and queries without an index.
 */

import type { Table } from '../../lambdas/store/table/table.ts';
import { AwsError, type AwsCall } from '../../lambdas/platform/aws/aws-call.ts';
import { Money } from '../../lambdas/money/money.ts';
import type { Attributes } from '../../lambdas/store/table/attribute-values.ts';
import { PartitionLoad } from './partition-load.ts';
import type { SimulatedTime } from './simulated-time.ts';

export interface SimulatedTable extends Table {
  /** Transactions that were carried out, cancelled because of conflicts, or throttled. */
  transactions: { done: number; conflicts: number; throttled: number };
  load: PartitionLoad;
}

interface Delays {
  /** Average delay in ms of a request, and also of its answer. */
  wayMs: number;
  /** Time in ms for which a transaction locks its items. */
  transactionMs: number;
}

interface Request {
  Key?: Attributes;
  Item?: Attributes;
  UpdateExpression?: string;
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Attributes;
}

interface Reading {
  ConsistentRead?: boolean;
}

interface Query {
  ExpressionAttributeValues: Record<string, { S: string }>;
  ScanIndexForward?: boolean;
  Limit?: number;
}

export function simulatedTable(
  time: SimulatedTime,
  chance: () => number,
  { wayMs, transactionMs }: Delays,
): SimulatedTable {
  const items = new Map<string, Attributes>();
  const busy = new Set<string>();
  const load = new PartitionLoad(time.nowMs);
  const transactions = { done: 0, conflicts: 0, throttled: 0 };
  // The delay is random, from half to one and a half times the given value.
  const way = () => time.sleep(wayMs * (0.5 + chance()));
  const write = (request: Request) => void items.set(nameOf(request), changed(items.get(nameOf(request)), request));
  const failed = (request: Request) => !holds(items.get(nameOf(request)) ?? {}, request);
  const changeOf = (request: Request) => {
    const before = items.get(nameOf(request));
    return { partition: partitionOf(request), before, after: changed(before, request) };
  };

  const transact = async (requests: Request[]) => {
    const names = requests.map(nameOf);
    const conflicts = names.map((name) => busy.has(name));
    if (conflicts.includes(true)) {
      transactions.conflicts += 1;
      throw cancelled(conflicts.map((isBusy) => (isBusy ? 'TransactionConflict' : 'None')));
    }
    const changes = requests.map(changeOf);
    const throttled = changes.map((change) => !load.takesWrite(change));
    if (throttled.includes(true)) {
      transactions.throttled += 1;
      throw cancelled(throttled.map((isThrottled) => (isThrottled ? 'ThrottlingError' : 'None')));
    }
    for (const change of changes) load.write(change, { isTransaction: true });
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
    const change = changeOf(request);
    if (!load.takesWrite(change)) throw error('ThrottlingException');
    load.write(change, { isTransaction: false });
    if (failed(request)) throw error('ConditionalCheckFailedException');
    write(request);
  };
  const read = (partition: string, found: (Attributes | undefined)[], { ConsistentRead: isConsistent }: Reading) => {
    if (!load.takesRead(partition)) throw error('ThrottlingException');
    load.read(partition, found, isConsistent === true);
    return found;
  };

  const call = async (operation: string, input: object): Promise<unknown> => {
    await way();
    try {
      switch (operation) {
        case 'GetItem':
          return { Item: read(partitionOf(input), [items.get(nameOf(input))], input)[0] };
        case 'BatchGetItem': {
          const [[table, { Keys: keys, ...how }]] = Object.entries(
            (input as { RequestItems: Record<string, { Keys: Attributes[] } & Reading> }).RequestItems,
          ) as [[string, { Keys: Attributes[] } & Reading]];
          const found = keys.flatMap((key) => read(partitionOf({ Key: key }), [items.get(nameOf({ Key: key }))], how));
          return { Responses: { [table]: found.filter((item) => item !== undefined) } };
        }
        case 'Query': {
          const { partition, found } = queried([...items.values()], input as Query);
          return { Items: read(partition, found, input) };
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
  return { name: 'simulated', endpoint: undefined, call: call as AwsCall, transactions, load };
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

function queried(
  items: Attributes[],
  { ExpressionAttributeValues: values, ScanIndexForward: isForward, Limit }: Query,
) {
  const [partition, from = '', to = '\uffff'] = [':pk', ':from', ':to'].map((name) => values[name]?.S);
  const found = items
    .filter((item) => keyOf({ Item: item }).pk.S === partition && sortKey(item) >= from && sortKey(item) <= to)
    .toSorted((a, b) => (sortKey(a) < sortKey(b) === (isForward ?? true) ? -1 : 1));
  return { partition: partition!, found: found.slice(0, Limit) };
}

function sortKey(item: Attributes): string {
  return keyOf({ Item: item }).sk.S;
}

function error(type: string, details: object = {}): AwsError {
  return new AwsError(400, { __type: type, ...details });
}

function cancelled(codes: string[], items: (Attributes | undefined)[] = []): AwsError {
  return error('TransactionCanceledException', {
    CancellationReasons: codes.map((code, index) => ({ Code: code, Item: items[index] })),
  });
}

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

function changed(before: Attributes | undefined, request: Request): Attributes {
  if (request.Item) return request.Item;
  const {
    UpdateExpression: text = '',
    ExpressionAttributeNames: names = {},
    ExpressionAttributeValues: values = {},
  } = request;
  const after: Attributes = { ...before, ...request.Key };
  for (const { verb, placeholder, value } of partsOf(text)) {
    const name = names[placeholder]!;
    if (verb === 'REMOVE') delete after[name];
    else if (verb === 'SET') after[name] = values[value!]!;
    else after[name] = { N: sum(after[name], values[value!]) };
  }
  return after;
}

interface Part {
  verb: string;
  placeholder: string;
  value: string | undefined;
}

/** Parsed expressions. Simulations send a few expressions a hundred thousand times. */
const readParts = new Map<string, Part[]>();

function partsOf(expression: string): Part[] {
  const known = readParts.get(expression);
  if (known) return known;
  const clauses = [...expression.matchAll(/(SET|ADD|REMOVE) (.+?)(?= (?:SET|ADD|REMOVE) |$)/g)];
  const parts = clauses.flatMap(([, verb, list]) =>
    list!.split(', ').map((part) => {
      const [placeholder, value] = part.split(/ = | /) as [string, string?];
      return { verb: verb!, placeholder, value };
    }),
  );
  readParts.set(expression, parts);
  return parts;
}

function sum(...values: (Attributes[string] | undefined)[]): string {
  return Money.sum(values.map((value) => (value ? numberIn(value) : Money.zero))).toString();
}

function numberIn(value: Attributes[string]): Money {
  return Money.parseNumber((value as { N: string }).N);
}
