import { rmSync } from 'node:fs';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeDays } from '../../lambdas/accounting/close-days.ts';
import { decodeRollUp, rollUpShard, type RollUp } from '../../lambdas/accounting/roll-up.ts';
import { sweepHolds } from '../../lambdas/accounting/sweep.ts';
import { exportDays } from '../../lambdas/books/export-days.ts';
import { reconcileDays } from '../../lambdas/books/reconcile-days.ts';
import { reconcile } from '../../lambdas/books/reconcile.ts';
import { sealDays } from '../../lambdas/books/seals/seal-days.ts';
import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import { measureEndpoints } from '../../lambdas/statistics/measure.ts';
import { accountEntryPut } from '../../lambdas/store/accounts/accounts.ts';
import { dailyRows } from '../../lambdas/store/days/activity.ts';
import { addToSlot, SLOT_MS } from '../../lambdas/store/statistics/endpoint-slots.ts';
import { readMeasurements } from '../../lambdas/store/statistics/endpoint-statistics.ts';
import { openTableExports } from '../../lambdas/store/table/table-export.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { documentsOf } from '../support/documents.ts';
import { makeHistory, type History } from '../support/history.ts';
import { newSealing, verifyAll } from '../support/sealing.ts';
import { books, holdRequest, newSpender, placeHold, rub, settledEverywhere } from '../support/spending.ts';
import { newTable } from '../support/table.ts';
import { keepLog, type LogLine } from '../support/log-lines.ts';

/**
 * Runs work twice concurrently, and then once again. EventBridge starts a run without waiting for the previous run, and
 * sometimes starts a run twice.
 */
async function runTwiceAndAgain<Result>(run: (nth: number) => Promise<Result>): Promise<Result[]> {
  const atOnce = await Promise.all([run(1), run(2)]);
  return [...atOnce, await run(3)];
}

const today = utcDate(Date.now());
const yesterday = utcDate(Date.now() - DAY_MS);

