import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { documentsOf } from '../support/documents.ts';
import type { Backlog } from '../../lambdas/accounting/backlog.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { sweepHolds, type SweepSelection } from '../../lambdas/accounting/sweep.ts';
import { DUE_AT_ONCE_MS, readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { checkpoint, pendingPut } from '../../lambdas/store/generations/generation-writes.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { startFaultProxy, type TableFault } from '../support/fault-proxy.ts';
import {
  books,
  holdRequest,
  newSpender,
  placeHold,
  outcome,
  rub,
  settledEverywhere,
  settlement,
  type Spender,
} from '../support/spending.ts';
import { newTable, tableThrough } from '../support/table.ts';

let table: Table;
let spender: Spender;
beforeEach(async () => {
  table = await newTable();
  spender = await newSpender(table, { key: { daily: rub('100') }, member: { monthly: rub('1000') } });
});

const HOUR_MS = 3_600_000;
const inAnHour = () => Date.now() + HOUR_MS;
const sweep = (more: Partial<SweepSelection> = {}) =>
  sweepHolds(table, { nowMs: inAnHour(), backlog: 'none', ...more });

async function held(more: { atMs?: number; bootId?: string } = {}) {
  const request = holdRequest(spender, rub('2'), more);
  const { hold } = await placeHold(table, request);
  return { request, hold, id: request.generation.id };
}

const stored = async (id: string) => (await readGeneration(table, spender.payer.accountId, id))!;
const stateOf = async ({ id }: { id: string }) => (await stored(id)).state;
const measure = (id: string, cost: string, sweepAtMs?: number) =>
  checkpoint(table, { accountId: spender.payer.accountId, id }, outcome(rub(cost)), sweepAtMs);

describe('the sweep', () => {
  it('keeps holds that are not due', async () => {
    const young = await held();
    await sweep({ nowMs: Date.now() });
    expect(await stateOf(young)).toBe('pending');
  });

  it('returns the hold of a video to the worker of its job, and settles nothing', async () => {
    const request = holdRequest(spender, rub('2'));
    request.generation.apiType = 'video';
    await placeHold(table, request);
    const back: string[] = [];

    const result = await sweep({ handBack: async ({ id }) => void back.push(id) });

    expect(result).toMatchObject({ swept: 0, settled: [], failures: [] });
    expect(back).toEqual([request.generation.id]);
    expect(await stateOf(request.generation)).toBe('pending');
  });

  it('settles an abandoned hold from its last measurement', async () => {
    const { id } = await held();
    await measure(id, '1.25');

    expect(await sweep()).toMatchObject({ swept: 1, failures: [] });

    expect(await stored(id)).toMatchObject({
      state: 'final',
      swept: true,
      outcome: { estimated: true, cancelled: true },
    });
    expect((await books(table, spender)).key).toEqual(settledEverywhere('1.25'));
  });

  it('settles a hold without a measurement from its input, not from zero', async () => {
    await held();
    await sweep();
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0.1'));
  });

  it('settles a complete measurement as final, not as an estimate', async () => {
    const { request, hold, id } = await held();
    await measure(id, '1.5', DUE_AT_ONCE_MS);

    await sweep({ nowMs: Date.now() });
    const late = await settleBatch(table, [settlement(request, hold, rub('1.5'))], { swept: false });

    expect(late).toEqual(['duplicate']);
    expect(await stored(id)).toMatchObject({ swept: false, outcome: { estimated: false } });
    expect((await books(table, spender)).key).toEqual(settledEverywhere('1.5'));
  });

  it('settles a complete measurement even if an older checkpoint reaches the table later', async () => {
    const { id } = await held();
    await measure(id, '1.5', DUE_AT_ONCE_MS);
    await measure(id, '0.5');

    await sweep({ nowMs: Date.now() });

    expect((await books(table, spender)).key).toEqual(settledEverywhere('1.5'));
  });

  it('keeps holds while messages wait, except those with a complete measurement', async () => {
    const [late, veryLate, complete] = [await held(), await held({ atMs: Date.now() - 24 * HOUR_MS }), await held()];
    await measure(late.id, '1');
    await measure(complete.id, '1.5', DUE_AT_ONCE_MS);

    expect(await sweep({ backlog: 'waiting' })).toMatchObject({ swept: 1 });

    expect(await Promise.all([late, veryLate, complete].map(stateOf))).toEqual(['pending', 'pending', 'final']);
  });

  it('keeps holds while messages flow, except those too old for any message', async () => {
    const [minutes, hours] = [await held(), await held({ atMs: Date.now() - 6 * HOUR_MS })];

    await sweep({ backlog: 'flowing' });

    expect(await Promise.all([minutes, hours].map(stateOf))).toEqual(['pending', 'final']);
  });

  it.each<Backlog>(['none', 'waiting'])(
    'settles holds of ended processes of a local gateway, and no others, if the backlog of the queue is "%s"',
    async (backlog) => {
      const [dead, alive, unknown] = [
        await held({ bootId: 'dead' }),
        await held({ bootId: 'alive' }),
        await held({ bootId: 'of another directory' }),
      ];

      await sweep({ nowMs: Date.now(), backlog, deadBootIds: ['dead'] });

      expect(await Promise.all([dead, alive, unknown].map(stateOf))).toEqual(['final', 'pending', 'pending']);
    },
  );

  it('continues after a hold that cannot be settled, and reports it', async () => {
    // DynamoDB does not allow a key of this length.
    const poison = holdRequest({ ...spender, payer: { ...spender.payer, keyHash: 'x'.repeat(3_000) } }, rub('1'));
    const hold = { amount: rub('1'), steps: 1, scopes: [], serviceHolds: [], rateHolds: [] };
    const item = pendingPut(table, { ...poison.generation, hold, sweepAtMs: 1 }).Put!.Item;
    await documentsOf(table).send(new PutCommand({ TableName: table.name, Item: item }));
    const others = await Promise.all(Array.from({ length: 20 }, () => held()));

    const result = await sweep();

    expect(result).toMatchObject({ swept: 20, failures: [expect.any(Error)] });
    expect(new Set(await Promise.all(others.map(stateOf)))).toEqual(new Set(['final']));
  });

  it('settles a hold once if two runs overlap, and reports the second attempt', async () => {
    const holds = await Promise.all(Array.from({ length: 10 }, () => held()));

    const [one, other] = await Promise.all([sweep(), sweep()]);

    expect(one.swept + other.swept).toBe(10);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('1'));
    const named = new Set([...one.settled, ...other.settled].map(({ generationId }) => generationId));
    expect(named).toEqual(new Set(holds.map(({ id }) => id)));
  });

  it('reports a settlement whose reply was lost', async () => {
    const { id } = await held();
    const proxy = await startFaultProxy(inject('dynamodbEndpoint'));
    // The attempt after a conflict has a new idempotency token, so it finds the write whose reply was lost.
    const faults: TableFault[] = ['lost-reply', 'conflict'];
    proxy.faultFor = ({ action }) => (action === 'TransactWriteItems' ? faults.shift() : undefined);

    const result = await sweepHolds(tableThrough(proxy.endpoint, table), { nowMs: inAnHour(), backlog: 'none' });
    await proxy.stop();

    expect(result.settled.map(({ generationId }) => generationId)).toEqual([id]);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0.1'));
  });

  it('starts nothing more when its time is over', async () => {
    const due = await held();
    await sweep({ deadlineMs: performance.now() - 1 });
    expect(await stateOf(due)).toBe('pending');
  });
});
