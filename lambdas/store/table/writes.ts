/**
 * Writes of single items, each with an optional condition. If the condition fails, DynamoDB returns the stored item.
 */

import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item, Table } from './table.ts';
import { withoutUndefined } from '../../platform/json/records.ts';

export type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export type Key = { pk: string; sk: string };

/** Requirements for the stored item, which must all be true. */
export interface Condition {
  equal?: Item;
  equalIfPresent?: Item;
  /** Maximum values of numbers. An absent number fails the condition. */
  atMost?: Item;
  atMostIfPresent?: Item;
  belowIfPresent?: Item;
  absent?: readonly string[];
}

export interface Change {
  set?: Item;
  /** Numbers to add. An absent number counts as 0. */
  add?: Item;
  remove?: readonly string[];
  when?: Condition;
}

const IS_NEW: Condition = { absent: ['pk'] };

/** Returns the write that stores an item. The condition applies to the replaced item. */
export function put(table: Table, item: Item, when?: Condition): Write {
  return { Put: { TableName: table.name, Item: item, ...conditioned(new Names(), when) } };
}

export function putNew(table: Table, item: Item): Write {
  return put(table, item, IS_NEW);
}

/** Returns the write that replaces an item. It fails unless the stored version is `version`. */
export function putOver(table: Table, item: Item, version: number): Write {
  return put(table, item, { equal: { version } });
}

export function remove(table: Table, key: Key, when?: Condition): Write {
  return { Delete: { TableName: table.name, Key: key, ...conditioned(new Names(), when) } };
}

/** Returns a check: its transaction fails unless the condition is true for the item. */
export function check(table: Table, key: Key, when: Condition): Write {
  const { ConditionExpression = '', ...names } = conditioned(new Names(), when);
  return { ConditionCheck: { TableName: table.name, Key: key, ConditionExpression, ...names } };
}

export function mustNotExist(table: Table, key: Key): Write {
  return check(table, key, IS_NEW);
}

/** Returns the write that changes an item. A missing item is created, unless the condition requires an attribute. */
export function update(table: Table, key: Key, { set, add, remove: removed = [], when }: Change): Write {
  const names = new Names();
  const clauses: string[] = [];
  const addClause = (verb: string, parts: string[]) => parts.length > 0 && clauses.push(`${verb} ${parts.join(', ')}`);
  addClause(
    'SET',
    names.each(withoutUndefined(set ?? {}), (name, value) => `${name} = ${value}`),
  );
  addClause(
    'ADD',
    names.each(add, (name, value) => `${name} ${value}`),
  );
  addClause(
    'REMOVE',
    removed.map((name) => names.of(name)),
  );
  const UpdateExpression = clauses.join(' ');
  return { Update: { TableName: table.name, Key: key, UpdateExpression, ...conditioned(names, when) } };
}

interface Expressions {
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD';
}

function conditioned(names: Names, when: Condition = {}): Expressions {
  const conditions = [
    ...names.each(when.equal, (name, value) => `${name} = ${value}`),
    ...names.each(when.equalIfPresent, ifPresent('=')),
    ...names.each(when.atMost, (name, value) => `${name} <= ${value}`),
    ...names.each(when.atMostIfPresent, ifPresent('<=')),
    ...names.each(when.belowIfPresent, ifPresent('<')),
    ...(when.absent ?? []).map((name) => `attribute_not_exists(${names.of(name)})`),
  ];
  if (conditions.length === 0) return names.expressions();
  return {
    ...names.expressions(),
    ConditionExpression: conditions.join(' AND '),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

function ifPresent(operator: string) {
  return (name: string, value: string) => `(attribute_not_exists(${name}) OR ${name} ${operator} ${value})`;
}

/** Placeholders of one write. Names may be reserved words, and DynamoDB's expressions do not allow literals. */
class Names {
  /** Placeholders by attribute name, and attribute names by placeholder. */
  readonly #placeholders = new Map<string, string>();
  readonly #names: Record<string, string> = {};
  readonly #values: Item = {};
  #valueCount = 0;

  of(name: string): string {
    let placeholder = this.#placeholders.get(name);
    if (placeholder === undefined) {
      placeholder = `#n${this.#placeholders.size}`;
      this.#placeholders.set(name, placeholder);
      this.#names[placeholder] = name;
    }
    return placeholder;
  }

  /**
   * Returns the placeholder of a value.
   * @throws {TypeError} for undefined, because silently skipping it could drop a condition
   */
  #value(value: unknown): string {
    if (value === undefined) throw new TypeError('A write needs a value');
    const placeholder = `:v${this.#valueCount}`;
    this.#valueCount += 1;
    this.#values[placeholder] = value;
    return placeholder;
  }

  /** Returns one clause of an expression per attribute. */
  each(attributes: Item | undefined, write: (name: string, value: string) => string): string[] {
    const parts: string[] = [];
    for (const name in attributes) {
      parts.push(write(this.of(name), this.#value(attributes[name])));
    }
    return parts;
  }

  /**
   * Returns the maps of placeholders. Call this after all names and values are known. Empty maps are omitted, because
   * DynamoDB rejects them.
   */
  expressions(): Expressions {
    return {
      ...(this.#placeholders.size > 0 ? { ExpressionAttributeNames: this.#names } : {}),
      ...(this.#valueCount > 0 ? { ExpressionAttributeValues: this.#values } : {}),
    };
  }
}
