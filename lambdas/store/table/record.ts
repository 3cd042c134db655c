/** Records: one list of fields determines the TypeScript type, the item and the queue message of a kind of item. */

import * as z from 'zod';
import { Money } from '../../money/money.ts';
import { moneyAttribute, moneyFrom, numberFrom, type Item } from './table.ts';

type AttributeForm = 'text' | 'flag' | 'count' | 'money' | 'time' | 'document';

export interface Attribute {
  readonly name: string;
  readonly form: AttributeForm;
}

/** Converts a value between the record, the item, and a queue message. */
export interface Field<Value> {
  readonly attributes: readonly Attribute[];
  /** Name of the field in queue messages; empty for `part`, unless `named` sets it. */
  readonly messageName: string;
  /** Whether the previous release does not know the field; see `unreleased`. */
  readonly isUnreleased?: boolean;
  /** Puts a value into an item. An absent value (undefined, or null in `orNull`) gets no attribute. */
  write(value: Value, item: Item): void;
  read(item: Item): Value;
  /** @throws {TypeError} for a value of the wrong form, if the field checks it */
  toMessage(value: Value): unknown;
  messageSchema(): z.ZodType<Value>;
}

type Fields = Record<string, Field<unknown>>;
type Entity<Of extends Fields> = { [Name in keyof Of]: Of[Name] extends Field<infer Value> ? Value : never };

export interface StoredRecord<Stored> {
  readonly attributes: readonly Attribute[];
  readonly messageNames: readonly string[];
  readonly unreleasedNames: ReadonlySet<string>;
  readonly toItem: (stored: Stored) => Item;
  readonly from: (item: Item) => Stored;
  /** @throws {TypeError} for a value of the wrong form, if the field checks it */
  readonly toMessage: (stored: Stored) => Record<string, unknown>;
  /** The schema ignores unknown fields. */
  readonly messageSchema: () => z.ZodType<Stored>;
}

export type RecordOf<Codec> = Codec extends StoredRecord<infer Stored> ? Stored : never;

export function record<Of extends Fields>(fields: Of): StoredRecord<Entity<Of>> {
  const entries = Object.entries<Field<unknown>>(fields);
  const assemble = (valueOf: (field: Field<unknown>) => unknown) => {
    const entity: Record<string, unknown> = {};
    for (const [name, field] of entries) entity[name] = valueOf(field);
    return entity as Entity<Of>;
  };
  return {
    attributes: entries.flatMap(([, { attributes }]) => attributes),
    messageNames: entries.map(([, { messageName }]) => messageName),
    unreleasedNames: new Set(entries.flatMap(([, { messageName, isUnreleased }]) => (isUnreleased ? messageName : []))),
    toItem(stored) {
      const item: Item = {};
      for (const [name, field] of entries) field.write(stored[name], item);
      return item;
    },
    from: (item) => assemble((field) => field.read(item)),
    toMessage: (stored) =>
      Object.fromEntries(entries.map(([name, field]) => [field.messageName, field.toMessage(stored[name])])),
    messageSchema: () =>
      z
        .object(Object.fromEntries(entries.map(([, field]) => [field.messageName, field.messageSchema()])))
        .transform((message) => assemble(({ messageName }) => message[messageName])),
  };
}

interface Form<Value> {
  /** Kind of the attribute's value. If it is absent, the value is a map or a list. */
  form?: AttributeForm;
  toAttribute?: (value: Value) => unknown;
  fromAttribute: (stored: unknown) => Value;
  toMessage?: (value: Value) => unknown;
  message?: () => z.ZodType<Value>;
}

export function attribute<Value>(name: string, form: Form<Value>): Field<Value> {
  const { toAttribute = (value: Value) => value, fromAttribute, toMessage = (value: Value) => value } = form;
  return {
    attributes: [{ name, form: form.form ?? 'document' }],
    messageName: name,
    write(value, item) {
      const stored: unknown = toAttribute(value);
      if (stored !== undefined) item[name] = stored;
    },
    read: (item) => fromAttribute(item[name]),
    toMessage,
    messageSchema: () => {
      if (!form.message) throw new Error(`The attribute ${name} has no encoding for messages`);
      return form.message();
    },
  };
}

function checked<Value>(
  name: string,
  isSound: (value: Value) => boolean,
  form: (value: Value) => unknown = (value) => value,
): Pick<Form<Value>, 'toMessage'> {
  return {
    toMessage(value) {
      if (!isSound(value))
        throw new TypeError(`${name} cannot be sent: ${typeof value === 'number' ? value : typeof value}`);
      return form(value);
    },
  };
}

export function text(name: string): Field<string> {
  return attribute(name, {
    form: 'text',
    fromAttribute: (stored) => stored as string,
    ...checked<string>(name, (value) => typeof value === 'string'),
    message: () => z.string(),
  });
}

/** A boolean; false if absent. */
export function flag(name: string): Field<boolean> {
  return attribute(name, {
    form: 'flag',
    fromAttribute: (stored) => stored === true,
    ...checked<boolean>(name, (value) => typeof value === 'boolean'),
    message: () => z.boolean().default(false),
  });
}

