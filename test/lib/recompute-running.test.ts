import { beforeEach, describe, expect, it } from 'vitest';
import { placeHold } from '../../lambdas/admission/hold.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { readAudit } from '../../lambdas/store/accounts/audit.ts';
import { rateItemKey } from '../../lambdas/store/counters/key-rates.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { update } from '../../lambdas/store/table/writes.ts';
import { recomputeRunning } from '../../lib/admin/counters/recompute-running.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { countedOf, limitsOn, ratedRequest } from '../support/key-rates.ts';
import { placed, settleOne } from '../support/leasing.ts';
import type { Spender } from '../support/spending.ts';

const { table, faulty, proxy } = await faultyTable();
const actor = { kind: 'operator', id: 'test' } as const;
const limits = limitsOn({ parallel: 40 });

let context: ChangeContext;
let spender: Spender;
beforeEach(async () => {
  proxy.before = () => undefined;
  const account = await createAccount(table, actor, { name: 'Rated', mode: 'postpaid' });
  context = { table: faulty, accountId: account.id, actor };
  const workspaceId = account.defaultWorkspaceId;
  const { key } = await createKey(context, 'pepper', { kind: 'inference', workspaceId, name: 'k' });
  const payer = { accountId: account.id, workspaceId, memberId: undefined, keyHash: key.hash };
  spender = { payer, scopes: [] };
});

async function begin() {
  const request = ratedRequest(spender, limits, { atMs: Date.now() });
  placed(await placeHold(table, request));
  return request;
}

const running = async () => (await countedOf(table, spender, limits, Date.now())).running;

/** Makes the count of a part wrong. */
async function driftOf(part: number, by: number): Promise<void> {
  const key = rateItemKey(spender.payer.keyHash, { kind: 'running', part }, 0);
  await writeAlone(table, update(table, key, { add: { running: by } }));
}

describe('counts of running requests', () => {
  it('are corrected from the open holds, with an audit entry, and then agree', async () => {
    for (let count = 0; count < 6; count += 1) await begin();
    await settleOne(table, await begin(), '0.01');
    for (const [part, by] of [3, -1, 5].entries()) await driftOf(part, by);
    expect(await running()).toBe(13);

    const corrected = await recomputeRunning(context);

    expect(corrected.map(({ part, counted, recorded }) => [part, counted - recorded]).toSorted()).toEqual([
      [0, 3],
      [1, -1],
      [2, 5],
    ]);
    expect(await running()).toBe(6);
    expect(await recomputeRunning(context)).toEqual([]);
    const [entry] = await readAudit(table, context.accountId, { limit: 1 });
    expect(entry).toMatchObject({ action: 'counters.recompute', target: `key ${spender.payer.keyHash}` });
  });

  it('are corrected exactly while requests begin and end', async () => {
    const open = [await begin(), await begin()];
    await driftOf(0, 7);
    let during = 0;
    proxy.before = async ({ action }) => {
      if (action !== 'Query' || during >= 6) return;
      during += 1;
      open.push(await begin());
      if (during % 2 === 0) await settleOne(table, open.shift()!, '0.01');
    };

    await recomputeRunning(context);

    expect(during).toBe(6);
    expect(await running()).toBe(open.length);
  });
});

it('an account without limits on running requests reads no records', async () => {
  const actions: string[] = [];
  proxy.before = ({ action }) => void actions.push(action);

  expect(await recomputeRunning(context)).toEqual([]);

  expect(actions.length).toBeLessThan(8);
});
