/** Leases with slow processes, slow tables or wrong clocks, and leases at midnight. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { returnDueLeases } from '../../lambdas/accounting/return-lease.ts';
import { placeHold } from '../../lambdas/admission/hold.ts';
import type { Leases } from '../../lambdas/admission/leases.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import {
  LEASE_MS,
  leaseFound,
  leasedTimes,
  RECORD_TIMEOUT_MS,
  type Lease,
} from '../../lambdas/store/counters/leases.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { update } from '../../lambdas/store/table/writes.ts';
import type { DynamodbCall } from '../support/fault-proxy.ts';
import { faultyTable } from '../support/faulty-table.ts';
import {
  eagerLeases,
  isRecord,
  keyOf,
  leasesOf,
  limitedSpender,
  placed,
  settleOne,
  withLease,
} from '../support/leasing.ts';
import { holdRequest, rub, type Spender } from '../support/spending.ts';

const MINUTE_MS = 60_000;

const { table, faulty, proxy } = await faultyTable();

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance', 'Date'] }));
afterEach(() => vi.useRealTimers());

/** Only the wall clock advances, as after a machine was suspended. */
const suspend = (ms: number) => vi.setSystemTime(Date.now() + ms);
const isLease = ({ action, body }: DynamodbCall) => action === 'TransactWriteItems' && body.includes('LEASE#');

/** Holds 0.1 RUB, and returns the lease in the record of the request. */
async function leasedBy(spender: Spender, leases: Leases, request = holdRequest(spender, rub('0.1'))) {
  placed(await placeHold(faulty, request, { leases }));
  return (await readGeneration(table, spender.payer.accountId, request.generation.id))?.lease;
}

async function sweepAt(nowMs: number): Promise<void> {
  expect(await returnDueLeases(table, { nowMs })).toMatchObject({ failures: [] });
}

describe('a record that names a lease', () => {
  it('is abandoned if it is not written within half a minute', async () => {
    const spender = await limitedSpender(table, '200');
    const leases = await withLease(faulty, spender);
    proxy.faultFor = (call) => {
      if (!isRecord(call)) return undefined;
      suspend(RECORD_TIMEOUT_MS);
      return 'unavailable';
    };
    proxy.calls.length = 0;

    await expect(placeHold(faulty, holdRequest(spender, rub('0.1')), { leases })).rejects.toThrow();

    expect(proxy.calls.filter(isRecord)).toHaveLength(1);
  });

  it('is abandoned also if its writes conflict with transactions all that time', async () => {
    const spender = await limitedSpender(table, '200');
    const leases = await withLease(faulty, spender);
    proxy.faultFor = (call) => {
      if (!isRecord(call)) return undefined;
      suspend(RECORD_TIMEOUT_MS / 3);
      return 'conflict';
    };
    proxy.calls.length = 0;

    await expect(placeHold(faulty, holdRequest(spender, rub('0.1')), { leases })).rejects.toThrow();

    expect(proxy.calls.filter(isRecord)).toHaveLength(3);
  });

  it('loses its lease if it is abandoned, and requests get single holds for three seconds', async () => {
    const spender = await limitedSpender(table, '200');
    const leases = await withLease(faulty, spender, () => performance.now());
    proxy.faultFor = (call) => (isRecord(call) ? 'lost-reply' : undefined);
    await expect(placeHold(faulty, holdRequest(spender, rub('0.1')), { leases })).rejects.toThrow();
    proxy.faultFor = () => undefined;

    for (let hold = 0; hold < 3; hold += 1) expect(await leasedBy(spender, leases)).toBeUndefined();
    vi.advanceTimersByTime(3_000);
    for (let hold = 0; hold < 2; hold += 1) await leasedBy(spender, leases);
    await leases.taken();

    // The first lease is also listed, because the sweep has not examined it.
    expect(await leasesOf(table, spender)).toHaveLength(2);
  });
});

