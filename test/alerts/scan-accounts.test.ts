import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scanAccounts } from '../../lambdas/alerts/scan-accounts.ts';
import { alertAccountPut } from '../../lambdas/store/alerts/alert-accounts.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { keepLog, type LogLine } from '../support/log-lines.ts';
import { newTable } from '../support/table.ts';

const scan = { name: 'day#2026-11-27', untilMs: Date.now() + 3_600_000 };

let table: Table;
let lines: LogLine[];
beforeEach(async () => {
  lines = keepLog();
  table = await newTable();
  for (const id of ['a', 'b', 'c']) await transact(table, { listed: alertAccountPut(table, id) });
});
afterEach(() => vi.restoreAllMocks());

/** Runs the scan. Returns the visited accounts, and whether the run failed. */
async function run(failing: readonly string[] = [], deadlineMs = Infinity) {
  const visited: string[] = [];
  const visit = async (id: string) => {
    visited.push(id);
    if (failing.includes(id)) throw new Error('This account is broken');
  };
  const failed = await scanAccounts(table, scan, { visit, deadlineMs }).then(
    () => false,
    () => true,
  );
  return { visited, failed };
}

describe('a scan of accounts', () => {
  it('visits each account once', async () => {
    expect(await run()).toEqual({ visited: ['a', 'b', 'c'], failed: false });
    expect(await run()).toEqual({ visited: [], failed: false });
  });

  it('visits the others if one account always fails, and leaves it out after five visits', async () => {
    expect(await run(['b'])).toEqual({ visited: ['a', 'b', 'c'], failed: true });
    for (let turn = 2; turn <= 5; turn += 1) expect(await run(['b'])).toEqual({ visited: ['b'], failed: true });

    expect(await run(['b'])).toEqual({ visited: [], failed: false });
    const logged = lines.filter(({ message }) => message === 'account not checked');
    expect(logged.map(({ accountId }) => accountId)).toEqual(Array.from({ length: 5 }, () => 'b'));
  });

  it('visits an account again whose visit has failed once', async () => {
    await run(['b']);

    expect(await run()).toEqual({ visited: ['b'], failed: false });
    expect(await run()).toEqual({ visited: [], failed: false });
  });

  it('continues where a run ended for lack of time', async () => {
    expect(await run([], 0)).toEqual({ visited: [], failed: false });

    expect(await run()).toEqual({ visited: ['a', 'b', 'c'], failed: false });
  });
});
