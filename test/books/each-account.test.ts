import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eachAccountOf } from '../../lambdas/books/each-account.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { keepLog } from '../support/log-lines.ts';
import { newTable } from '../support/table.ts';

let table: Table;
beforeEach(async () => {
  table = await newTable();
  vi.useFakeTimers({ now: Date.parse('2026-11-16T12:00:00Z'), toFake: ['Date', 'performance'] });
  for (const name of ['a', 'b', 'c']) {
    await createAccount(table, { kind: 'operator', id: 'test' }, { name, mode: 'postpaid' });
    vi.advanceTimersByTime(1_000);
  }
});
afterEach(() => vi.useRealTimers());

const MAX_RUNS = 5;

/**
 * Runs the work of one day until it is done, at most five times.
 * @param onAccount returns whether the work on the account is done
 * @returns names of the accounts of each run
 */
async function runs(onAccount: (name: string, run: number) => boolean): Promise<string[][]> {
  const of = { kind: 'RECONCILED' as const, date: utcDate(Date.now()) };
  const seen: string[][] = [];
  for (let isDone = false; !isDone && seen.length < MAX_RUNS;) {
    const names: string[] = [];
    const run = seen.push(names);
    const deadlineMs = performance.now() + 60_000;
    ({ isDone } = await eachAccountOf(table, { ...of, deadlineMs }, async ({ name }) => {
      names.push(name);
      return onAccount(name, run);
    }));
  }
  return seen;
}

describe('work on every account', () => {
  it('continues with the account that was not done, without those before it', async () => {
    expect(await runs((name, run) => name !== 'b' || run === 3)).toEqual([['a', 'b'], ['b'], ['b', 'c']]);
  });

  const of = { kind: 'SEALED' as const, date: '2026-11-16' };
  const inOneMinute = () => ({ ...of, deadlineMs: performance.now() + 60_000 });
  const failingRun = () => eachAccountOf(table, inOneMinute(), () => Promise.reject(new Error('The run failed')));

  it('is left to a run that still has time, and continues when that run has ended or should have', async () => {
    const seen: string[] = [];
    const note = async ({ name }: { name: string }) => seen.push(name) > 0;
    const during = async () => {
      expect(await eachAccountOf(table, inOneMinute(), note)).toMatchObject({ isDone: false });
      expect(seen).toEqual([]);
      vi.advanceTimersByTime(60_000);
      expect(await eachAccountOf(table, inOneMinute(), note)).toMatchObject({ isDone: true });
      throw new Error('The first run failed');
    };

    await expect(eachAccountOf(table, inOneMinute(), during)).rejects.toThrow('The first run failed');
    expect(await eachAccountOf(table, inOneMinute(), note)).toMatchObject({ isDone: true });
  });

  it('is reported as late even if each run fails', async () => {
    const lines = keepLog();
    await expect(failingRun()).rejects.toThrow();
    vi.advanceTimersByTime(12 * 60 * 60_000 + 1);
    expect(lines).toEqual([]);
    await expect(failingRun()).rejects.toThrow();

    expect(lines).toMatchObject([{ message: 'books are late', date: of.date }]);
    vi.restoreAllMocks();
  });

  it('continues after the last account before the deadline', async () => {
    const seen = await runs(() => {
      vi.advanceTimersByTime(60_000);
      return true;
    });

    expect(seen).toEqual([['a'], ['b'], ['c']]);
  });
});
