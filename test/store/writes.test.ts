import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { readItem } from '../../lambdas/store/table/query.ts';
import type { Item, Table } from '../../lambdas/store/table/table.ts';
import { transact, writeAlone } from '../../lambdas/store/table/transact.ts';
import {
  check,
  mustNotExist,
  put,
  putNew,
  putOver,
  remove,
  update,
  type Condition,
} from '../../lambdas/store/table/writes.ts';
import { newTable } from '../support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await newTable();
});

const newKey = () => ({ pk: randomUUID(), sk: 'ITEM' });

async function stored(attributes: Item) {
  const key = newKey();
  await writeAlone(table, put(table, { ...key, ...attributes }));
  return key;
}

describe('a condition', () => {
  it.each<[string, Condition, boolean]>([
    ['equal values', { equal: { state: 'open', size: 5 } }, true],
    ['one value that is not equal', { equal: { state: 'open', size: 6 } }, false],
    ['an equal value that is absent', { equal: { absent: 1 } }, false],
    ['a value that may be absent, and is', { equalIfPresent: { absent: 1 } }, true],
    ['a value that may be absent, and is another', { equalIfPresent: { size: 6 } }, false],
    ['a value at its most', { atMostIfPresent: { size: 5 } }, true],
    ['a value above its most', { atMostIfPresent: { size: 4 } }, false],
    ['a bound of an absent attribute', { atMostIfPresent: { absent: 4 } }, true],
    ['a value below', { belowIfPresent: { size: 6 } }, true],
    ['a value not below', { belowIfPresent: { size: 5 } }, false],
    ['an absence', { absent: ['absent'] }, true],
    ['an absence of a present attribute', { absent: ['size'] }, false],
  ])('of %s decides about the write', async (_, when, holds) => {
    const key = await stored({ state: 'open', size: 5 });

    const failed = await writeAlone(table, update(table, key, { set: { touched: true }, when }));

    expect(failed === undefined).toBe(holds);
    expect((await readItem(table, key))!['touched']).toBe(holds ? true : undefined);
  });

  it('that fails returns the stored item', async () => {
    const key = await stored({ version: 3 });

    const failed = await writeAlone(table, putOver(table, { ...key, name: 'new' }, 2));

    expect(failed).toEqual({ item: { ...key, version: '3' } });
  });
});

describe('a condition without its value', () => {
  it.each<Condition>([{ equal: { version: undefined } }, { belowIfPresent: { version: undefined } }])(
    'is refused: %o',
    (when) => {
      expect(() => put(table, newKey(), when)).toThrow(TypeError);
    },
  );
});

describe('an update', () => {
  it('sets, adds and removes at once, with any attribute names', async () => {
    const key = await stored({ name: 'old', count: 1, size: 9, status: 'x' });

    await writeAlone(
      table,
      update(table, key, { set: { name: 'new', state: undefined }, add: { count: 2, fresh: 1 }, remove: ['size'] }),
    );

    expect(await readItem(table, key)).toEqual({ ...key, name: 'new', count: '3', fresh: '1', status: 'x' });
  });
});

describe('a transaction', () => {
  it('returns the names of the writes whose condition failed', async () => {
    const [there, other] = [await stored({ version: 1 }), await stored({ version: 1 })];

    const outcome = await transact(table, {
      first: putNew(table, newKey()),
      second: putNew(table, there),
      third: undefined,
      fourth: check(table, other, { equal: { version: 2 } }),
    });

    expect(outcome).toEqual({
      committed: false,
      isUncertain: false,
      failed: { second: { item: { ...there, version: '1' } }, fourth: { item: { ...other, version: '1' } } },
    });
  });

  it('writes nothing if a condition failed', async () => {
    const [there, fresh] = [await stored({}), newKey()];

    await transact(table, { fresh: putNew(table, fresh), there: mustNotExist(table, there) });

    expect(await readItem(table, fresh)).toBeUndefined();
  });

  it('omits undefined values', async () => {
    const key = newKey();

    const outcome = await transact(table, { nothing: undefined, item: putNew(table, key) });

    expect(outcome).toEqual({ committed: true });
    expect(await readItem(table, key)).toEqual(key);
  });
});

describe('a delete', () => {
  it('needs no item, unless it has a condition', async () => {
    expect(await writeAlone(table, remove(table, newKey()))).toBeUndefined();
    expect(await writeAlone(table, remove(table, newKey(), { equal: { version: 1 } }))).toEqual({ item: undefined });
  });
});
