/**
 * Writes of single items, each with its condition: DynamoDB's expressions for writes are made here. A write is carried out
 * in a transaction or alone (transact.ts). Where its condition fails, the stored item comes back with the failure.
 */

import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item, Table } from './table.ts';

export type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export type Key = { pk: string; sk: string };

/** Conditions on the attributes of an item; all of them have to hold. */
export interface Condition {
  equal?: Item;
  equalIfPresent?: Item;
  atMostIfPresent?: Item;
  belowIfPresent?: Item;
  absent?: readonly string[];
}

export interface Change {
  set?: Item;
  /** Added to numbers, which are 0 where they are absent. */
  add?: Item;
  remove?: readonly string[];
  when?: Condition;
}

const IS_NEW: Condition = { absent: ['pk'] };

/** Writes an item, if the condition holds for the one that it replaces. */
export function put(table: Table, item: Item, when?: Condition): Write {
  return { Put: { TableName: table.name, Item: item, ...conditioned(new Names(), when) } };
}

export function putNew(table: Table, item: Item): Write {
  return put(table, item, IS_NEW);
}

/** Replaces an item in the version that was read. */
export function putOver(table: Table, item: Item, version: number): Write {
  return put(table, item, { equal: { version } });
}

export function remove(table: Table, key: Key, when?: Condition): Write {
  return { Delete: { TableName: table.name, Key: key, ...conditioned(new Names(), when) } };
}

/** Writes nothing: the transaction fails unless the condition holds for the item. */
export function check(table: Table, key: Key, when: Condition): Write {
  const { ConditionExpression = '', ...names } = conditioned(new Names(), when);
  return { ConditionCheck: { TableName: table.name, Key: key, ConditionExpression, ...names } };
}

export function mustNotExist(table: Table, key: Key): Write {
  return check(table, key, IS_NEW);
}

/** Changes attributes of an item; without a condition, one that does not exist is created. */
export function update(table: Table, key: Key, { set, add, remove: removed = [], when }: Change): Write {
  const names = new Names();
  const clauses = [
    clause(
      'SET',
      entriesOf(set).map(([name, value]) => `${names.of(name)} = ${names.value(value)}`),
    ),
    clause(
      'ADD',
      entriesOf(add).map(([name, value]) => `${names.of(name)} ${names.value(value)}`),
    ),
    clause(
      'REMOVE',
      removed.map((name) => names.of(name)),
    ),
  ];
  const UpdateExpression = clauses.filter((part) => part !== '').join(' ');
  return { Update: { TableName: table.name, Key: key, UpdateExpression, ...conditioned(names, when) } };
}

function clause(verb: string, parts: string[]): string {
  return parts.length > 0 ? `${verb} ${parts.join(', ')}` : '';
}

function entriesOf(attributes: Item = {}): [string, unknown][] {
  return Object.entries(attributes).filter(([, value]) => value !== undefined);
}

interface Expressions {
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD';
}

function conditioned(
  names: Names,
  { equal, equalIfPresent, atMostIfPresent, belowIfPresent, absent = [] }: Condition = {},
): Expressions {
  const ifPresent = (operator: string) => (entry: [string, unknown]) => {
    const name = names.of(entry[0]);
    return `(attribute_not_exists(${name}) OR ${name} ${operator} ${names.value(entry[1])})`;
  };
  const conditions = [
    ...entriesOf(equal).map(([name, value]) => `${names.of(name)} = ${names.value(value)}`),
    ...entriesOf(equalIfPresent).map(ifPresent('=')),
    ...entriesOf(atMostIfPresent).map(ifPresent('<=')),
    ...entriesOf(belowIfPresent).map(ifPresent('<')),
    ...absent.map((name) => `attribute_not_exists(${names.of(name)})`),
  ];
  return {
    ...(conditions.length > 0
      ? { ConditionExpression: conditions.join(' AND '), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }
      : {}),
    ...names.expressions(),
  };
}

/** Placeholders of one write: names may be reserved words, and values never appear in an expression. */
class Names {
  readonly #names = new Map<string, string>();
  readonly #values: Item = {};
  #valueCount = 0;

  of(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const placeholder = `#n${this.#names.size}`;
    this.#names.set(name, placeholder);
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:v${this.#valueCount}`;
    this.#valueCount += 1;
    this.#values[placeholder] = value;
    return placeholder;
  }

  /** To be called when everything is named; DynamoDB refuses empty maps. */
  expressions(): Expressions {
    if (this.#names.size === 0) return {};
    const names = Object.fromEntries([...this.#names].map(([name, placeholder]) => [placeholder, name]));
    return {
      ExpressionAttributeNames: names,
      ...(this.#valueCount > 0 ? { ExpressionAttributeValues: this.#values } : {}),
    };
  }
}
