import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { sealDays } from '../../../lambdas/books/seals/seal-days.ts';
import { utcDate } from '../../../lambdas/money/periods.ts';
import { functions } from '../../../lambdas/routes.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { makeHistory } from '../../support/history.ts';
import { itemActions } from '../../support/item-actions.ts';
import { daysAfter, newSealing, sealBefore, type Sealing } from '../../support/sealing.ts';
import { newTable, tableThrough } from '../../support/table.ts';
import { keepLog, type LogLine } from '../../support/log-lines.ts';

const today = utcDate(Date.now());
const tomorrow = daysAfter(today, 1);

let lines: LogLine[];
const opened: Sealing[] = [];
beforeEach(() => {
  lines = keepLog();
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const { directory } of opened.splice(0)) rmSync(directory, { recursive: true, force: true });
});

async function history() {
  const made = await makeHistory(await newTable(), { generations: 12, days: 2 });
  const sealing = await newSealing(made.table);
  opened.push(sealing);
  return { ...made, sealing };
}

describe('the days of all accounts', () => {
  it('are sealed once, an hour after their end', async () => {
    const { sealing } = await history();
    const at = (time: string) => sealDays(sealing.tools, { atMs: Date.parse(`${tomorrow}T${time}Z`) });

    expect(await at('00:59:59')).toBe(0);
    expect(await at('01:00:00')).toBe(2);
    expect(await at('01:01:00')).toBe(0);
    expect(lines).toEqual([]);
  });

  it('are sealed with only the rights of the worker', async () => {
    const { table, sealing } = await history();
    const proxy = await startFaultProxy(inject('dynamodbEndpoint'));
    const seen = tableThrough(proxy.endpoint, table);
    await sealBefore({ ...sealing.tools, table: seen }, tomorrow);
    await sealBefore({ ...sealing.tools, table: seen }, daysAfter(tomorrow, 1));
    await proxy.stop();

    const used = new Set(proxy.calls.flatMap((call) => itemActions(call).map(({ action }) => action)));
    const granted = functions['seal-days']!.grants.table!;
    // This history has no records of open generations, which are read in batches.
    expect(granted.filter((action) => !used.has(action))).toEqual(['BatchGetItem']);
    expect([...used].filter((action) => !(granted as readonly string[]).includes(action))).toEqual([]);
  });

  it('are continued by the next run if there is no time', async () => {
    const { sealing } = await history();
    const atMs = Date.parse(`${tomorrow}T02:00:00Z`);

    expect(await sealDays(sealing.tools, { atMs, deadlineMs: performance.now() - 1 })).toBe(0);
    expect(await sealDays(sealing.tools, { atMs })).toBe(2);
  });

  it('are reported if they are late', async () => {
    const { sealing } = await history();
    const at = (time: string) =>
      sealDays(sealing.tools, { atMs: Date.parse(`${tomorrow}T${time}Z`), deadlineMs: performance.now() - 1 });
    await at('01:00:00');
    await at('13:00:00');
    expect(lines).toEqual([]);
    await at('13:00:01');
    expect(lines).toMatchObject([{ level: 'error', message: 'books are late', date: today }]);
  });

  it('are sealed only once, and a missing timestamp is requested again by the next run', async () => {
    const { sealing } = await history();
    const atMs = Date.parse(`${tomorrow}T02:00:00Z`);
    const unreachable = 'http://127.0.0.1:9/';

    await expect(sealDays(sealing.tools, { atMs, timestampAuthority: unreachable })).rejects.toThrow();
    await expect(sealDays(sealing.tools, { atMs, timestampAuthority: unreachable })).rejects.toThrow();
    expect(await sealDays(sealing.tools, { atMs })).toBe(0);
    const list = join(sealing.directory, 'sealed', 'days', `${today}.txt`);
    expect(readFileSync(list, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });
});
