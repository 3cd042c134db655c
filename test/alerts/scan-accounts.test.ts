import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scanAccounts } from '../../lambdas/alerts/scan-accounts.ts';
import { alertAccountPut } from '../../lambdas/store/alerts/alert-accounts.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { keepLog, type LogLine } from '../support/log-lines.ts';
import { newTable } from '../support/table.ts';

const MINUTE_MS = 60_000;
const scan = { name: 'day#2026-11-27', untilMs: Date.now() + 3_600_000 };

let table: Table;
let lines: LogLine[];
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  lines = keepLog();
  table = await newTable();
  await list(['a', 'b', 'c']);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function list(ids: readonly string[]) {
  for (const id of ids) await transact(table, { listed: alertAccountPut(table, id) });
}

const numbered = (count: number, letter = 'd') =>
  Array.from({ length: count }, (_, index) => `${letter}${String(index).padStart(3, '0')}`);

/** Returns the visited accounts, and whether the run failed. */
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

const passMinutes = (minutes: number) => vi.setSystemTime(Date.now() + minutes * MINUTE_MS);

describe('a scan of accounts', () => {
  it('visits each account once', async () => {
    expect(await run()).toEqual({ visited: ['a', 'b', 'c'], failed: false });
    expect(await run()).toEqual({ visited: [], failed: false });
  });

  it('visits the others if one account always fails, and leaves it out after five visits', async () => {
    expect(await run(['b'])).toEqual({ visited: ['a', 'b', 'c'], failed: true });
    for (const minutes of [5, 30, 120, 360]) {
      passMinutes(minutes - 1);
      expect(await run(['b'])).toEqual({ visited: [], failed: false });
      passMinutes(1);
      expect(await run(['b'])).toEqual({ visited: ['b'], failed: true });
    }
    passMinutes(24 * 60);

    expect(await run(['b'])).toEqual({ visited: [], failed: false });
    const logged = lines.filter(({ message }) => message === 'account not checked');
    expect(logged.map(({ accountId }) => accountId)).toEqual(Array.from({ length: 5 }, () => 'b'));
  });

  it('visits an account again whose visit has failed once', async () => {
    await run(['b']);
    passMinutes(5);

    expect(await run()).toEqual({ visited: ['b'], failed: false });
    expect(await run()).toEqual({ visited: [], failed: false });
  });

  it('continues where a run ended for lack of time', async () => {
    expect(await run([], 0)).toEqual({ visited: [], failed: false });

    expect(await run()).toEqual({ visited: ['a', 'b', 'c'], failed: false });
  });

  it('ends a run after ten failures in a row, and visits these accounts first in the next run', async () => {
    const later = numbered(30);
    await list(later);
    const failing = later.slice(1);
    for (let turn = 1; turn <= 6; turn += 1) {
      const first = turn === 1 ? ['a', 'b', 'c', 'd000'] : [];
      expect(await run(failing)).toEqual({ visited: [...first, ...failing.slice(0, 10)], failed: true });
    }

    expect(await run()).toEqual({ visited: failing, failed: false });
    passMinutes(24 * 60);
    expect(await run()).toEqual({ visited: [], failed: false });
  });

  it('stops at an account that fails, if it has already recorded the maximum number of failed accounts', async () => {
    const working = numbered(110).map((id) => `${id}-works`);
    const broken = numbered(110);
    await list([...working, ...broken]);
    const inOrder = [...working, ...broken].toSorted();

    const first = await run(broken);
    expect(first.visited).toEqual(['a', 'b', 'c', ...inOrder.slice(0, inOrder.indexOf('d100') + 1)]);
    expect((await run(broken)).visited).toEqual(['d100']);
    passMinutes(5);

    const { visited } = await run();
    expect(visited.toSorted()).toEqual([...broken, ...working.slice(100)].toSorted());
    expect(await run()).toEqual({ visited: [], failed: false });
  });
});
