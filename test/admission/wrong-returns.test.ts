/**
 * Leases that the sweep returns although their process still runs, or although a record that uses the lease is not
 * written yet.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { returnDueLeases } from '../../lambdas/accounting/return-lease.ts';
import { placeHold } from '../../lambdas/admission/hold.ts';
import type { Leases } from '../../lambdas/admission/leases.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import type { DynamodbCall } from '../support/fault-proxy.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { isRecord, keyOf, leasesOf, limitedSpender, placed, sweepTwice, withLease } from '../support/leasing.ts';
import { keepLog, type LogLine } from '../support/log-lines.ts';
import { holdRequest, rub, type Spender } from '../support/spending.ts';

const MINUTE_MS = 60_000;
/** At this time, a sweep compares all returned leases with their records. */
const MUCH_LATER_MS = 30 * MINUTE_MS;

const { table, faulty, proxy } = await faultyTable();

let spender: Spender;
let leases: Leases;
let log: LogLine[];
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance', 'Date'] });
  log = keepLog();
  spender = await limitedSpender(table, '200');
  // Two records hold 0.8 RUB; the lease has 1.2 RUB left.
  leases = await withLease(faulty, spender);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function sweepDeadBoots(): Promise<void> {
  const [lease] = await leasesOf(table, spender);
  expect(await returnDueLeases(table, { nowMs: 0, deadBootIds: [lease!.bootId] })).toEqual({
    returned: 1,
    failures: [],
  });
}

async function sweepAt(nowMs: number): Promise<void> {
  expect(await returnDueLeases(table, { nowMs })).toMatchObject({ failures: [] });
}

async function hold(): Promise<void> {
  const request = holdRequest(spender, rub('0.1'));
  placed(await placeHold(faulty, request, { leases }));
  const stored = await readGeneration(table, spender.payer.accountId, request.generation.id);
  expect(stored?.lease).toBeDefined();
}

const corrections = () => log.filter(({ message }) => message === 'returned lease corrected');
const isReturn = ({ action, body }: DynamodbCall) => action === 'TransactWriteItems' && body.includes('returned_rub');

describe('a lease that the sweep returns while its process is running', () => {
  it('is corrected by its process when it ends', async () => {
    await sweepDeadBoots();
    for (let time = 0; time < 2; time += 1) await hold();
    expect(await keyOf(table, spender)).toBe('0 of 0.8');

    await leases.returnAll();

    expect(await keyOf(table, spender)).toBe('0 of 1');
    expect(corrections()).toHaveLength(1);
  });

  it('is corrected once, although both its process and the sweep correct it, in any order', async () => {
    await sweepDeadBoots();
    await hold();

    await Promise.all([leases.returnAll(), sweepAt(Date.now() + MUCH_LATER_MS)]);
    await sweepAt(Date.now() + 2 * MUCH_LATER_MS);

    expect(await keyOf(table, spender)).toBe('0 of 0.9');
    expect(corrections()).toHaveLength(1);
  });

  it('is corrected if two sweeps have clocks that differ by minutes', async () => {
    await sweepTwice(table, Date.now() + 10 * MINUTE_MS);
    await hold();

    await leases.returnAll();

    expect(await keyOf(table, spender)).toBe('0 of 0.9');
  });

  it('is corrected by the sweep if the process is killed before it ends the lease', async () => {
    await sweepDeadBoots();
    await hold();

    await sweepAt(Date.now() + MUCH_LATER_MS);
    await sweepAt(Date.now() + MUCH_LATER_MS);

    expect(await keyOf(table, spender)).toBe('0 of 0.9');
    expect(corrections()).toHaveLength(1);
  });

  it('is corrected although the reply to the correction is lost', async () => {
    await sweepDeadBoots();
    await hold();
    let lost = 0;
    proxy.faultFor = (call) =>
      isReturn(call) && call.body.includes('"1.1"') ? (lost++ < 5 ? 'lost-reply' : undefined) : undefined;

    await leases.returnAll();
    expect(lost).toBeGreaterThan(5);

    expect(await keyOf(table, spender)).toBe('0 of 0.9');
  });
});

describe('a record that is written after its lease was returned', () => {
  it('is held from the check of the sweep on, if its process has ended', async () => {
    const request = holdRequest(spender, rub('0.1'));
    proxy.faultFor = (call) => (isRecord(call) ? 'delayed' : undefined);
    await expect(placeHold(faulty, request, { leases })).rejects.toThrow();
    proxy.faultFor = () => undefined;
    await sweepTwice(table, Date.now() + 2 * MINUTE_MS);
    expect(await keyOf(table, spender)).toBe('0 of 0.8');

    await proxy.deliver();
    await sweepAt(Date.now() + MUCH_LATER_MS);

    expect(await keyOf(table, spender)).toBe('0 of 0.9');
  });

  it('is held from the end of the lease on, if its process was suspended', async () => {
    const { promise: suspended, resolve: noteSuspended } = Promise.withResolvers<void>();
    const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
    proxy.before = (call) => {
      if (!isRecord(call)) return undefined;
      noteSuspended();
      return resumed;
    };
    const result = placeHold(faulty, holdRequest(spender, rub('0.1')), { leases });
    await suspended;
    await sweepTwice(table, Date.now() + 2 * MINUTE_MS);

    vi.setSystemTime(Date.now() + 20 * MINUTE_MS);
    resume();
    placed(await result);
    await leases.returnAll();

    expect(await keyOf(table, spender)).toBe('0 of 0.9');
  });
});

describe('a return that the table rejects', () => {
  it('is retried while its process is running', async () => {
    proxy.faultFor = (call) => (isReturn(call) ? 'unavailable' : undefined);
    const ended = leases.returnAll();
    await expect.poll(() => proxy.calls.filter(isReturn).length).toBeGreaterThan(3);
    expect(await leasesOf(table, spender)).toHaveLength(1);

    proxy.faultFor = () => undefined;
    await ended;

    expect(await leasesOf(table, spender)).toEqual([]);
    expect(await keyOf(table, spender)).toBe('0 of 0.8');
  });

  it('is abandoned after a minute, and the sweep returns the lease', async () => {
    proxy.faultFor = (call) => (isReturn(call) ? 'unavailable' : undefined);
    const ended = leases.returnAll();
    await expect.poll(() => proxy.calls.filter(isReturn).length).toBeGreaterThan(0);
    vi.advanceTimersByTime(MINUTE_MS);
    await ended;

    expect(log.filter(({ message }) => message === 'lease not returned')).toHaveLength(1);
    await sweepTwice(table, Date.now() + 2 * MINUTE_MS);
    expect(await keyOf(table, spender)).toBe('0 of 0.8');
  });
});

it('a record that a busy table did not accept leaves its lease to its process', async () => {
  proxy.faultFor = (call) => (isRecord(call) ? 'conflict' : undefined);
  await expect(placeHold(faulty, holdRequest(spender, rub('0.1')), { leases })).rejects.toThrow('busy');
  proxy.faultFor = () => undefined;

  await leases.returnAll();

  expect(await leasesOf(table, spender)).toEqual([]);
  expect(await keyOf(table, spender)).toBe('0 of 0.8');
});

it('a lease of a killed process is returned in two runs of a sweep that runs every minute', async () => {
  const [lease] = await leasesOf(table, spender);

  await sweepAt(lease!.sweepAtMs!);
  await sweepAt(lease!.sweepAtMs! + 55_000);

  expect(lease!.sweepAtMs! - lease!.createdAtMs).toBeLessThan(65_000);
  expect(await leasesOf(table, spender)).toEqual([]);
});
