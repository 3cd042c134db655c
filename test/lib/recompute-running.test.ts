import { beforeEach, describe, expect, it } from 'vitest';
import { placeHold } from '../../lambdas/admission/hold.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { DAY_MS } from '../../lambdas/money/periods.ts';
import { readAudit } from '../../lambdas/store/accounts/audit.ts';
import { rateItemKey } from '../../lambdas/store/counters/key-rates.ts';
import type { Item } from '../../lambdas/store/table/table.ts';
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
/** Spender with another key of the account. */
let other: Spender;
beforeEach(async () => {
  proxy.before = () => undefined;
  const account = await createAccount(table, actor, { name: 'Rated', mode: 'postpaid' });
  context = { table: faulty, accountId: account.id, actor };
  const workspaceId = account.defaultWorkspaceId;
  const create = async (name: string): Promise<Spender> => {
    const { key } = await createKey(context, 'pepper', { kind: 'inference', workspaceId, name });
    return { payer: { accountId: account.id, workspaceId, memberId: undefined, keyHash: key.hash }, scopes: [] };
  };
  spender = await create('k');
  other = await create('other');
});

interface Begin {
  of?: Spender;
  atMs?: number;
}

async function begin({ of = spender, atMs = Date.now() }: Begin = {}) {
  const request = ratedRequest(of, limits, { atMs });
  return { ...request, hold: placed(await placeHold(table, request)).hold };
}

/** Releases before the field `changes` began requests in this way. */
async function beginInEarlierRelease(): Promise<void> {
  for (const { kind, part } of (await begin()).hold.rateHolds) {
    if (kind === 'running') await addTo(part, { changes: -1 });
  }
}

/** Before each query, begins a request and ends the one before it. */
function disturb(of: Spender): void {
  let last: Awaited<ReturnType<typeof begin>> | undefined;
  proxy.before = async ({ action }) => {
    if (action !== 'Query') return;
    const next = await begin({ of });
    if (last) await settleOne(table, last, '0.01');
    last = next;
  };
}

const running = async (of = spender) => (await countedOf(table, of, limits, Date.now())).running;

const recompute = () => Array.fromAsync(recomputeRunning(context));

async function addTo(part: number, add: Item): Promise<void> {
  const key = rateItemKey(spender.payer.keyHash, { kind: 'running', part }, 0);
  await writeAlone(table, update(table, key, { add }));
}

const driftOf = (part: number, by: number) => addTo(part, { running: by });

const corrections = async () =>
  (await readAudit(table, context.accountId, { limit: 10 })).filter(({ action }) => action === 'counters.recompute');

describe('counts of running requests', () => {
  it('are corrected from the open holds, with an audit entry, and then agree', async () => {
    for (let count = 0; count < 6; count += 1) await begin();
    await settleOne(table, await begin(), '0.01');
    for (const [part, by] of [3, -1, 5].entries()) await driftOf(part, by);
    expect(await running()).toBe(13);

    const corrected = await recompute();

    expect(corrected.map(({ part, counted, recorded }) => [part, counted - recorded!]).toSorted()).toEqual([
      [0, 3],
      [1, -1],
      [2, 5],
    ]);
    expect(await running()).toBe(6);
    expect(await recompute()).toEqual([]);
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

    await recompute();

    expect(during).toBe(6);
    expect(await running()).toBe(open.length);
  });

  it('are reported as busy, and stay unchanged, if requests begin and end all the time', async () => {
    disturb(spender);

    const found = await recompute();
    proxy.before = () => undefined;

    expect(found.length).toBeGreaterThan(0);
    expect(found.map(({ recorded }) => recorded)).toEqual(found.map(() => undefined));
    expect(await corrections()).toEqual([]);
    expect(await running()).toBe(1);
  });

  it('are corrected while requests of another key begin and end all the time', async () => {
    await begin();
    await driftOf(1, 4);
    disturb(other);

    const found = await recompute();
    proxy.before = () => undefined;

    const { keyHash } = spender.payer;
    expect(found[0]).toMatchObject({ keyHash, part: 1 });
    expect(found.slice(1).map(({ keyHash: busy, recorded }) => ({ busy, recorded }))).toEqual(
      found.slice(1).map(() => ({ busy: other.payer.keyHash, recorded: undefined })),
    );
    expect(found.length).toBeGreaterThan(1);
    expect(await running()).toBe(1);
    expect(await running(other)).toBe(1);
  });

  it.each([
    ['ahead', DAY_MS],
    ['behind', -DAY_MS],
  ])('stay unchanged if the clock of the gateway is %s and has another day', async (_, byMs) => {
    await begin({ atMs: Date.now() + byMs });

    expect(await recompute()).toEqual([]);

    expect(await running()).toBe(1);
  });

  it('are correct if an earlier release begins a request before the records are read', async () => {
    for (const part of [0, 1, 2]) await addTo(part, { running: 0, changes: 0 });
    await begin();
    let isBegun = false;
    proxy.before = async ({ action, body }) => {
      if (isBegun || action !== 'Query' || !body.includes('gen-')) return;
      isBegun = true;
      await beginInEarlierRelease();
    };

    await recompute();

    expect(isBegun).toBe(true);
    expect(await running()).toBe(2);
    expect(await corrections()).toEqual([]);
  });

  it('are measured again if an earlier release begins a request before the correction', async () => {
    const { hold } = await begin();
    const { part } = hold.rateHolds.find(({ kind }) => kind === 'running')!;
    await driftOf(part, 5);
    let isChanged = false;
    proxy.before = async ({ action }) => {
      if (isChanged || action !== 'TransactWriteItems') return;
      isChanged = true;
      await driftOf(part, 1);
    };

    await recompute();

    expect(await corrections()).toMatchObject([
      { before: { [`running ${part}`]: '7' }, after: { [`running ${part}`]: '1' } },
    ]);
    expect(await running()).toBe(1);
  });
});

it('an account without limits on running requests reads no records', async () => {
  const actions: string[] = [];
  proxy.before = ({ action }) => void actions.push(action);

  expect(await recompute()).toEqual([]);

  expect(actions.length).toBeLessThan(8);
});
