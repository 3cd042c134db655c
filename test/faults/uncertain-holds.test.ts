import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { releaseUnknown } from '../../lambdas/accounting/release.ts';
import { sweepHolds } from '../../lambdas/accounting/sweep.ts';
import { placeHold, type HoldRequest } from '../../lambdas/admission/hold.ts';
import { readGeneration } from '../../lambdas/store/generation-queries.ts';
import type { Table } from '../../lambdas/store/table.ts';
import { startFaultProxy, type Fault, type FaultProxy } from '../support/fault-proxy.ts';
import { books, holdRequest, newSpender, rub, settledEverywhere, type Spender } from '../support/spending.ts';
import { newTable, tableThrough } from '../support/table.ts';

let table: Table;
let proxy: FaultProxy;
let faulty: Table;
beforeAll(async () => {
  table = await newTable();
  proxy = await startFaultProxy(inject('dynamodbEndpoint'));
});
beforeEach(() => {
  // A client that has seen many faults gives up sooner: each test has one of its own.
  faulty = tableThrough(proxy.endpoint, table);
  proxy.faultFor = () => undefined;
});
afterAll(() => proxy.stop());

/** Every attempt to place the hold suffers the fault; what comes after it does not. */
async function placeUncertainly(spender: Spender, fault: Fault): Promise<HoldRequest> {
  const request = holdRequest(spender, rub('1'));
  proxy.faultFor = () => fault;
  await expect(placeHold(faulty, request)).rejects.toThrow();
  proxy.faultFor = () => undefined;
  return request;
}

async function stored({ generation }: HoldRequest) {
  return (await readGeneration(table, generation.payer.accountId, generation.id))!;
}

const freeAndFinal = { state: 'final', swept: false, outcome: { cost: rub('0'), cancelled: true, estimated: false } };

describe.each([
  ['of a limited key', { key: { daily: rub('10') } }],
  ['without limits', {}],
])('a hold %s of which no reply came through', (_, limits) => {
  it('is released when it was never made', async () => {
    const spender = await newSpender(table, limits);
    const request = await placeUncertainly(spender, 'delayed');

    await releaseUnknown(table, request.generation);

    expect(await stored(request)).toMatchObject(freeAndFinal);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0'));
    await proxy.deliver();
  });

  it('is released when it was made', async () => {
    const spender = await newSpender(table, limits);
    const request = await placeUncertainly(spender, 'lost-reply');
    expect((await stored(request)).state).toBe('pending');

    await releaseUnknown(table, request.generation);

    expect(await stored(request)).toMatchObject(freeAndFinal);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0'));
  });

  it('cannot be made any more once it is released', async () => {
    const spender = await newSpender(table, limits);
    const request = await placeUncertainly(spender, 'delayed');
    await releaseUnknown(table, request.generation);

    const statuses = await proxy.deliver();

    expect(statuses.length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([400]));
    expect(await stored(request)).toMatchObject(freeAndFinal);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0'));
  });

  it.each(['conflict', 'throttle', 'lost-reply'] as const)('is released through a %s', async (fault) => {
    const spender = await newSpender(table, limits);
    const request = await placeUncertainly(spender, 'lost-reply');
    let left = 3;
    proxy.faultFor = () => (left-- > 0 ? fault : undefined);

    await releaseUnknown(faulty, request.generation);

    expect(await stored(request)).toMatchObject(freeAndFinal);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0'));
  });

  it('is free when the release dies half-way, and the sweep comes', async () => {
    const spender = await newSpender(table, limits);
    const request = await placeUncertainly(spender, 'delayed');
    // The tombstone is written; everything after it is refused.
    proxy.faultFor = ({ action }) => (action === 'PutItem' ? undefined : 'conflict');
    await releaseUnknown(faulty, request.generation);
    expect((await stored(request)).state).toBe('pending');

    await sweepHolds(table, { nowMs: Date.now(), backlog: 'waiting' });

    expect(await stored(request)).toMatchObject({ state: 'final', outcome: { cost: rub('0'), cancelled: true } });
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0'));
    await proxy.deliver();
  });
});
