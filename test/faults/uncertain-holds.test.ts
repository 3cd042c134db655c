import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { releaseUnknown } from '../../lambdas/accounting/release.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { sweepHolds } from '../../lambdas/accounting/sweep.ts';
import { admit } from '../../lambdas/admission/admit.ts';
import { placeHold, type HoldRequest } from '../../lambdas/admission/hold.ts';
import { planSpending } from '../../lambdas/admission/spending-plan.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { startFaultProxy, type TableFault, type FaultProxy } from '../support/fault-proxy.ts';
import {
  books,
  holdRequest,
  newSpender,
  pricing,
  rub,
  settledEverywhere,
  settlement,
  type Spender,
} from '../support/spending.ts';
import { newTable, tableThrough } from '../support/table.ts';

let table: Table;
let proxy: FaultProxy;
let faulty: Table;
beforeAll(async () => {
  table = await newTable();
  proxy = await startFaultProxy(inject('dynamodbEndpoint'));
});
beforeEach(() => {
  // Each test has a new client of the table, because a client shortens its retries after many faults.
  faulty = tableThrough(proxy.endpoint, table);
  proxy.faultFor = () => undefined;
});
afterAll(() => proxy.stop());

/** Sends a hold whose attempts all have this fault. Later calls have no fault. */
async function placeUncertainly(spender: Spender, fault: TableFault): Promise<HoldRequest> {
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
])('a hold %s without a reply', (_, limits) => {
  it('is released if it was never placed', async () => {
    const spender = await newSpender(table, limits);
    const request = await placeUncertainly(spender, 'delayed');

    await releaseUnknown(table, request.generation);

    expect(await stored(request)).toMatchObject(freeAndFinal);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0'));
    await proxy.deliver();
  });

  it('is released if it was placed', async () => {
    const spender = await newSpender(table, limits);
    const request = await placeUncertainly(spender, 'lost-reply');
    expect((await stored(request)).state).toBe('pending');

    await releaseUnknown(table, request.generation);

    expect(await stored(request)).toMatchObject(freeAndFinal);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0'));
  });

  it('cannot be placed any more after it is released', async () => {
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

  it('costs nothing if its release is interrupted, and the sweep completes it', async () => {
    const spender = await newSpender(table, limits);
    const request = await placeUncertainly(spender, 'delayed');
    // The tombstone (a record that prevents a late hold) is written, and later writes are refused.
    proxy.faultFor = ({ action }) => (action === 'PutItem' ? undefined : 'conflict');
    await releaseUnknown(faulty, request.generation);
    expect((await stored(request)).state).toBe('pending');

    await sweepHolds(table, { nowMs: Date.now(), backlog: 'waiting' });

    expect(await stored(request)).toMatchObject({ state: 'final', outcome: { cost: rub('0'), cancelled: true } });
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0'));
    await proxy.deliver();
  });
});

describe('a request that is refused although an attempt of its hold had no reply', () => {
  it('holds and costs nothing if that attempt is carried out later', async () => {
    const spender = await newSpender(table, { key: { daily: rub('1.5') } });
    const others = holdRequest(spender, rub('1'));
    const { hold } = await placeHold(table, others).then((result) => ('placed' in result ? result.placed : never()));
    const request = holdRequest(spender, rub('1'));
    // The first attempt has no reply, three attempts are throttled, and the next transaction exceeds the limit.
    const fates: TableFault[] = ['delayed', 'throttle', 'throttle', 'throttle'];
    proxy.faultFor = ({ action }) => (action === 'TransactWriteItems' ? fates.shift() : undefined);

    const result = await admitted(request);
    await settleBatch(table, [settlement(others, hold, rub('0.2'))], { swept: false });
    await proxy.deliver();

    expect(result).toMatchObject({ refused: { refusal: { kind: 'no_room' }, isReleased: true } });
    expect(await stored(request)).toMatchObject(freeAndFinal);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0.2'));
  });

  it('gets 529 while its hold cannot be released', async () => {
    const spender = await newSpender(table, { key: { daily: rub('0.5') } });
    const request = holdRequest(spender, rub('0.6'));
    const fates: TableFault[] = ['delayed', 'throttle', 'throttle', 'throttle'];
    proxy.faultFor = ({ action }) => (action === 'TransactWriteItems' ? fates.shift() : 'conflict');
    await placeHold(table, holdRequest(spender, rub('0.4')));
    const likely = { ...request, amount: rub('0.3') };

    await expect(admitted(likely)).rejects.toMatchObject({ status: 529 });
  });

  it('gets the reason of the refusal if all attempts had a reply', async () => {
    const spender = await newSpender(table, { key: { daily: rub('0.5') } });
    const request = holdRequest(spender, rub('0.6'));

    expect(await admitted(request)).toMatchObject({ refused: { refusal: { kind: 'no_room' }, isReleased: false } });
  });
});

it('a hold of an earlier attempt has the amount of its record', async () => {
  const spender = await newSpender(table, { key: { daily: rub('10') }, workspace: { daily: rub('10') } });
  const request = holdRequest(spender, rub('2'));
  await placeHold(table, request);
  const withoutWorkspace = spender.scopes.map((scope) =>
    scope.kind === 'workspace' ? { ...scope, limits: {} } : scope,
  );

  const again = await placeHold(table, { ...request, amount: rub('1'), scopes: withoutWorkspace });

  expect(again).toMatchObject({ placed: { hold: { amount: rub('2'), scopes: ['key', 'workspace'] } } });
});

/** Admits a request with a prompt of 1,000 tokens at 0.001 RUB each. */
async function admitted({ amount, ...request }: HoldRequest) {
  const bound = {
    promptTokens: 1_000,
    outputTokens: 0,
    cacheWrites: 'none',
    pricedImages: 0,
    searchRequests: 0,
  } as const;
  return admit(faulty, {
    request,
    plan: { ...planSpending([{ pricing, bound, hiddenReasoningTokens: 0, beyondMaxTokens: 0 }], 1), amount },
    recount: () => Promise.resolve(undefined),
    minMaxTokens: 1,
    receivedAtMs: performance.now() - 60_000,
    clientLeft: undefined,
  });
}

function never(): never {
  throw new Error('No room for the test itself');
}