describe('a lease', () => {
  it('expires by the wall clock after its machine was suspended', async () => {
    const spender = await limitedSpender(table, '200');
    const leases = await withLease(faulty, spender);
    const asked = holdRequest(spender, rub('0.1'));

    suspend(LEASE_MS + 1);

    expect(await leasedBy(spender, leases, asked)).toBeUndefined();
  });

  it('expires if its time passes before its creation is confirmed', async () => {
    const spender = await limitedSpender(table, '200');
    const leases = eagerLeases();
    placed(await placeHold(faulty, holdRequest(spender, rub('0.1')), { leases }));
    proxy.before = (call) => {
      if (isLease(call)) vi.advanceTimersByTime(LEASE_MS + 1);
    };

    const [first, second] = [holdRequest(spender, rub('0.1')), holdRequest(spender, rub('0.1'))];

    expect(await leasedBy(spender, leases, first)).toBeUndefined();
    await leases.taken();
    expect(await leasedBy(spender, leases, second)).toBeUndefined();

    await leases.returnAll();
    expect(await keyOf(table, spender)).toBe('0 of 0.3');
  });

  it('ends at midnight, so that the new day has its own lease', async () => {
    const midnightMs = Math.ceil(Date.now() / 86_400_000) * 86_400_000;
    vi.setSystemTime(midnightMs - 500);
    const spender = await limitedSpender(table, '200');
    const leases = await withLease(faulty, spender);

    vi.advanceTimersByTime(500);
    await expect.poll(() => leases.ended).toBe(1);
    const [first, second] = [await leasedBy(spender, leases), await leasedBy(spender, leases)];

    expect(first?.id).toBeDefined();
    expect(second?.id).toBe(first?.id);
    const [lease, ...others] = await leasesOf(table, spender);
    expect([lease?.id, others]).toEqual([first?.id, []]);
    expect(lease?.createdAtMs).toBeGreaterThanOrEqual(midnightMs);
  });

  it('is not used for requests that have waited for long', async () => {
    const spender = await limitedSpender(table, '200');
    const leases = await withLease(faulty, spender);
    const [lease] = await leasesOf(table, spender);
    const atMs = leasedTimes(lease!).fromMs - 1;

    for (let hold = 0; hold < 3; hold += 1) {
      const waited = holdRequest(spender, rub('0.1'), { atMs });
      expect(await leasedBy(spender, leases, waited)).toBeUndefined();
    }
    await leases.taken();

    expect(await leasesOf(table, spender)).toHaveLength(1);
  });

  it('that cannot be returned at once does not delay a request without room', async () => {
    const spender = await limitedSpender(table, '200');
    const leases = await withLease(faulty, spender);
    const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>();
    const { promise: busy, resolve: letGo } = Promise.withResolvers<void>();
    proxy.before = (call) => {
      if (!isLease(call)) return undefined;
      noteAsked();
      return busy;
    };

    proxy.calls.length = 0;
    const result = placeHold(faulty, holdRequest(spender, rub('199.2')), { leases });
    await asked;
    await vi.advanceTimersByTimeAsync(500);

    expect(await result).toMatchObject({ refused: { kind: 'no_room' } });
    expect(proxy.calls.filter(isLease)).toHaveLength(1);
    letGo();
  });
});

/**
 * Takes a lease on a server whose clock is ten minutes slow. Returns the lease, and the real time in epoch
 * milliseconds.
 */
async function slowLease(spender: Spender): Promise<{ leases: Leases; lease: Lease; realNow: number }> {
  const realNow = Date.now();
  vi.setSystemTime(realNow - 10 * MINUTE_MS);
  const leases = await withLease(faulty, spender);
  const [lease] = await leasesOf(table, spender);
  return { leases, lease: lease!, realNow };
}

describe('the sweep of leases', () => {
  it('does not return the lease of a running server, however slow its clock is', async () => {
    const spender = await limitedSpender(table, '200');
    const { leases, lease, realNow } = await slowLease(spender);

    await sweepAt(realNow);
    const request = holdRequest(spender, rub('0.1'));
    expect(await leasedBy(spender, leases, request)).toMatchObject({ id: lease.id });
    await leases.returnAll();
    await sweepAt(realNow + 2 * MINUTE_MS);

    expect(await keyOf(table, spender)).toBe('0 of 0.9');
    await settleOne(table, request, '0.05');
    expect(await keyOf(table, spender)).toBe('0.05 of 0.85');
  });

  it('returns a lease that it finds open again after its last record is written or abandoned', async () => {
    const spender = await limitedSpender(table, '200');
    const { lease, realNow } = await slowLease(spender);

    await sweepAt(realNow);
    await sweepAt(realNow + LEASE_MS + RECORD_TIMEOUT_MS + 1);
    expect(await leasesOf(table, spender)).toMatchObject([{ id: lease.id, foundAtMs: realNow }]);
    await sweepAt(realNow + 2 * MINUTE_MS);

    expect(await leasesOf(table, spender)).toEqual([]);
    expect(await keyOf(table, spender)).toBe('0 of 0.8');
  });

  it('changes nothing in a lease that was returned since it was read', async () => {
    const spender = await limitedSpender(table, '200');
    const { leases, lease, realNow } = await slowLease(spender);
    await leases.returnAll();

    expect(await writeAlone(table, leaseFound(table, lease, realNow))).toBeDefined();
  });

  it('continues with other leases if one lease is unreadable', async () => {
    const spenders = [await limitedSpender(table, '200'), await limitedSpender(table, '200')];
    const found: Lease[] = [];
    for (const spender of spenders) {
      await withLease(faulty, spender);
      found.push(...(await leasesOf(table, spender)));
    }
    const [broken, whole] = found as [Lease, Lease];
    const key = { pk: `LEASE#${broken.id}`, sk: 'LEASE' };
    // The partition that is read last has both leases, the broken one first.
    const due = { sweep_shard: 'LEASES#7', sweep_at: '2026-01-01T00:00:00.000Z', found_at: '2026-01-01T00:00:00.000Z' };
    await writeAlone(table, update(table, key, { set: { ...due, amount_rub: 'much' } }));
    const later = { ...due, sweep_at: '2026-01-02T00:00:00.000Z' };
    await writeAlone(table, update(table, { pk: `LEASE#${whole.id}`, sk: 'LEASE' }, { set: later }));

    const { failures } = await returnDueLeases(table, { nowMs: Date.now() });
    await writeAlone(table, update(table, key, { set: { state: 'broken' }, remove: ['sweep_shard', 'sweep_at'] }));

    expect(failures).toHaveLength(1);
    expect(await keyOf(table, spenders[1]!)).toBe('0 of 0.8');
  });
});
