import { expect, it } from 'vitest';
import { placeHold } from '../../lambdas/admission/hold.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { scopesOf } from '../../lambdas/store/accounts/payer.ts';
import { counterKey, readCounter } from '../../lambdas/store/counters/counters.ts';
import { rateItemKey } from '../../lambdas/store/counters/key-rates.ts';
import { moneyAttribute, type Item } from '../../lambdas/store/table/table.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { update, type Key } from '../../lambdas/store/table/writes.ts';
import { recompute } from '../../lib/admin/counters/recompute.ts';
import type { Row } from '../../lib/shared/output.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { placed } from '../support/leasing.ts';
import { holdRequest, rub } from '../support/spending.ts';

const actor = { kind: 'operator', id: 'test' } as const;
const { table, faulty, proxy } = await faultyTable();

const add = (key: Key, amounts: Item) => writeAlone(table, update(table, key, { add: amounts }));

async function drifted() {
  const { id: accountId, defaultWorkspaceId: workspaceId } = await createAccount(table, actor, {
    name: 'Drifted',
    mode: 'postpaid',
  });
  const context = { table: faulty, accountId, actor };
  const { key } = await createKey(context, 'pepper', {
    kind: 'inference',
    workspaceId,
    name: 'k',
    limit: rub('200'),
  });
  const payer = { accountId, workspaceId, memberId: undefined, keyHash: key.hash };
  const scopes = await Promise.all(
    scopesOf(payer).map(async (scope) => ({ ...scope, ...(await readCounter(table, scope)) })),
  );
  placed(await placeHold(table, holdRequest({ payer, scopes }, rub('0.4'))));
  await addToCounter(key.hash, '3');
  await add(rateItemKey(key.hash, { kind: 'running', part: 0 }, 0), { running: 2 });
  return { context, keyHash: key.hash };
}

const addToCounter = (id: string, amount: string) =>
  add(counterKey({ kind: 'key', id }), { committed_lifetime: moneyAttribute(rub(amount)) });

it('counters recompute prints corrected counters and corrected running requests', async () => {
  const { context } = await drifted();
  const printed: Row[][] = [];

  await recompute(context, { print: (rows) => printed.push(rows), pauseMs: 1 });

  expect(printed).toMatchObject([
    [
      { window: 'lifetime', what: 'held', was: '3.4', is: '0.4' },
      { scope: 'key', what: 'running requests, part 0', was: '2', is: '0' },
    ],
  ]);
});

it('counters recompute prints corrected running requests, then fails, if the differences of counters changed', async () => {
  const { context, keyHash } = await drifted();
  let measurements = 0;
  let isChanged = false;
  const progressOf = () => {
    measurements += 1;
    return () => undefined;
  };
  proxy.before = async () => {
    if (measurements < 2 || isChanged) return;
    isChanged = true;
    await addToCounter(keyHash, '1');
  };
  const printed: Row[][] = [];

  const run = recompute(context, { print: (rows) => printed.push(rows), pauseMs: 1, progressOf });

  await expect(run).rejects.toThrow('Run the command again');
  expect(printed).toMatchObject([[{ what: 'running requests, part 0', was: '2', is: '0' }]]);
});

it('counters recompute prints corrected counters, then fails, if the running requests cannot be read', async () => {
  const { context } = await drifted();
  proxy.faultFor = ({ action, body }) =>
    action === 'BatchGetItem' && body.includes('RATE#') ? 'unavailable' : undefined;
  const printed: Row[][] = [];

  await expect(recompute(context, { print: (rows) => printed.push(rows), pauseMs: 1 })).rejects.toThrow();

  expect(printed).toMatchObject([[{ window: 'lifetime', what: 'held', was: '3.4', is: '0.4' }]]);
});
