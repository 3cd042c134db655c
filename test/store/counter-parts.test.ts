import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '../../lambdas/platform/ids.ts';
import { DAY_MS, windowsAt } from '../../lambdas/money/periods.ts';
import { gatherCounter, hasOldParts, limitWrites, spreadCounter } from '../../lambdas/store/counters/counter-parts.ts';
import {
  configureUpdate,
  counterKey,
  COUNTER_PARTS,
  partKey,
  partKeys,
  pruneCounter,
  readCounter,
  readCounters,
  type ScopeId,
} from '../../lambdas/store/counters/counters.ts';
import { readItems } from '../../lambdas/store/table/query.ts';
import { TTL_ATTRIBUTE, type Table } from '../../lambdas/store/table/table.ts';
import { StoreBusyError, transact } from '../../lambdas/store/table/transact.ts';
import { putNew, remove, update } from '../../lambdas/store/table/writes.ts';
import { allowParts, forbidParts } from '../../lambdas/store/counters/parts-allowance.ts';
import { count, hasParts, newTableWithParts, partsAt, rootOf, spent, spentIn } from '../support/counter-parts.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { placesIn } from '../support/long-runs.ts';
import { rub } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

const { table, faulty, proxy } = await faultyTable(newTableWithParts);

/** Creates the counter of a key, as the creation of the key does. */
async function newScope(limits: { daily?: string } = {}): Promise<ScopeId> {
  const scope = { kind: 'key', id: randomUUID() } as const;
  const change = { limits: limits.daily ? { daily: rub(limits.daily) } : {}, revision: 0, active: true };
  await transact(table, { counter: configureUpdate(table, scope, change) });
  return scope;
}

/**
 * Creates a counter with parts. Its spending is 1 in the counter item itself, 2 in the first part and 3.5 in the last
 * part.
 */
async function spreadScope(): Promise<{ scope: ScopeId; spread: string }> {
  const scope = await newScope();
  await count(table, scope, { amount: '1' });
  const spread = (await spreadCounter(table, scope))!;
  await count(table, scope, { amount: '2', spread, part: 0 });
  await count(table, scope, { amount: '3.5', spread, part: COUNTER_PARTS - 1 });
  return { scope, spread };
}

const limit = { limits: { daily: rub('100') }, revision: 1 };
const setLimit = async (through: Table, scope: ScopeId, change = limit) =>
  transact(through, await limitWrites(through, scope, change));

describe('a counter without limits', () => {
  it('gets its parts once, for any number of concurrent calls', async () => {
    const scope = await newScope();
    const names = await Promise.all([1, 2, 3].map(() => spreadCounter(table, scope)));

    expect(new Set(names).size).toBe(1);
    const parts = await readItems(table, partKeys(scope, names[0]!));
    expect(new Set(parts.map(({ pk }) => pk)).size).toBe(COUNTER_PARTS);
  });

  it('gets parts also if it was never written', async () => {
    const scope = { kind: 'key', id: randomUUID() } as const;
    expect(await spreadCounter(table, scope)).toBeTypeOf('string');
  });

  it('gets parts although the reply was lost', async () => {
    const scope = await newScope();
    let left = 1;
    proxy.faultFor = ({ action }) => (action === 'TransactWriteItems' && left-- > 0 ? 'lost-reply' : undefined);

    const spread = (await spreadCounter(faulty, scope))!;
    expect(left).toBeLessThan(1);

    await count(table, scope, { amount: '2', spread, part: 3 });
    expect(await spent(table, scope)).toBe('2');
  });

  it('is read as the sum of all parts, in each window', async () => {
    const { scope } = await spreadScope();
    const counter = await readCounter(table, scope);

    const windows = Object.values(windowsAt(Date.now()));
    expect(windows.map((window) => `${counter.spent(window)} of ${counter.committed(window)}`)).toEqual(
      windows.map(() => '6.5 of 6.5'),
    );
    expect(counter.windows().toSorted()).toEqual(windows.toSorted());
  });

  it('is read as the sum of all parts also in one call with other counters', async () => {
    const [{ scope }, plain, { scope: other }] = [await spreadScope(), await newScope(), await spreadScope()];
    await count(table, plain, { amount: '4' });

    const counterOf = await readCounters(table, 'key', [scope.id, plain.id, other.id, 'unknown']);

    expect([scope, plain, other, { id: 'unknown' }].map(({ id }) => spentIn(counterOf(id)))).toEqual([
      '6.5',
      '4',
      '6.5',
      '0',
    ]);
  });

  it('keeps its windows while it has parts, because the sum of some parts would be too small', async () => {
    const scope = await newScope();
    const atMs = Date.UTC(2026, 0, 31, 12);
    await count(table, scope, { amount: '1', atMs });
    const spread = (await spreadCounter(table, scope))!;
    await count(table, scope, { amount: '2', spread, atMs });

    expect(await pruneCounter(table, scope, Date.now())).toBe(0);
    expect((await readCounter(table, scope)).spent('day_2026-01-31').toString()).toBe('3');
    await gatherCounter(table, scope);
    expect(await pruneCounter(table, scope, Date.now())).toBe(3);
    expect(await spent(table, scope)).toBe('3');
  });

  it('has the age of its parts', async () => {
    const { scope } = await spreadScope();
    expect(await hasOldParts(table, scope, Date.now() - DAY_MS)).toBe(false);
    expect(await hasOldParts(table, scope, Date.now() + 1)).toBe(true);
    expect(await hasOldParts(table, await newScope(), Date.now() + 1)).toBe(false);
  });
});