/** A non-negative integer; 0 if absent in an item. */
export function count(name: string): Field<number> {
  return attribute(name, {
    form: 'count',
    fromAttribute: numberFrom,
    ...checked<number>(name, (value) => Number.isSafeInteger(value) && value >= 0),
    message: () => z.int().nonnegative(),
  });
}

export function oneOf<Value extends string>(name: string, values: readonly Value[]): Field<Value> {
  return attribute(name, {
    form: 'text',
    fromAttribute: (stored) => stored as Value,
    ...checked<Value>(name, (value) => values.includes(value)),
    message: () => z.enum(values),
  });
}

/** A value that is stored unchanged. Numbers in it are read as decimal text. */
export function plain<Value>(name: string, message?: () => z.ZodType<Value>): Field<Value> {
  return attribute(name, { fromAttribute: (stored) => stored as Value, ...(message ? { message } : {}) });
}

const decimal = z.string().transform((amount, context) => {
  try {
    return Money.parse(amount);
  } catch {
    context.addIssue({ code: 'custom', message: 'not a decimal amount' });
    return z.NEVER;
  }
});

/** Exact roubles; zero if absent in an item. */
export function money(name: string): Field<Money> {
  return attribute(name, {
    form: 'money',
    toAttribute: moneyAttribute,
    fromAttribute: moneyFrom,
    ...checked<Money>(name, (value) => value instanceof Money, String),
    message: () => decimal,
  });
}

/** A time in epoch milliseconds, stored as an ISO text. */
export function instant(name: string): Field<number> {
  return attribute(name, {
    form: 'time',
    toAttribute: (atMs) => new Date(atMs).toISOString(),
    fromAttribute: (stored) => Date.parse(stored as string),
  });
}

/** A time in epoch milliseconds, stored in seconds, rounded up, for DynamoDB's own expiry. */
export function expiry(name: string): Field<number> {
  return attribute(name, {
    form: 'count',
    toAttribute: (atMs) => Math.ceil(atMs / 1000),
    fromAttribute: (stored) => numberFrom(stored) * 1000,
  });
}

/** Makes a field optional: undefined if absent. */
export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
  return {
    ...field,
    write: (value, item) => value !== undefined && field.write(value, item),
    read: (item) => (isAttributeAbsent(field, item) ? undefined : field.read(item)),
    toMessage: (value) => (value === undefined ? undefined : field.toMessage(value)),
    messageSchema: () => field.messageSchema().optional(),
  };
}

/** Makes a field nullable: null if absent. */
export function orNull<Value>(field: Field<Value>): Field<Value | null> {
  return {
    ...field,
    write: (value, item) => value !== null && field.write(value, item),
    read: (item) => (isAttributeAbsent(field, item) ? null : field.read(item)),
    toMessage: (value) => (value === null ? null : field.toMessage(value)),
    messageSchema: () => field.messageSchema().nullable().default(null),
  };
}

function isAttributeAbsent({ attributes: [attribute] }: Pick<Field<unknown>, 'attributes'>, item: Item): boolean {
  return item[attribute!.name] === undefined || item[attribute!.name] === null;
}

/**
 * Marks a field that the previous release does not know. Queue messages have such fields in an attribute that the
 * previous release ignores.
 */
export function unreleased<Value>(field: Field<Value>): Field<Value> {
  return { ...field, isUnreleased: true };
}

export function named<Value>(messageName: string, field: Field<Value>): Field<Value> {
  return { ...field, messageName };
}

/** A record as a map in one attribute. */
export function nested<Stored>(name: string, codec: StoredRecord<Stored>): Field<Stored> {
  return attribute(name, { toAttribute: codec.toItem, fromAttribute: (stored) => codec.from(stored as Item) });
}

/** A list of records; absent if empty. */
export function list<Stored>(name: string, codec: StoredRecord<Stored>, most: number): Field<readonly Stored[]> {
  return attribute<readonly Stored[]>(name, {
    toAttribute: (stored) => (stored.length > 0 ? stored.map(codec.toItem) : undefined),
    fromAttribute: (stored) => ((stored as Item[] | undefined) ?? []).map(codec.from),
    ...checked<readonly Stored[]>(
      name,
      (stored) => Array.isArray(stored) && stored.length <= most,
      (stored) => stored.map(codec.toMessage),
    ),
    message: () => z.array(codec.messageSchema()).max(most).default([]),
  });
}

/** A list of texts; absent if empty. */
export function texts(name: string, most: number): Field<readonly string[]> {
  return attribute<readonly string[]>(name, {
    toAttribute: (stored) => (stored.length > 0 ? stored : undefined),
    fromAttribute: (stored) => (stored as string[] | undefined) ?? [],
    ...checked<readonly string[]>(
      name,
      (stored) => Array.isArray(stored) && stored.length <= most && stored.every((one) => typeof one === 'string'),
    ),
    message: () => z.array(z.string()).max(most).default([]),
  });
}

/** A record whose attributes are stored among those of the surrounding record. */
export function part<Stored>(codec: StoredRecord<Stored>): Field<Stored> {
  return {
    attributes: codec.attributes,
    messageName: '',
    write: (value, item) => void Object.assign(item, codec.toItem(value)),
    read: codec.from,
    toMessage: codec.toMessage,
    messageSchema: codec.messageSchema,
  };
}
