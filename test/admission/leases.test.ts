import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endLease, returnDueLeases } from '../../lambdas/accounting/return-lease.ts';
import { releaseUnknown } from '../../lambdas/accounting/release.ts';
import { placeHold } from '../../lambdas/admission/hold.ts';
import { Leases } from '../../lambdas/admission/leases.ts';
import { limitWrites } from '../../lambdas/store/counters/counter-parts.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { leasedTimes } from '../../lambdas/store/counters/leases.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { faultyTable } from '../support/faulty-table.ts';
import * as support from '../support/leasing.ts';
import { books, holdRequest, newSpender, rub, settledEverywhere, type Spender } from '../support/spending.ts';

const { table, faulty, proxy } = await faultyTable();

beforeEach(() => {
  // Timers are simulated, so that no lease ends by itself, and all holds are within one second.
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance', 'Date'] });
});
afterEach(() => vi.useRealTimers());

const { eagerLeases: eager, isRecord, placed } = support;
const limited = (limit: string) => support.limitedSpender(table, limit);
const keyOf = (spender: Spender) => support.keyOf(table, spender);
const leasesOf = (spender: Spender) => support.leasesOf(table, spender);
const withLease = (spender: Spender, through = table) => support.withLease(through, spender);

describe('a process with leases', () => {
  it('holds the amount of two seconds in all limited scopes for a payer with frequent requests', async () => {
    const spender = await limited('200');

    await withLease(spender);

    expect(await leasesOf(spender)).toMatchObject([{ amount: rub('1.6'), scopes: ['key', 'account'] }]);
    expect(await books(table, spender)).toMatchObject({
      key: settledEverywhere('0', '2'),
      account: settledEverywhere('0', '2'),
      workspace: settledEverywhere('0'),
    });
  });

  it('holds a request in memory, and writes its record without a transaction', async () => {
    const spender = await limited('200');
    const leases = await withLease(spender, faulty);
    proxy.calls.length = 0;
    const request = holdRequest(spender, rub('0.15'));

    const { hold } = placed(await placeHold(faulty, request, { leases }));

    expect(proxy.calls.map(({ action }) => action)).toEqual(['PutItem']);
    expect(hold).toMatchObject({ amount: rub('0.15'), scopes: ['key', 'account'], steps: 1 });
    const [lease] = await leasesOf(spender);
    expect(await readGeneration(table, spender.payer.accountId, request.generation.id)).toMatchObject({
      state: 'pending',
      hold,
      lease: { id: lease!.id, amount: rub('0.15') },
    });
    expect(await keyOf(spender)).toBe('0 of 2');
  });

  it('returns the remainder when the lease expires, so that the held amount equals the records', async () => {
    vi.useRealTimers();
    const spender = await limited('200');
    const leases = await withLease(spender);
    const request = holdRequest(spender, rub('0.15'));
    placed(await placeHold(table, request, { leases }));

    await expect.poll(() => keyOf(spender)).toBe('0 of 0.95');

    expect(await leasesOf(spender)).toEqual([]);
    await support.settleOne(table, request, '0.05');
    expect(await keyOf(spender)).toBe('0.05 of 0.85');
  });

  it('settles requests of a lease while the lease is open', async () => {
    const spender = await limited('200');
    const leases = await withLease(spender);
    const request = holdRequest(spender, rub('0.15'));
    placed(await placeHold(table, request, { leases }));

    await support.settleOne(table, request, '0.05');

    expect(await keyOf(spender)).toBe('0.05 of 1.9');
    await leases.returnAll();
    expect(await keyOf(spender)).toBe('0.05 of 0.85');
  });

  it('places single holds for requests above the remainder of the lease', async () => {
    const spender = await limited('200');
    const leases = await withLease(spender);

    const request = holdRequest(spender, rub('1.3'));
    placed(await placeHold(table, request, { leases }));

    const stored = await readGeneration(table, spender.payer.accountId, request.generation.id);
    expect(stored).toMatchObject({ lease: undefined, hold: { amount: rub('1.3') } });
  });

  it('takes the next lease when less than half of the current one remains', async () => {
    const spender = await limited('200');
    const leases = await withLease(spender);

    for (let hold = 0; hold < 5; hold += 1) {
      placed(await placeHold(table, holdRequest(spender, rub('0.1')), { leases }));
    }
    await leases.taken();

    expect(await leasesOf(spender)).toHaveLength(2);
    await leases.returnAll();
    expect(await keyOf(spender)).toBe('0 of 1.3');
  });

  it('takes no lease for a payer with rare requests, or without limits', async () => {
    const [rare, free] = [await limited('200'), await newSpender(table, {})];
    const [usual, eagerOnes] = [new Leases(), eager()];

    for (let hold = 0; hold < 5; hold += 1) {
      placed(await placeHold(table, holdRequest(rare, rub('0.1')), { leases: usual }));
      placed(await placeHold(table, holdRequest(free, rub('0.1')), { leases: eagerOnes }));
    }

    for (const spender of [rare, free]) expect(await leasesOf(spender)).toEqual([]);
  });

  it('takes no lease unless a setting enables leases', async () => {
    const spender = await limited('200');

    for (let hold = 0; hold < 20; hold += 1) placed(await placeHold(table, holdRequest(spender, rub('0.1'))));

    expect(await leasesOf(spender)).toEqual([]);
  });

  it('takes at most a 64th of the room, and no lease if that is less than four holds', async () => {
    const [roomy, tight] = [await limited('32.4'), await limited('20')];
    const leases = eager();

    for (const spender of [roomy, tight]) {
      for (const amount of ['0.4', '0.1'])
        placed(await placeHold(table, holdRequest(spender, rub(amount)), { leases }));
    }
    await leases.taken();

    // Two seconds of such holds are 1 RUB, which exceeds a 64th of the room, and four of the last hold are 0.4 RUB.
    // After the first hold, a 64th of the room is 0.5 RUB for the first limit, and 0.31 RUB for the second.
    expect(await leasesOf(roomy)).toMatchObject([{ amount: rub('0.5') }]);
    expect(await leasesOf(tight)).toEqual([]);
  });

  it('returns its own lease before it refuses one of its requests', async () => {
    const spender = await limited('200');
    const leases = await withLease(spender);

    // Two earlier holds use 0.8 RUB, and the lease still reserves 1.2 RUB.
    const { hold } = placed(await placeHold(table, holdRequest(spender, rub('199.2')), { leases }));

    expect(hold.amount).toEqual(rub('199.2'));
    expect(await keyOf(spender)).toBe('0 of 200');
    expect(await leasesOf(spender)).toEqual([]);
  });

  it('uses no lease after the limits have changed since it was taken', async () => {
    const spender = await limited('200');
    const leases = await withLease(spender);
    const key = spender.scopes.find(({ kind }) => kind === 'key')!;
    const limits = { daily: rub('1.3') };
    await transact(table, await limitWrites(table, key, { limits, revision: 1 }));
    const changed = spender.scopes.map((scope) => (scope === key ? { ...scope, limits, revision: 1 } : scope));

    const fitting = await placeHold(table, holdRequest({ ...spender, scopes: changed }, rub('0.1')), { leases });
    const tooMuch = await placeHold(table, holdRequest({ ...spender, scopes: changed }, rub('0.41')), { leases });

    expect(fitting).toHaveProperty('placed');
    // The process has returned its lease: holds use 0.9 RUB of the limit of 1.3 RUB.
    expect(tooMuch).toMatchObject({ refused: { kind: 'no_room' } });
    expect(await keyOf(spender)).toBe('0 of 0.9');
  });

  it('uses no lease for a request from before the times of the lease', async () => {
    const spender = await limited('200');
    const leases = await withLease(spender);
    const [lease] = await leasesOf(spender);
    const { fromMs } = leasedTimes(lease!);

    const request = holdRequest(spender, rub('0.1'), { atMs: fromMs - 1 });
    placed(await placeHold(table, request, { leases }));

    expect(await readGeneration(table, spender.payer.accountId, request.generation.id)).toMatchObject({
      lease: undefined,
    });
  });

  it('keeps the times of a lease within its UTC day', () => {
    const midnight = Date.UTC(2026, 10, 25);

    expect(leasedTimes({ createdAtMs: midnight + 1_000 })).toEqual({ fromMs: midnight, toMs: midnight + 3_000 });
    expect(leasedTimes({ createdAtMs: midnight - 500 })).toEqual({ fromMs: midnight - 5_500, toMs: midnight - 1 });
  });
});