let lines: LogLine[];
beforeEach(() => {
  lines = keepLog();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * Makes a history of two days, whose account was created at the beginning of the first day. Only the first day is
 * rolled up.
 */
async function history(): Promise<History> {
  const made = await makeHistory(await newTable(), { generations: 12, days: 2 });
  const { table, account } = made;
  const createdAt = `${yesterday}T00:00:00.000Z`;
  await documentsOf(table).send(
    new UpdateCommand({
      TableName: table.name,
      Key: { pk: `ACCOUNT#${account.id}`, sk: 'ACCOUNT' },
      UpdateExpression: 'SET created_at = :at',
      ExpressionAttributeValues: { ':at': createdAt },
    }),
  );
  await writeAlone(table, accountEntryPut(table, { id: account.id, createdAt }));
  return made;
}

async function rowsOf(table: Table, accountId: string, date: string): Promise<string[]> {
  const rows: string[] = [];
  for await (const { version: _, ...row } of dailyRows(table, accountId, date)) rows.push(JSON.stringify(row));
  return rows.toSorted();
}

async function deepFindings({ table, account, dates }: History) {
  const { findings } = await reconcile(table, { account, dates, isDeep: true, isWhole: true, pauseMs: 0 });
  return findings;
}

describe('two concurrent runs, and a third one after them,', () => {
  it('of the sweep settle each hold once', async () => {
    const table = await newTable();
    const spender = await newSpender(table, { key: { lifetime: rub('100') } });
    for (let count = 0; count < 10; count += 1) await placeHold(table, holdRequest(spender, rub('2')));

    const runs = await runTwiceAndAgain(() => sweepHolds(table, { nowMs: Date.now() + 60 * 60_000, backlog: 'none' }));

    expect(runs.map(({ failures }) => failures)).toEqual([[], [], []]);
    expect(runs.reduce((sum, { swept }) => sum + swept, 0)).toBe(10);
    // Each of the ten requests is charged 0.1 RUB, the price of its input.
    expect((await books(table, spender)).key).toEqual(settledEverywhere('1'));
  });

  it('that close a day compute each of its rows right, also if a message is delivered twice', async () => {
    const made = await history();
    const { table, account } = made;
    const before = await rowsOf(table, account.id, yesterday);
    const sent: RollUp[] = [];
    const queue = { send: async (body: string) => void sent.push(decodeRollUp(body)) };

    await runTwiceAndAgain(() => closeDays(table, queue));
    const delivered = [...sent, ...sent];
    await Promise.all(delivered.map((rollUp) => rollUpShard(table, { ...rollUp, sinceMs: Date.now() + 60_000 })));

    expect(new Set(sent.map(({ shard }) => shard)).size).toBeGreaterThan(1);
    expect(before).not.toEqual([]);
    expect(await rowsOf(table, account.id, yesterday)).toEqual(before);
    expect(await deepFindings(made)).toEqual([]);
  });

  it('that compare the books report no false difference, and complete the day', async () => {
    const { table } = await history();
    const atMs = Date.parse(`${today}T01:00:00Z`);

    const compared = await runTwiceAndAgain(() => reconcileDays(table, { atMs, pauseMs: 0 }));

    expect(compared.at(-1)).toBe(0);
    expect(lines).toEqual([]);
  });

  it('that seal days seal each day once, with valid seals', async () => {
    const made = await history();
    const sealing = await newSealing(made.table);
    const atMs = Date.parse(`${utcDate(Date.now() + DAY_MS)}T01:00:00Z`);

    await runTwiceAndAgain(() => sealDays(sealing.tools, { atMs }));
    // One of the concurrent runs stopped, and the run after them sealed the remaining days, so nothing is left.
    const afterwards = await sealDays(sealing.tools, { atMs });
    const verified = await verifyAll(sealing, made.account.id);
    rmSync(sealing.directory, { recursive: true });

    expect(afterwards).toBe(0);
    expect(verified).toEqual({ days: 2, ofFiles: [], ofRecords: [] });
    expect(lines).toEqual([]);
  });

  it('that export the books request each export once, the first one included', async () => {
    const table = await newTable();
    const tokens = new Set<string>();
    // As in DynamoDB, a known token starts no further export.
    const client = {
      send: async ({ input }: { input: { ClientToken?: string } }) => {
        if (input.ClientToken !== undefined) tokens.add(input.ClientToken);
        return { ExportDescription: { ExportArn: input.ClientToken, ExportStatus: 'COMPLETED' } };
      },
    };
    const exports = openTableExports(client);
    const where = { tableArn: 'arn:aws:dynamodb:eu-central-1:1:table/gateway', bucket: 'books' };
    const runAt = (at: string) =>
      runTwiceAndAgain((nth) => exportDays(table, exports, { ...where, atMs: Date.parse(at) + (nth - 1) * 1_000 }));
    await exportDays(table, exports, { ...where, atMs: Date.parse('2026-10-29T14:10:00Z') });

    for (const at of ['2026-10-29T14:30:00Z', '2026-10-30T00:20:00Z', '2026-12-20T10:00:00Z']) await runAt(at);

    // The exports are the whole table, the changes since then, and the whole table again after weeks without a run.
    const [first, second, third] = [...tokens];
    expect([...tokens]).toHaveLength(3);
    expect(first).toMatch(/^full-/);
    expect(second).toMatch(/^\d+-\d+$/);
    expect(third).toMatch(/^full-/);
  });

  it('that measure endpoints count each request once', async () => {
    const table = await newTable();
    const slotMs = Math.floor(Date.now() / SLOT_MS) * SLOT_MS;
    const sums = { requests: 20, latencyMs: new Map(), throughput: new Map() };
    // One slot belongs to the current hour, the other to an hour that these runs complete.
    for (const [of, failures] of [[slotMs, 1] as const, [slotMs - 3 * 60 * 60_000, 3] as const]) {
      await addToSlot(table, { slotMs: of, shard: 0, endpointId: 'acme/model' }, { ...sums, failures });
    }

    await runTwiceAndAgain((nth) => measureEndpoints(table, Date.now() + nth));

    const [measurement, ...others] = await readMeasurements(table);
    expect(others).toEqual([]);
    expect(measurement!.endpoints['acme/model']!.uptimePercent).toMatchObject({ last30m: 95, last1d: 90 });
  });
});
