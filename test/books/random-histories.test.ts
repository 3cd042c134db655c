/** Tests of the books after random concurrent events, while the table refuses or loses a fifth of its calls. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { reconcile } from '../../lambdas/books/reconcile.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import { readAccount, type Account } from '../../lambdas/store/accounts/accounts.ts';
import { generationsOfDay } from '../../lambdas/store/generations/generation-queries.ts';
import { allowParts } from '../../lambdas/store/counters/parts-allowance.ts';
import { repeated } from '../support/long-runs.ts';
import { happenings, RandomHistory } from '../support/table-rules/random-history.ts';
import { newRuledTable, type RuledTable } from '../support/table-rules/ruled-table.ts';

/** Number of histories: `TEST_HISTORIES=500 npm test -- test/books/random-histories.test.ts`. */
const HISTORIES = Number(process.env['TEST_HISTORIES'] ?? repeated(60, { ofWhichAlways: 12 }));
vi.setConfig({ testTimeout: 3_600_000 });

let ruled: RuledTable;
beforeAll(async () => {
  ruled = await newRuledTable({ transactionMs: 4 });
  await allowParts(ruled.table);
});
afterAll(async () => {
  vi.resetConfig();
  await ruled.stop();
});

/** Returns all differences in the books of an account whose generations are all of today. */
async function findings({ id }: Account): Promise<unknown[]> {
  const account = (await readAccount(ruled.table, id))!;
  const dates = [utcDate(Date.parse(account.createdAt)), utcDate(Date.now())];
  const question = { account, dates: [...new Set(dates)], isDeep: true, isWhole: true, pauseMs: 1 };
  return (await reconcile(ruled.table, question)).findings;
}

async function pendingOf({ id }: Account): Promise<string[]> {
  const pending: string[] = [];
  for await (const { id: generation, state } of generationsOfDay(ruled.table, id, utcDate(Date.now()))) {
    if (state === 'pending') pending.push(generation);
  }
  return pending;
}

it(`${HISTORIES} random histories leave records, counters, payments and limits that agree, while a fifth of all calls fails`, async () => {
  let leased = 0;
  const modes = fc.constantFrom<Account['mode']>('prepaid', 'postpaid');
  await fc.assert(
    fc.asyncProperty(modes, happenings, fc.nat(), async (mode, all, seed) => {
      const history = await RandomHistory.begin(ruled.table, mode);
      for (const [index, together] of all.entries()) {
        await ruled.inTrouble(() => Promise.all(together.map((one) => history.run(one))), seed + index);
        await history.check();
      }
      expect(await findings(history.account)).toEqual([]);
      leased += history.leased;
      await ruled.inTrouble(() => history.end(), seed);
      await history.check();
      expect([await findings(history.account), await pendingOf(history.account)]).toEqual([[], []]);
    }),
    { numRuns: HISTORIES, endOnFailure: true },
  );
  for (const fault of ['conflict', 'throttle', 'lost reply', 'lost request']) {
    expect(ruled.imposed[fault]).toBeGreaterThan(HISTORIES);
  }
  expect(leased).toBeGreaterThan(HISTORIES / 4);
});