describe('a request that does not wait for its record', () => {
  it('is admitted before the record is written', async () => {
    const spender = await limited('200');
    const leases = await withLease(spender, faulty);
    const { promise: reply, resolve: letGo } = Promise.withResolvers<void>();
    proxy.before = ({ action }) => (action === 'PutItem' ? reply : undefined);
    const request = holdRequest(spender, rub('0.15'));
    const { accountId } = spender.payer;

    const result = await placeHold(faulty, request, { leases, recordsLater: true });

    expect(placed(result).hold.amount).toEqual(rub('0.15'));
    expect(await readGeneration(table, accountId, request.generation.id)).toBeUndefined();
    letGo();
    await ('recording' in result ? result.recording : undefined);
    expect(await readGeneration(table, accountId, request.generation.id)).toMatchObject({ state: 'pending' });
  });

  it('gets the error if the write fails', async () => {
    const spender = await limited('200');
    const leases = await withLease(spender, faulty);
    proxy.faultFor = (call) => (isRecord(call) ? 'unavailable' : undefined);

    const result = await placeHold(faulty, holdRequest(spender, rub('0.15')), { leases, recordsLater: true });

    expect(result).toHaveProperty('placed');
    await expect((result as { recording: Promise<void> }).recording).rejects.toThrow();
  });
});