describe('a table without permission for parts', () => {
  it('gives no counter parts, and keeps existing ones', async () => {
    const { scope, spread } = await spreadScope();
    await forbidParts(table);
    const names = [await spreadCounter(table, scope), await spreadCounter(table, await newScope())];
    await allowParts(table);

    expect(names).toEqual([spread, undefined]);
    expect(await spent(table, scope)).toBe('6.5');
  });

  it('is the default for a new table', async () => {
    const scope = { kind: 'key', id: randomUUID() } as const;

    expect(await spreadCounter(await newTable(), scope)).toBeUndefined();
  });
});

describe('a counter with limits', () => {
  it('gets no parts', async () => {
    const scope = await newScope({ daily: '5' });
    expect(await spreadCounter(table, scope)).toBeUndefined();
    expect(await hasParts(table, scope)).toBe(false);
  });

  it('gets no parts if its limit was set while they were created', async () => {
    const scope = await newScope();
    let isSet = false;
    proxy.before = async ({ action }) => {
      if (action !== 'TransactWriteItems' || isSet) return;
      isSet = true;
      await setLimit(table, scope);
    };
    expect(await spreadCounter(faulty, scope)).toBeUndefined();
    expect(await hasParts(table, scope)).toBe(false);
  });

  it('cannot be made from a counter with parts, without a merge', async () => {
    const { scope } = await spreadScope();
    const outcome = await transact(table, { counter: configureUpdate(table, scope, limit) });
    expect(outcome).toMatchObject({ committed: false });
  });
});

describe('the first limit of a counter', () => {
  it('finds all spending in one item', async () => {
    const { scope } = await spreadScope();

    expect(await setLimit(table, scope)).toEqual({ committed: true });

    const root = await rootOf(table, scope);
    expect([root['spent_lifetime'], root['committed_lifetime'], root['spread']]).toEqual(['6.5', '6.5', undefined]);
    expect(await spent(table, scope)).toBe('6.5');
  });

  it('leaves unwritable parts, which DynamoDB deletes', async () => {
    const { scope, spread } = await spreadScope();
    await setLimit(table, scope);

    expect(await count(table, scope, { amount: '1', spread })).toMatchObject({ committed: false });
    const parts = await partsAt(table, scope, spread, [0, 1]);
    expect(parts.map((part) => [part['open'], typeof part[TTL_ATTRIBUTE]])).toEqual([
      [undefined, 'string'],
      [undefined, 'string'],
    ]);
    // A removed part accepts no spending either.
    await transact(table, { part: remove(table, partKey(scope, spread, 0)) });
    expect(await count(table, scope, { amount: '1', spread })).toMatchObject({ committed: false });
    expect(await spent(table, scope)).toBe('6.5');
  });

  it('lets settlements continue without a loss if it was not set after all', async () => {
    const { scope, spread } = await spreadScope();
    // The parts are closed, but the transaction that changes the limit is not executed.
    await limitWrites(table, scope, limit);

    expect(await spent(table, scope)).toBe('6.5');
    expect(await count(table, scope, { amount: '1', spread })).toMatchObject({ committed: false });
    await count(table, scope, { amount: '1' });
    expect(await spent(table, scope)).toBe('7.5');
    expect(await setLimit(table, scope)).toEqual({ committed: true });
    expect((await rootOf(table, scope))['spent_lifetime']).toBe('7.5');
  });

  it('is set by concurrent callers, without counting anything twice', async () => {
    const { scope } = await spreadScope();

    await Promise.all([1, 2, 3].map(() => setLimit(table, scope)));
    await Promise.all([1, 2].map(() => gatherCounter(table, scope)));

    expect((await rootOf(table, scope))['spent_lifetime']).toBe('6.5');
  });

  it('permits parts again after it is removed', async () => {
    const { scope } = await spreadScope();
    await setLimit(table, scope);
    await setLimit(table, scope, { limits: {}, revision: 2 } as unknown as typeof limit);

    const spread = (await spreadCounter(table, scope))!;
    await count(table, scope, { amount: '0.25', spread, part: 7 });

    expect(await spent(table, scope)).toBe('6.75');
    await gatherCounter(table, scope);
    expect((await rootOf(table, scope))['spent_lifetime']).toBe('6.75');
  });
});

