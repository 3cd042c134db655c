import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetParts, limitedPartsOf, rememberLimitedParts } from '../../lambdas/accounting/busy-counters.ts';
import { pruneOnceADay } from '../../lambdas/accounting/prune.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { shrinkHold, type HoldRequest } from '../../lambdas/admission/hold.ts';
import * as holds from '../../lambdas/admission/hold.ts';
import { Money } from '../../lambdas/money/money.ts';
import { DAY_MS, windowsAt } from '../../lambdas/money/periods.ts';
import { gatherCounter, limitWrites, spreadCounter } from '../../lambdas/store/counters/counter-parts.ts';
import {
  activeUpdate,
  COUNTER_PARTS,
  counterKey,
  readCounter,
  type Scope,
} from '../../lambdas/store/counters/counters.ts';
import { gatherGranted } from '../../lambdas/store/counters/limited-parts.ts';
import type { Limits } from '../../lambdas/store/counters/limits.ts';
import { moneyFrom } from '../../lambdas/store/table/table.ts';
import { StoreBusyError, transact } from '../../lambdas/store/table/transact.ts';
import { update } from '../../lambdas/store/table/writes.ts';
import {
  giveLimitedParts,
  hasParts,
  conflictAt,
  newTableWithParts,
  partsAt,
  rootOf,
} from '../support/counter-parts.ts';
import { faultyTable } from '../support/faulty-table.ts';
import {
  books,
  extendHold,
  holdRequest,
  newSpender,
  placeHold,
  rub,
  settledEverywhere,
  settlement,
  type Spender,
} from '../support/spending.ts';
import { newTable, tableThrough } from '../support/table.ts';

const { table, faulty, proxy } = await faultyTable(newTableWithParts);

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const keyOf = (spender: Spender): Scope => spender.scopes.find(({ kind }) => kind === 'key')!;
const ALL_PARTS = [...Array(COUNTER_PARTS).keys()];

/** Creates a key with a limit, whose counter has parts with money left. */
async function busySpender(limits: Limits = { daily: rub('200') }): Promise<{ spender: Spender; key: Scope }> {
  const spender = await newSpender(table, { key: limits });
  const key = keyOf(spender);
  await giveLimitedParts(table, key);
  return { spender, key };
}

/** Returns the committed amounts in today's window, of the counter itself and of each part. */
async function committedToday(key: Scope): Promise<{ counter: Money; parts: Money[] }> {
  const root = await rootOf(table, key);
  const name = `committed_${windowsAt(Date.now()).daily}`;
  const parts = await partsAt(table, key, root['spread'] as string, ALL_PARTS);
  return { counter: moneyFrom(root[name]), parts: parts.map((part) => moneyFrom(part[name])) };
}

async function held(spender: Spender, atMs = Date.now()): Promise<string> {
  const counter = await readCounter(table, keyOf(spender));
  const { daily } = windowsAt(atMs);
  return `${counter.spent(daily)} of ${counter.committed(daily)}`;
}

async function setLimits(scope: Scope, limits: Limits, revision: number): Promise<void> {
  const outcome = await transact(table, await limitWrites(table, scope, { limits, revision }));
  expect(outcome).toEqual({ committed: true });
}

/** Places holds concurrently, and returns the requests that were admitted. */
async function holdAtOnce(spender: Spender, amount: string, count: number): Promise<HoldRequest[]> {
  const requests = Array.from({ length: count }, () => holdRequest(spender, rub(amount)));
  const results = await Promise.all(requests.map((request) => holds.placeHold(table, request)));
  return requests.filter((_, index) => 'placed' in results[index]!);
}

describe('a limited counter with conflicting holds', () => {
  it('gets parts with half of its room, and the hold is in one of them', async () => {
    const spender = await newSpender(table, { key: { daily: rub('200') } });
    const key = keyOf(spender);
    conflictAt(proxy, key);

    await placeHold(faulty, holdRequest(spender, rub('0.01')));

    expect(await hasParts(table, key)).toBe(true);
    const { counter, parts } = await committedToday(key);
    expect(counter.toString()).toBe('100');
    expect(Money.sum(parts).toString()).toBe('-99.99');
    expect(await held(spender)).toBe('0 of 0.01');
  });

  it('gets no parts if its room is only a few holds of that size', async () => {
    const spender = await newSpender(table, { key: { daily: rub('200') } });
    conflictAt(proxy, keyOf(spender));

    await placeHold(faulty, holdRequest(spender, rub('1')));

    expect(await hasParts(table, keyOf(spender))).toBe(false);
    expect(await held(spender)).toBe('0 of 1');
  });

  it('gets no parts without the permission of an operator', async () => {
    const cautious = await newTable();
    const spender = await newSpender(cautious, { key: { daily: rub('200') } });
    conflictAt(proxy, keyOf(spender));

    await placeHold(tableThrough(proxy.endpoint, cautious), holdRequest(spender, rub('0.01')));

    expect(await hasParts(cautious, keyOf(spender))).toBe(false);
  });
});