describe('the lease of a killed process', () => {
  it('is returned by the sweep when it is due, except the amounts in records', async () => {
    const spender = await limited('200');
    const leases = await withLease(spender);
    const [pending, settled] = [holdRequest(spender, rub('0.15')), holdRequest(spender, rub('0.05'))];
    for (const request of [pending, settled]) placed(await placeHold(table, request, { leases }));
    await support.settleOne(table, settled, '0.02');
    const [lease] = await leasesOf(spender);

    await support.sweepTwice(table, lease!.sweepAtMs!);
    await support.sweepTwice(table, lease!.sweepAtMs!);

    expect(await keyOf(spender)).toBe('0.02 of 0.97');
    await support.settleOne(table, pending, '0.1');
    expect(await keyOf(spender)).toBe('0.12 of 0.92');
  });

  it('is returned at once if its run has ended', async () => {
    const spender = await limited('200');
    await withLease(spender);
    const [lease] = await leasesOf(spender);

    await returnDueLeases(table, { nowMs: 0, deadBootIds: [lease!.bootId] });

    expect(await keyOf(spender)).toBe('0 of 0.8');
  });

  it('is returned once, also if its process was only slow', async () => {
    const spender = await limited('200');
    const leases = await withLease(spender);
    const [lease] = await leasesOf(spender);

    // Both calls get the lease as it was read while it was open.
    for (let time = 0; time < 2; time += 1) await endLease(table, lease!, rub('1.2'));
    await leases.returnAll();

    expect(await keyOf(spender)).toBe('0 of 0.8');
  });
});

describe('a record with an unknown outcome', () => {
  it('leaves its lease to the sweep, whether or not the record was written', async () => {
    for (const isWritten of [true, false]) {
      const spender = await limited('200');
      const leases = await withLease(spender, faulty);
      const request = holdRequest(spender, rub('0.15'));
      proxy.faultFor = (call) => (isRecord(call) ? (isWritten ? 'lost-reply' : 'unavailable') : undefined);
      await expect(placeHold(faulty, request, { leases })).rejects.toThrow();
      proxy.faultFor = () => undefined;
      expect(await releaseUnknown(table, request.generation)).toBe(true);

      await leases.returnAll();
      const [lease] = await leasesOf(spender);
      await support.sweepTwice(table, lease!.sweepAtMs!);

      expect(await keyOf(spender)).toBe('0 of 0.8');
    }
  });

  it('is found by the next attempt, and stays held in the lease', async () => {
    const spender = await limited('200');
    const leases = await withLease(spender, faulty);
    const request = holdRequest(spender, rub('0.15'));
    let isLost = false;
    proxy.faultFor = (call) => {
      if (!isRecord(call) || isLost) return undefined;
      isLost = true;
      return 'lost-reply';
    };

    placed(await placeHold(faulty, request, { leases }));
    await leases.returnAll();

    expect(isLost).toBe(true);
    expect(await keyOf(spender)).toBe('0 of 0.95');
  });
});

it('a request whose lease gets no reply uses a single hold, and the sweep returns the lease', async () => {
  const spender = await limited('200');
  const leases = eager();
  placed(await placeHold(faulty, holdRequest(spender, rub('0.1')), { leases }));
  proxy.faultFor = ({ action, body }) =>
    action === 'TransactWriteItems' && body.includes('LEASE#') ? 'lost-reply' : undefined;
  placed(await placeHold(faulty, holdRequest(spender, rub('0.1')), { leases }));
  await leases.taken();
  proxy.faultFor = () => undefined;

  const request = holdRequest(spender, rub('0.1'));
  placed(await placeHold(faulty, request, { leases }));

  expect(await readGeneration(table, spender.payer.accountId, request.generation.id)).toMatchObject({
    lease: undefined,
  });
  for (const lease of await leasesOf(spender)) await support.sweepTwice(table, lease.sweepAtMs!);
  expect(await keyOf(spender)).toBe('0 of 0.3');
});