/** Calls that merge all parts: one read, two calls for each part (which close and read it), and the transaction. */
const CALLS = 2 + 2 * COUNTER_PARTS;
const deaths = [...new Set([1, ...placesIn(CALLS, { ofWhichAlways: 6 }), CALLS - 1])];

describe.each(['unavailable', 'lost-reply'] as const)(
  'a process that is killed while it merges parts (%s)',
  (fault) => {
    it.each(deaths)('after its call %i has lost and doubled nothing', async (last) => {
      const { scope, spread } = await spreadScope();
      let calls = 0;
      // All later calls fail, as if the process had ended; with "lost-reply", the last successful call has no reply.
      proxy.faultFor = ({ action }) => {
        calls += 1;
        if (calls === last + 1 && fault === 'lost-reply' && action !== 'GetItem') return fault;
        return calls > last ? 'unavailable' : undefined;
      };
      await gatherCounter(faulty, scope).catch(() => undefined);
      proxy.faultFor = () => undefined;

      expect(await spent(table, scope)).toBe('6.5');
      // A settlement that does not know of the merge is counted in the part, or refused there and counted in the
      // counter.
      const stale = await count(table, scope, { amount: '1', spread, part: 5 });
      if (!stale.committed) await count(table, scope, { amount: '1' });
      expect(await spent(table, scope)).toBe('7.5');

      await gatherCounter(table, scope);
      expect([await hasParts(table, scope), (await rootOf(table, scope))['spent_lifetime']]).toEqual([false, '7.5']);
    });
  },
);

describe('readers, while parts of a counter are merged and created again', () => {
  it('see exactly the spending, each time', async () => {
    const { scope } = await spreadScope();
    const gathering = { isOver: false };
    const seen: string[] = [];
    const reading = (async () => {
      while (!gathering.isOver) {
        const counterOf = await readCounters(table, 'key', [scope.id]);
        seen.push(await spent(table, scope), spentIn(counterOf(scope.id)));
      }
    })();
    for (let round = 0; round < 4; round += 1) {
      await gatherCounter(table, scope);
      await spreadCounter(table, scope);
    }
    gathering.isOver = true;
    await reading;
    expect(seen.length).toBeGreaterThan(4);
    expect(new Set(seen)).toEqual(new Set(['6.5']));
  });

  it.each([
    ['', false],
    [', and that are deleted', true],
  ])('do not add merged parts that they know from an earlier read%s', async (_, areGone) => {
    const { scope, spread } = await spreadScope();
    let isGathered = false;
    proxy.before = async ({ action }) => {
      if (action !== 'BatchGetItem' || isGathered) return;
      isGathered = true;
      await gatherCounter(table, scope);
      if (!areGone) return;
      for (const key of partKeys(scope, spread)) await transact(table, { part: remove(table, key) });
    };
    expect(await spent(faulty, scope)).toBe('6.5');
    expect(isGathered).toBe(true);
  });

  it('add the parts of an earlier release, which have the partition key of their counter', async () => {
    const scope = await newScope();
    const spread = uuidv7();
    const keys = partKeys(scope, spread);
    await transact(table, {
      counter: update(table, counterKey(scope), { set: { spread } }),
      ...Object.fromEntries(keys.map((key, part) => [part, putNew(table, { ...key, scope_id: scope.id, open: true })])),
    });
    await count(table, scope, { amount: '2', spread, part: 5 });

    expect(new Set(keys.map(({ pk }) => pk))).toEqual(new Set([counterKey(scope).pk]));
    expect(await spent(table, scope)).toBe('2');
    expect(await gatherCounter(table, scope)).toBe(true);
    expect(await spent(table, scope)).toBe('2');
    expect(await hasParts(table, scope)).toBe(false);
  });

  it('fail if a part is missing, rather than return too little', async () => {
    const { scope, spread } = await spreadScope();
    await transact(table, { part: remove(table, partKey(scope, spread, 0)) });
    await expect(spent(table, scope)).rejects.toBeInstanceOf(StoreBusyError);
  });
});
