import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { documentsOf } from '../support/documents.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../lambdas/accounting/settlement.ts';
import { generationKey } from '../../lambdas/store/generations/generation-key.ts';
import { StoreBusyError } from '../../lambdas/store/table/transact.ts';
import type { DynamodbCall } from '../support/fault-proxy.ts';
import { faultyTable } from '../support/faulty-table.ts';
import {
  books,
  holdRequest,
  newSpender,
  placeHold,
  rub,
  settledEverywhere,
  settlement,
  type Spender,
} from '../support/spending.ts';

const { table, faulty, proxy } = await faultyTable();

const limited = () => newSpender(table, { key: { daily: rub('100') } });

async function message(spender: Spender, cost: string): Promise<Settlement> {
  const request = holdRequest(spender, rub('1'));
  const { hold } = await placeHold(table, request);
  return settlement(request, hold, rub(cost));
}

const transactions = () => proxy.calls.filter(({ action }) => action === 'TransactWriteItems');
const itemsOf = ({ body }: DynamodbCall) => (JSON.parse(body) as { TransactItems: unknown[] }).TransactItems;

/** Returns a conflict at the item that contains this text, if the transaction has this item. */
const at = (body: string, item: string) => (body.includes(item) ? { conflictsAt: item } : undefined);

describe('a batch of settlements', () => {
  it('settles other payers although the counters of one payer stay busy', async () => {
    const [hot, calm] = [await limited(), await limited()];
    const batch = [await message(hot, '0.1'), await message(calm, '0.2'), await message(hot, '0.3')];
    proxy.faultFor = ({ body }) => at(body, `COUNTER#account#${hot.payer.accountId}`);

    const results = await settleBatch(faulty, batch, { swept: false });

    expect(results).toEqual([expect.any(StoreBusyError), 'settled', expect.any(StoreBusyError)]);
    expect((await books(table, calm)).key).toEqual(settledEverywhere('0.2'));
  });

  it('settles other keys of an account although one key is busy', async () => {
    const hot = await limited();
    const other = await limited();
    const calm: Spender = { ...other, payer: { ...other.payer, accountId: hot.payer.accountId } };
    const batch = [await message(hot, '0.1'), await message(calm, '0.2')];
    proxy.faultFor = ({ body }) => at(body, `COUNTER#key#${hot.payer.keyHash}`);

    const results = await settleBatch(faulty, batch, { swept: false });

    expect(results).toEqual([expect.any(StoreBusyError), 'settled']);
  });

  it('is not divided because of a counter that all settlements change', async () => {
    const [one, other] = [await limited(), await limited()];
    const { accountId } = one.payer;
    const colleague: Spender = { ...other, payer: { ...other.payer, accountId } };
    const batch = [await message(one, '0.1'), await message(colleague, '0.2')];
    proxy.faultFor = ({ body }) => at(body, `COUNTER#account#${accountId}`);

    const results = await settleBatch(faulty, batch, { swept: false });

    expect(results).toEqual([expect.any(StoreBusyError), expect.any(StoreBusyError)]);
    expect(new Set(transactions().map((call) => itemsOf(call).length))).toHaveLength(1);
  });

  it('settles other keys of an account although one key is throttled', async () => {
    const hot = await limited();
    const other = await limited();
    const calm: Spender = { ...other, payer: { ...other.payer, accountId: hot.payer.accountId } };
    const batch = [await message(hot, '0.1'), await message(calm, '0.2')];
    const item = `COUNTER#key#${hot.payer.keyHash}`;
    proxy.faultFor = ({ body }) => (body.includes(item) ? { conflictsAt: item, code: 'ThrottlingError' } : undefined);

    const results = await settleBatch(faulty, batch, { swept: false });

    expect(results).toEqual([expect.any(StoreBusyError), 'settled']);
  });

  it('excludes a record that is being changed, and settles the others', async () => {
    const spender = await limited();
    const [changing, calm] = [await message(spender, '0.1'), await message(spender, '0.2')];
    proxy.faultFor = ({ body }) => at(body, changing.generationId);

    const results = await settleBatch(faulty, [changing, calm], { swept: false });

    expect(results).toEqual([expect.any(StoreBusyError), 'settled']);
  });

  it('returns a settlement that DynamoDB always refuses as its own error, and settles the rest', async () => {
    const spender = await limited();
    const batch = [await message(spender, '0.1'), await message(spender, '0.2'), await message(spender, '0.3')];
    // DynamoDB allows no key of this length, and refuses the whole transaction.
    const poison = { ...batch[1]!, payer: { ...spender.payer, keyHash: 'x'.repeat(3_000) } };

    const results = await settleBatch(table, [batch[0]!, poison, batch[2]!], { swept: false });

    expect(results).toEqual(['settled', expect.any(Error), 'settled']);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0.4', '1.4'));
  });

  it('returns an invalid generation id as its own error', async () => {
    const good = await message(await limited(), '0.2');

    const results = await settleBatch(table, [{ ...good, generationId: 'gen-17' }, good], { swept: false });

    expect(results).toEqual([expect.any(RangeError), 'settled']);
  });

  it('abandons a record that stays different from the version that was read', async () => {
    const stubborn = await message(await limited(), '0.2');
    // Another process changes the record before each attempt.
    proxy.before = async ({ action, body }) => {
      if (action !== 'TransactWriteItems' || !body.includes(stubborn.generationId)) return;
      await raiseHold(stubborn);
    };
    const results = await settleBatch(faulty, [stubborn], { swept: false });
    proxy.before = () => undefined;

    expect(results).toEqual([expect.any(Error)]);
    expect(transactions().length).toBeLessThanOrEqual(5);
  });

  it('starts nothing more when its time is over', async () => {
    const late = await message(await limited(), '0.2');

    const results = await settleBatch(faulty, [late], { swept: false, deadlineMs: performance.now() - 1 });

    expect(results).toEqual([expect.any(Error)]);
    expect(proxy.calls).toEqual([]);
  });

  it('is one transaction for many payers, and more only above a hundred items', async () => {
    const spenders = await Promise.all(Array.from({ length: 30 }, limited));
    const batch = await Promise.all(spenders.map((spender) => message(spender, '0.5')));

    const results = await settleBatch(faulty, batch, { swept: false });

    expect(results).toEqual(batch.map(() => 'settled'));
    // Each settlement has six writes: its record, four counters, and the month of its model. A transaction has at most
    // 100 writes.
    expect(transactions().map((call) => itemsOf(call).length)).toEqual([96, 84]);
  });

  it('changes no counter for a request without cost and without a hold', async () => {
    const unlimited = await newSpender(table, {});
    const free = await message(unlimited, '0');

    expect(await settleBatch(faulty, [free], { swept: false })).toEqual(['settled']);

    expect(transactions().map((call) => itemsOf(call).length)).toEqual([1]);
  });

  it('changes only the counters with the hold of a request without cost', async () => {
    const free = await message(await limited(), '0');

    expect(await settleBatch(faulty, [free], { swept: false })).toEqual(['settled']);

    expect(transactions().map((call) => itemsOf(call).length)).toEqual([2]);
  });
});

async function raiseHold({ generationId, payer }: Settlement): Promise<void> {
  await documentsOf(table).send(
    new UpdateCommand({
      TableName: table.name,
      Key: generationKey(payer.accountId, generationId),
      UpdateExpression: 'ADD hold_steps :one',
      ExpressionAttributeValues: { ':one': 1 },
    }),
  );
}