describe('a hold of a counter with parts', () => {
  it('writes the counter only if its part needs room', async () => {
    const { spender, key } = await busySpender();
    const before = await rootOf(table, key);

    await holdAtOnce(spender, '0.01', 20);

    expect(await rootOf(table, key)).toEqual(before);
    expect(await held(spender)).toBe('0 of 0.2');
  });

  it('above the room of a part is granted room', async () => {
    const { spender, key } = await busySpender();

    await placeHold(table, holdRequest(spender, rub('30')));

    expect((await committedToday(key)).counter.toString()).toBe('130');
    expect(await held(spender)).toBe('0 of 30');
  });

  it('above the remaining room of the counter merges the parts, and finds room', async () => {
    const { spender, key } = await busySpender();

    await placeHold(table, holdRequest(spender, rub('150')));

    expect(await hasParts(table, key)).toBe(false);
    expect(await held(spender)).toBe('0 of 150');
  });

  it('finds parts that its process does not have in its cache', async () => {
    const { spender, key } = await busySpender();
    forgetParts(key);

    await placeHold(table, holdRequest(spender, rub('0.01')));

    expect(limitedPartsOf(key)).toBeDefined();
    expect(await held(spender)).toBe('0 of 0.01');
  });

  it('uses the counter if the cached parts were merged', async () => {
    const { spender, key } = await busySpender();
    await gatherCounter(table, key);

    await placeHold(table, holdRequest(spender, rub('0.01')));

    expect((await rootOf(table, key))[`committed_lifetime`]).toBe('0.01');
    expect(await held(spender)).toBe('0 of 0.01');
  });

  it('uses another part if one is busy', async () => {
    const { spender } = await busySpender();
    let busy: string | undefined;
    proxy.faultFor = ({ action, body }) => {
      const [part] = /"COUNTER#p[0-9a-f-]{36}#\d+"/.exec(body) ?? [];
      if (action !== 'TransactWriteItems' || part === undefined) return undefined;
      busy ??= part;
      return part === busy ? { conflictsAt: busy } : undefined;
    };

    await placeHold(faulty, holdRequest(spender, rub('0.01')));

    expect(busy).toBeDefined();
    expect(await held(spender)).toBe('0 of 0.01');
  });

  it('waits before it uses another part if one is throttled', async () => {
    const { spender } = await busySpender();
    const pauses = vi.spyOn(Math, 'random');
    let throttled = 0;
    proxy.faultFor = ({ action, body }) => {
      const [part] = /"COUNTER#p[0-9a-f-]{36}#\d+"/.exec(body) ?? [];
      if (action !== 'TransactWriteItems' || part === undefined || throttled === 2) return undefined;
      throttled += 1;
      return { conflictsAt: part, code: 'ThrottlingError' };
    };

    await placeHold(faulty, holdRequest(spender, rub('0.01')));

    // Each attempt in a part pauses, and the hold then tries another part.
    expect(throttled).toBe(2);
    expect(pauses.mock.calls.length).toBeGreaterThanOrEqual(4);
    expect(await held(spender)).toBe('0 of 0.01');
  });

  it('is extended and released in any part, and settled in another', async () => {
    const { spender, key } = await busySpender();
    const request = holdRequest(spender, rub('0.05'));
    const placed = await placeHold(table, request);

    const extended = await extendHold(table, placed, { ...request, amount: rub('0.5') });
    expect(await held(spender)).toBe('0 of 0.55');
    const shrunk = await shrinkHold(table, extended, { ...request, amount: rub('0.35') });
    expect(await held(spender)).toBe('0 of 0.2');
    const { hold } = (shrunk as { placed: typeof placed }).placed;
    const before = await rootOf(table, key);
    const results = await settleBatch(table, [settlement(request, hold, rub('0.15'))], { swept: false });

    expect(results).toEqual(['settled']);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0.15'));
    expect(await rootOf(table, key)).toEqual(before);
  });

  it('counts for the day of its request, before midnight and after', async () => {
    const { spender } = await busySpender();
    const tomorrowMs = Date.now() + DAY_MS;
    await placeHold(table, holdRequest(spender, rub('0.01')));

    await placeHold(table, holdRequest(spender, rub('0.02'), { atMs: tomorrowMs }));

    expect(await held(spender)).toBe('0 of 0.01');
    expect(await held(spender, tomorrowMs)).toBe('0 of 0.02');
  });

  it('without a reply is found again, and placed once', async () => {
    const { spender } = await busySpender();
    let isLost = false;
    proxy.faultFor = ({ action }) => {
      if (action !== 'TransactWriteItems' || isLost) return undefined;
      isLost = true;
      return 'lost-reply';
    };

    await placeHold(faulty, holdRequest(spender, rub('0.01')));

    expect(isLost).toBe(true);
    expect(await held(spender)).toBe('0 of 0.01');
  });
});

