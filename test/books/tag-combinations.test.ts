/** Requests of a key with more combinations of tags than a shard counts separately. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatchWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readActivity } from '../../lambdas/accounting/activity.ts';
import { MAX_TAG_COMBINATIONS, OTHER_TAG_VALUES } from '../../lambdas/accounting/day-rows.ts';
import { rollUpShard } from '../../lambdas/accounting/roll-up.ts';
import { periodOf } from '../../lambdas/books/period.ts';
import { readStatement } from '../../lambdas/books/statement.ts';
import { setReportedTags } from '../../lambdas/management/reported-tags.ts';
import { Money } from '../../lambdas/money/money.ts';
import { generationTimeMs, spreadId, uuidv7 } from '../../lambdas/platform/ids.ts';
import { recordsSpreadUpdate } from '../../lambdas/store/accounts/accounts.ts';
import type { Payer } from '../../lambdas/store/accounts/payer.ts';
import { dailyRowName, writeRows } from '../../lambdas/store/days/activity.ts';
import { generationKey } from '../../lambdas/store/generations/generation-key.ts';
import { tagsJson, type RequestTags } from '../../lambdas/store/generations/request-tags.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { moneyAttribute, type Item, type Table } from '../../lambdas/store/table/table.ts';
import { openBooks } from '../../lib/admin/books/database.ts';
import { exportTable } from '../../lib/admin/books/export-table.ts';
import { documentsOf } from '../support/documents.ts';
import { newTable } from '../support/table.ts';
import { reportedNames, rowUsage, sumsBy, taggedDate as date, TaggedTenant } from '../support/tagged-tenant.ts';

const startMs = Date.parse(date);

/**
 * Number of requests. They have more combinations of tags than a shard counts separately, and their ids end with the
 * number of their shard.
 */
const REQUESTS = 150;
const SHARD = 3;

const nameOf = ({ tags }: { tags?: RequestTags | undefined }) => tagsJson(tags!);

