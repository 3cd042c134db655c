/** Books after random concurrent events, while the table refuses or loses a fifth of its calls. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { rollUpShard } from '../../lambdas/accounting/roll-up.ts';
import { readTaggedActivity } from '../../lambdas/books/tagged-activity.ts';
import { reconcile } from '../../lambdas/books/reconcile.ts';
import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import { readAccount, type Account } from '../../lambdas/store/accounts/accounts.ts';
import { GENERATION_SHARDS } from '../../lambdas/store/generations/generation-key.ts';
import { generationsOfDay } from '../../lambdas/store/generations/generation-queries.ts';
import { allowParts } from '../../lambdas/store/counters/parts-allowance.ts';
import { repeated } from '../support/long-runs.ts';
import { persistently } from '../support/persistence.ts';
import { rowUsage, sumsBy } from '../support/tagged-tenant.ts';
import { happenings } from '../support/table-rules/happenings.ts';
import { RandomHistory } from '../support/table-rules/random-history.ts';
import { newRuledTable, type RuledTable } from '../support/table-rules/ruled-table.ts';

/** `TEST_HISTORIES=500 npm test -- test/books/random-histories.test.ts` tests more histories. */
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

/** Returns the findings of a comparison. All generations are of today. */
async function findings({ id }: Account): Promise<unknown[]> {
  const account = (await readAccount(ruled.table, id))!;
  const dates = [utcDate(Date.parse(account.createdAt)), utcDate(Date.now())];
  const question = { account, dates: [...new Set(dates)], isDeep: true, isWhole: true, pauseMs: 1 };
  return (await reconcile(ruled.table, question)).findings;
}

/** Adds up today's rows a day later, and returns the spending by the value of the tag `project`. */
async function spentByProject({ id: accountId }: Account): Promise<Record<string, string>> {
  const date = utcDate(Date.now());
  const tomorrow = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + DAY_MS);
  for (let shard = 0; shard < GENERATION_SHARDS; shard += 1) {
    await persistently(() => rollUpShard(ruled.table, { accountId, date, shard, sinceMs: Date.now() + 60_000 }));
  }
  tomorrow.mockRestore();
  const rows = await persistently(() =>
    readTaggedActivity({ table: ruled.table, accountId }, [date], { splitBy: ['tag:project'] }),
  );
  return sumsBy(rows, ({ tags }) => tags!['project'], rowUsage);
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
  let tagged = 0;
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
      const byProject = [...history.spentByProject];
      tagged += byProject.filter(([value, spent]) => value !== '' && !spent.isZero).length;
      expect(await ruled.inTrouble(() => spentByProject(history.account), seed)).toEqual(
        Object.fromEntries(byProject.map(([value, spent]) => [JSON.stringify(value), String(spent)])),
      );
    }),
    { numRuns: HISTORIES, endOnFailure: true },
  );
  for (const fault of ['conflict', 'throttle', 'lost reply', 'lost request']) {
    expect(ruled.imposed[fault]).toBeGreaterThan(HISTORIES);
  }
  expect(leased).toBeGreaterThan(HISTORIES / 4);
  expect(tagged).toBeGreaterThan(HISTORIES / 2);
});