describe('the limit of a counter with parts', () => {
  it('is as strict as that of a single counter: it admits exactly as many concurrent requests as have room', async () => {
    const { spender, key } = await busySpender({ daily: rub('2'), lifetime: rub('100') });

    const passed = await holdAtOnce(spender, '0.01', 260);

    expect(passed).toHaveLength(200);
    expect(await held(spender)).toBe('0 of 2');
    expect(await hasParts(table, key)).toBe(false);
  });

  it('refuses with the amounts of the whole counter', async () => {
    const { spender } = await busySpender({ daily: rub('2') });
    await holdAtOnce(spender, '0.01', 190);

    const refusal = placeHold(table, holdRequest(spender, rub('0.2')));

    await expect(refusal).rejects.toMatchObject({
      status: 402,
      metadata: { limit_rub: '2', spend_rub: '0', held_rub: '1.9', remaining_rub: '0.1' },
    });
  });

  it('has room again after settlements, in any part', async () => {
    const { spender } = await busySpender({ daily: rub('2') });
    const passed = await holdAtOnce(spender, '0.01', 220);
    const hold = { amount: rub('0.01'), steps: 1, scopes: ['key' as const], serviceHolds: [], rateHolds: [] };
    await settleBatch(
      table,
      passed.map((request) => settlement(request, hold, Money.zero)),
      { swept: false },
    );

    expect(await holdAtOnce(spender, '0.01', 220)).toHaveLength(200);
  });

  it('counts for the next hold after it is lowered', async () => {
    const { spender, key } = await busySpender();
    await holdAtOnce(spender, '0.01', 10);

    await setLimits(key, { daily: rub('0.15') }, 1);

    // The caller was read before the limit was lowered.
    expect(await holdAtOnce(spender, '0.01', 10)).toHaveLength(5);
    expect(await held(spender)).toBe('0 of 0.15');
  });

  it('counts for the next hold after it is added, also if the process has cached the parts of the new limits', async () => {
    const { spender, key } = await busySpender();
    const limits = { daily: rub('200'), lifetime: rub('220') };
    await setLimits(key, limits, 1);
    const root = await giveLimitedParts(table, { ...key, limits, revision: 1 });
    const parts = await partsAt(table, key, root.spread, ALL_PARTS);

    await placeHold(table, holdRequest(spender, rub('0.01')));

    expect(parts.every((part) => moneyFrom(part['committed_lifetime']).isNegative)).toBe(true);
    expect(await held(spender)).toBe('0 of 0.01');
  });

  it('leaves nothing behind after it is removed, and held requests are settled', async () => {
    const { spender, key } = await busySpender();
    const request = holdRequest(spender, rub('0.05'));
    const { hold } = await placeHold(table, request);

    await setLimits(key, {}, 1);
    expect(await hasParts(table, key)).toBe(false);
    await settleBatch(table, [settlement(request, hold, rub('0.02'))], { swept: false });

    expect((await books(table, spender)).key).toEqual(settledEverywhere('0.02'));
  });

  it('of several scopes holds in a part of each, or in none', async () => {
    const spender = await newSpender(table, { key: { daily: rub('200') }, workspace: { monthly: rub('2') } });
    for (const scope of spender.scopes.slice(0, 2)) await giveLimitedParts(table, scope);

    const passed = await holdAtOnce(spender, '0.01', 230);

    expect(passed).toHaveLength(200);
    const { key, workspace } = await books(table, spender);
    expect([key, workspace]).toEqual([settledEverywhere('0', '2'), settledEverywhere('0', '2')]);
  });
});

describe('the disabling of a scope with parts', () => {
  it('ends the admission of holds, although parts had room', async () => {
    const { spender, key } = await busySpender();

    await gatherGranted(table, key);
    expect(await transact(table, { counter: activeUpdate(table, key, false) })).toEqual({ committed: true });

    await expect(placeHold(table, holdRequest(spender, rub('0.01')))).rejects.toMatchObject({ status: 401 });
    expect(await held(spender)).toBe('0 of 0');
  });

  it('fails while room is granted to the parts', async () => {
    const { key } = await busySpender();

    expect(await transact(table, { counter: activeUpdate(table, key, false) })).toMatchObject({ committed: false });
  });

  it('prevents new parts', async () => {
    const spender = await newSpender(table, { key: { daily: rub('200') } });
    await transact(table, { counter: activeUpdate(table, keyOf(spender), false) });
    conflictAt(proxy, keyOf(spender));

    await expect(placeHold(faulty, holdRequest(spender, rub('0.01')))).rejects.toMatchObject({ status: 401 });

    expect(await hasParts(table, keyOf(spender))).toBe(false);
  });
});