describe('a key with more combinations of values than a shard counts', () => {
  let tenant: TaggedTenant;
  let directory: string;
  let table: Table;
  const stored: { id: string; tags: RequestTags; usage: Money }[] = Array.from({ length: REQUESTS }, (_, index) => {
    const id = `gen-${uuidv7(startMs + index * 1_000)}`;
    // The records of the second half of the day are spread over further partitions.
    return {
      id: `${(index < REQUESTS / 2 ? id : spreadId(id)).slice(0, -1)}${SHARD}`,
      tags: { project: `p${index % 130}`, ...(index % 2 === 0 ? { team: 'core' } : {}) },
      usage: Money.fromPico(BigInt(index) * 1_000_003n + 1n),
    };
  });
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'gateway-tags-'));
    table = await newTable();
    tenant = await TaggedTenant.create(table);
    const since = new Date(startMs + (REQUESTS / 2) * 1_000).toISOString();
    await writeAlone(table, recordsSpreadUpdate(table, tenant.account, since));
    await putRecords(table, tenant.payers[0]!, stored);
    await tenant.rollUp();
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const dayDrift = async (name: string) => {
    await exportTable(table, join(directory, name), () => {});
    const books = await openBooks(join(directory, name));
    const rows = await books.query(`SELECT * FROM day_drift WHERE account_id = '${tenant.account.id}'`);
    books.close();
    return rows;
  };
  const dayFindings = async () => (await tenant.differences()).filter(({ kind }) => kind === 'day');
  const total = String(Money.sum(stored.map(rowUsage)));

  it('has rows of its first combinations, and one for all others', async () => {
    const rows = await tenant.keyRows();
    const inOrder = stored.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const combinations = [...new Set(inOrder.map(({ tags }) => tagsJson(tags)))];
    const first = new Set(combinations.slice(0, MAX_TAG_COMBINATIONS));
    const other = tagsJson({ project: OTHER_TAG_VALUES, team: OTHER_TAG_VALUES });
    const expected = sumsBy(stored, (one) => (first.has(nameOf(one)) ? nameOf(one) : other), rowUsage);
    expect(sumsBy(rows, nameOf, rowUsage)).toEqual(expected);
    expect(rows).toHaveLength(MAX_TAG_COMBINATIONS + 1);
    expect(String(Money.sum(rows.map(rowUsage)))).toBe(total);
  });

  it('has the same rows after another computation, and they agree with the records', async () => {
    const before = await tenant.keyRows();
    await tenant.rollUp();
    expect(await tenant.keyRows()).toEqual(before);
    expect([await dayFindings(), await dayDrift('correct')]).toEqual([[], []]);
  });

  it('has its exact spending by value in a statement, which reads the records', async () => {
    const period = periodOf({ from: date, to: date });
    const { rows } = await readStatement(table, { account: tenant.account, period, by: ['tag:project'], filter: {} });
    expect(sumsBy(rows, ({ values }) => values[0], rowUsage)).toEqual(
      sumsBy(stored, ({ tags }) => tags['project'], rowUsage),
    );
    const activity = await tenant.activityBy('tag:project');
    expect(String(Money.sum(activity.map(rowUsage)))).toBe(total);
    expect(activity.some(({ tags }) => tags!['project'] === OTHER_TAG_VALUES)).toBe(true);
  });

  it('is reported if a row has other tags than its requests', async () => {
    const [row] = await tenant.keyRows();
    const change = (tags: RequestTags) =>
      documentsOf(table).send(
        new UpdateCommand({
          TableName: table.name,
          Key: { pk: `ACTIVITY#${tenant.account.id}#${date}`, sk: dailyRowName(row!) },
          UpdateExpression: 'SET tags = :tags',
          ExpressionAttributeValues: { ':tags': tags },
        }),
      );
    await change({ ...row!.tags, project: 'moved' });
    const [found, drift] = [await dayFindings(), await dayDrift('moved')];
    await change(row!.tags!);

    expect(found).toMatchObject([
      { where: `${date} ${dailyRowName(row!)} tags`, says: expect.stringContaining('moved') as string },
    ]);
    expect(drift.map(({ row_name: name }) => name)).toContain(dailyRowName(row!));
  });

  it('has correct books after a release without tags has computed a shard again', async () => {
    const { id: accountId } = tenant.account;
    const stale = (await tenant.keyRows()).filter(({ shard }) => shard === SHARD);
    await setReportedTags(tenant.context, { reported: [] });
    await rollUpShard(table, { accountId, date, shard: SHARD, sinceMs: Date.now() + 60_000 });
    // A release without tags leaves the split of the earlier version, and the rows whose names it does not write.
    await documentsOf(table).send(
      new UpdateCommand({
        TableName: table.name,
        Key: { pk: `ACTIVITY#${accountId}`, sk: `DAY#${date}` },
        UpdateExpression: `SET split_${SHARD} = :split`,
        ExpressionAttributeValues: { ':split': { version: stale[0]!.version, by: reportedNames } },
      }),
    );
    await writeRows(table, accountId, date, stale);

    expect([await dayFindings(), await dayDrift('rolled-back')]).toEqual([[], []]);
    const rows = await readActivity(table, accountId, [date], { splitBy: ['key'] });
    expect(String(Money.sum(rows.map(rowUsage)))).toBe(total);
    await setReportedTags(tenant.context, { reported: reportedNames });
    await tenant.rollUp();
    const ofShard = (await tenant.keyRows()).filter(({ shard }) => shard === SHARD);
    expect(ofShard.every(({ version }) => version > stale[0]!.version)).toBe(true);
    expect(await dayFindings()).toEqual([]);
  });
});

/** Writes final records, with the fields from which daily rows are made. */
async function putRecords(
  table: Table,
  { accountId, workspaceId, memberId, keyHash }: Payer,
  all: readonly { id: string; tags: RequestTags; usage: Money }[],
): Promise<void> {
  const items = all.map(({ id, tags, usage }): Item => {
    const route = {
      model: 'test/model',
      model_permaslug: 'test/model-1',
      endpoint_id: 'test/e',
      provider_name: 'Test',
    };
    return {
      ...generationKey(accountId, id),
      ...route,
      entity: 'generation',
      state: 'final',
      id,
      account_id: accountId,
      workspace_id: workspaceId,
      member_id: memberId,
      key_hash: keyHash,
      tags,
      api_type: 'completions',
      streamed: true,
      created_at: new Date(generationTimeMs(id)!).toISOString(),
      hold_rub: 1,
      hold_steps: 1,
      held_scopes: [],
      total_cost_rub: moneyAttribute(usage),
      finish_reason: 'end_turn',
      prices: { prompt: moneyAttribute(Money.fromPico(1n)), completion: 0 },
      tokens_prompt: Number(usage.pico),
      tokens_completion: 0,
    };
  });
  for (let start = 0; start < items.length; start += 25) {
    const puts = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await documentsOf(table).send(new BatchWriteCommand({ RequestItems: { [table.name]: puts } }));
  }
}
