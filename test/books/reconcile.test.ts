/** Requests that are settled while the books are compared. */
import { afterEach, expect, it, vi } from 'vitest';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { HoldRequest } from '../../lambdas/admission/hold.ts';
import { reconcile } from '../../lambdas/books/reconcile.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { Money } from '../../lambdas/money/money.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { holdRequest, placeHold, rub, settlement, type Spender } from '../support/spending.ts';

const DATES = ['2026-11-16', '2026-11-17'];

const { table, faulty, proxy } = await faultyTable();

afterEach(() => vi.useRealTimers());

async function held(spender: Spender): Promise<HoldRequest> {
  const request = holdRequest(spender, rub('1'), { atMs: Date.now() });
  await placeHold(table, request);
  return request;
}

/** Settles a request at a price that its record proves. */
async function settle(request: HoldRequest): Promise<void> {
  const { payer, id } = request.generation;
  const { hold } = (await readGeneration(table, payer.accountId, id))!;
  const plain = settlement(request, hold, rub('0.03'));
  const pricing = { prompt: Money.fromPico(1n), completion: Money.zero };
  const tokens = { promptTokens: Number(plain.outcome.cost.pico), completionTokens: 0 };
  const settled = await settleBatch(table, [{ ...plain, outcome: { ...plain.outcome, ...tokens, pricing } }], {
    swept: false,
  });
  expect(settled).toEqual(['settled']);
}

it('a request that is settled before spending by model is read causes no difference of the current day', async () => {
  vi.useFakeTimers({ now: Date.parse(`${DATES[0]}T12:00:00Z`), toFake: ['Date'] });
  const account = await createAccount(table, { kind: 'operator', id: 'test' }, { name: 'A', mode: 'postpaid' });
  const payer = { accountId: account.id, workspaceId: account.defaultWorkspaceId, memberId: undefined, keyHash: 'key' };
  const scopes = [{ kind: 'account' as const, id: account.id, limits: {}, revision: 0 }];
  const spender = { payer, scopes };
  await settle(await held(spender));
  vi.setSystemTime(Date.parse(`${DATES[1]}T12:00:00Z`));
  await settle(await held(spender));
  const late = await held(spender);
  let settling: Promise<void> | undefined;
  proxy.before = ({ body }) => (body.includes('MODELS#') ? (settling ??= settle(late)) : undefined);
  const read: string[] = [];
  const question = { account, dates: DATES, isDeep: true, isWhole: true, pauseMs: 1 };

  const { findings, compared } = await reconcile(faulty, { ...question, progress: (date) => void read.push(date) });

  expect(settling).toBeDefined();
  expect(findings).toEqual([]);
  expect(compared.records).toBe(3);
  // Each day was read once: the first comparison found nothing, so it was not repeated.
  expect(read).toEqual(DATES);
});
