/** DynamoDB's JSON, in which every value states its type. The table has no sets or binary values. */

import { NumberValueImpl } from '@aws-sdk/util-dynamodb';

type AttributeValue =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { L: AttributeValue[] }
  | { M: Attributes };

export type Attributes = Record<string, AttributeValue>;

/**
 * Converts an item to DynamoDB's JSON. Omits undefined values.
 * @throws {TypeError} for a value that cannot be stored unchanged
 */
export function toAttributes(item: object): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(item)) {
    if (value !== undefined) attributes[name] = toAttributeValue(value);
  }
  return attributes;
}

function toAttributeValue(value: unknown): AttributeValue {
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'boolean':
      return { BOOL: value };
    case 'number':
      if (Math.abs(value) > Number.MAX_SAFE_INTEGER || Number.isNaN(value)) break;
      return { N: String(value) };
    case 'object':
      return value === null ? { NULL: true } : toContainer(value);
    default:
  }
  throw new TypeError(`A ${typeof value} cannot be kept in the table`);
}

function toContainer(value: object): AttributeValue {
  if (value instanceof NumberValueImpl) return { N: value.toString() };
  if (Array.isArray(value)) {
    return { L: value.filter((part) => part !== undefined).map(toAttributeValue) };
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`A ${value.constructor.name} cannot be kept in the table`);
  }
  return { M: toAttributes(value) };
}

/** Converts DynamoDB's JSON to an item. Numbers stay decimal text, because a JS number would round money. */
export function fromAttributes(attributes: Attributes): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const name in attributes) item[name] = fromAttributeValue(attributes[name]!);
  return item;
}

function fromAttributeValue(value: AttributeValue): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return value.N;
  if ('BOOL' in value) return value.BOOL;
  if ('M' in value) return fromAttributes(value.M);
  if ('L' in value) return value.L.map(fromAttributeValue);
  return null;
}