describe('spending without a hold', () => {
  it('is added to the counter, and reduces its room', async () => {
    const { spender, key } = await busySpender();
    const unheld = { ...spender, scopes: [] };
    const request = holdRequest(unheld, rub('1'));
    const { hold } = await placeHold(table, request);

    await settleBatch(table, [settlement(request, hold, rub('60'))], { swept: false });

    expect((await committedToday(key)).counter.toString()).toBe('160');
    expect(await held(spender)).toBe('60 of 60');
  });
});

describe('a merge of parts', () => {
  it('is done by only one of all concurrent holds without room', async () => {
    const { spender, key } = await busySpender({ daily: rub('2') });
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    // The clock stands still, so that no process counts as dead on a slow machine.
    vi.spyOn(Date, 'now').mockReturnValue(Date.now());

    const requests = Array.from({ length: 30 }, () => holdRequest(spender, rub('1.2')));
    const results = await Promise.all(requests.map((request) => holds.placeHold(faulty, request)));

    expect(results.filter((result) => 'placed' in result)).toHaveLength(1);
    const closing = proxy.calls.filter(({ body }) => /REMOVE #n\d+"/.test(body) && body.includes('"open"'));
    const timesClosed = Object.values(Object.groupBy(closing, ({ body }) => body)).map((calls) => calls!.length);
    expect(timesClosed).toHaveLength(COUNTER_PARTS);
    // A second process that gathers the parts would close each part again.
    expect(Math.min(...timesClosed)).toBe(1);
    expect(await hasParts(table, key)).toBe(false);
  });

  it('is completed by the next hold if its process was killed', async () => {
    const { spender, key } = await busySpender({ daily: rub('2') });
    const since = update(table, counterKey(key), { set: { gathering_since_ms: Date.now() - 1_800 } });
    await transact(table, { since });

    await placeHold(table, holdRequest(spender, rub('1.2')));

    expect(await hasParts(table, key)).toBe(false);
    expect(await rootOf(table, key)).not.toHaveProperty('gathering_since_ms');
    expect(await held(spender)).toBe('0 of 1.2');
  });

  it('is done once a day, and not earlier', async () => {
    const { spender, key } = await busySpender();
    const of = async () => {
      const request = holdRequest(spender, rub('0.01'));
      return settlement(request, (await placeHold(table, request)).hold, rub('0.01'));
    };
    await pruneOnceADay(table, [await of()]);
    expect(await hasParts(table, key)).toBe(true);

    vi.useFakeTimers({ now: Date.now() + DAY_MS, toFake: ['Date'] });
    await pruneOnceADay(table, [await of()]);

    expect(await hasParts(table, key)).toBe(false);
  });

  it('is done by the next hold if an older release has limited a scope with parts', async () => {
    const spender = await newSpender(table, {});
    const key = { ...keyOf(spender), limits: { daily: rub('1') } };
    await spreadCounter(table, key);
    await transact(table, { counter: update(table, counterKey(key), { set: { limits: { daily: 1 } } }) });

    await placeHold(table, holdRequest({ ...spender, scopes: [key] }, rub('0.7')));

    expect(await hasParts(table, key)).toBe(false);
    expect(await held(spender)).toBe('0 of 0.7');
  });
});

function unlessBusy(error: unknown): undefined {
  if (!(error instanceof StoreBusyError)) throw error;
}

describe('readers of counters with parts', () => {
  it('always see exactly the held amount, also during grants', async () => {
    const { spender, key } = await busySpender({ daily: rub('100000') });
    rememberLimitedParts(key, { ...limitedPartsOf(key)!, grant: Money.zero });
    await holdAtOnce(spender, '0.01', 5);
    const granting = { isOver: false };
    const seen = new Set<string>();
    const reading = (async () => {
      while (!granting.isOver) {
        // A reader may fail if a grant is made during each of its reads, but it must not return a wrong amount.
        const read = await readCounter(table, key).catch(unlessBusy);
        if (read) seen.add(read.committed('lifetime').toString());
      }
    })();

    for (let round = 1; round <= 15; round += 1) {
      const request = holdRequest(spender, rub('900'));
      const placed = await placeHold(table, request);
      await shrinkHold(table, placed, { ...request, amount: rub('900') });
    }
    granting.isOver = true;
    await reading;

    expect(seen.size).toBeGreaterThan(0);
    for (const amount of seen) expect(['0.05', '900.05']).toContain(amount);
  });
});
