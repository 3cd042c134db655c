import { afterEach, expect, it, vi } from 'vitest';
import { periodOf } from '../../lambdas/books/period.ts';
import { readStatement } from '../../lambdas/books/statement.ts';
import { readAccount } from '../../lambdas/store/accounts/accounts.ts';
import { makeHistory } from '../support/history.ts';
import { newTable } from '../support/table.ts';

afterEach(() => vi.useRealTimers());

/** Returns the proof by counters of a statement that is made at noon of the day `today`. */
async function counterProof(today: string, from: string, to: string) {
  vi.useFakeTimers({ now: Date.parse(`${today}T12:00:00Z`), toFake: ['Date'] });
  const { table, account } = await makeHistory(await newTable(), { generations: 6, days: 3 });
  const stored = (await readAccount(table, account.id))!;
  const question = { account: stored, period: periodOf({ from, to }), by: ['day'], filter: {} } as const;
  return (await readStatement(table, question)).proofs.find(({ source }) => source === 'counters')!;
}

it.each([
  ['the first day of a month', '2026-12-01'],
  ['the first day of a year', '2027-01-01'],
  ['a Monday', '2026-11-30'],
])('on %s, counters prove nothing about a period before all of their windows', async (_, today) => {
  const proof = await counterProof(today, '2020-01-01', '2020-01-31');

  expect(proof.agrees).toBeUndefined();
  expect(proof.says).toContain('the counter has no window inside the period');
});

it('counters prove a day with the windows that contain it and no other past day', async () => {
  expect(await counterProof('2026-12-02', '2026-12-01', '2026-12-01')).toMatchObject({
    agrees: true,
    // These windows are the day and the month. The week began on 30 November, so it contains another past day.
    says: 'the counter agrees with the records in 2 of its windows (without today)',
  });
});
