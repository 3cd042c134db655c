import { randomUUID } from 'node:crypto';
import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { documentsOf } from '../support/documents.ts';
import { dayBefore } from '../../lambdas/accounting/activity-days.ts';
import {
  readActivity,
  type ActivityQuestion,
  type ActivityRow,
  type ActivitySplit,
} from '../../lambdas/accounting/activity.ts';
import { OpenDayError, rollUpShard } from '../../lambdas/accounting/roll-up.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../lambdas/accounting/settlement.ts';
import { Money } from '../../lambdas/money/money.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import { uuidv7 } from '../../lambdas/platform/ids.ts';
import { takeVersion, writeRows, moveVersion, type DailyRow } from '../../lambdas/store/days/activity.ts';
import { GENERATION_SHARDS, generationKey, shardOf } from '../../lambdas/store/generations/generation-key.ts';
import { moneyAttribute, type Item, type Table } from '../../lambdas/store/table/table.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { holdRequest, newSpender, outcome, placeHold, rub, settlement, type Spender } from '../support/spending.ts';
import { newTable, tableThrough } from '../support/table.ts';
import { repeated } from '../support/long-runs.ts';

const today = utcDate(Date.now());
const date = dayBefore(today);
const startMs = Date.parse(date);

/** Savings are negative if writing a cache cost more than reading it saved. */
const SAVED = Money.parse('-0.000000000125');

/** Generation of the test. Its cost is zero, or an amount that no float can represent exactly. */
interface Sample {
  id: string;
  workspaceId: string;
  memberId: string | undefined;
  keyHash: string;
  model: string;
  cost: Money;
  promptTokens: number;
  completionTokens: number;
  cancelled: boolean;
  finishReason: string | null;
}

const workspaces = Array.from({ length: 5 }, () => randomUUID());
/** Ten keys in each workspace; every second key belongs to one of three members. */
const keys = Array.from({ length: 50 }, (_, index) => ({
  keyHash: randomUUID().replaceAll('-', '').repeat(2),
  workspaceId: workspaces[index % 5]!,
  memberId: index % 2 === 0 ? `member-${index % 3}` : undefined,
}));

/** Generations 0 and 30 of each hundred cost nothing; generations 60 and 90 ended after output. */
const ENDINGS: Record<number, Pick<Sample, 'cancelled' | 'finishReason'>> = {
  0: { cancelled: false, finishReason: 'error' },
  30: { cancelled: true, finishReason: null },
  60: { cancelled: false, finishReason: 'error' },
  90: { cancelled: true, finishReason: null },
};
const FREE = new Set([0, 30]);

function sample(index: number): Sample {
  return {
    cancelled: false,
    finishReason: 'end_turn',
    id: `gen-${uuidv7(startMs + ((index * 4_321) % 86_400_000))}`,
    ...keys[index % keys.length]!,
    model: `test/model-${index % 10}`,
    cost: FREE.has(index % 100) ? Money.zero : Money.fromPico(BigInt(index) * 123_456_789n + 1n),
    promptTokens: index % 1_000,
    completionTokens: (index * 7) % 500,
    ...ENDINGS[index % 100],
  };
}

function itemOf(accountId: string, generation: Sample): Item {
  return {
    ...generationKey(accountId, generation.id),
    entity: 'generation',
    state: 'final',
    id: generation.id,
    account_id: accountId,
    workspace_id: generation.workspaceId,
    member_id: generation.memberId,
    key_hash: generation.keyHash,
    api_type: 'completions',
    model: generation.model,
    model_permaslug: `${generation.model}-1`,
    endpoint_id: `endpoint/${generation.model}`,
    provider_name: 'Test',
    streamed: true,
    created_at: new Date(startMs).toISOString(),
    hold_rub: 1,
    hold_steps: 1,
    held_scopes: [],
    total_cost_rub: moneyAttribute(generation.cost),
    cache_saved_rub: moneyAttribute(SAVED),
    cancelled: generation.cancelled,
    finish_reason: generation.finishReason,
    tokens_prompt: generation.promptTokens,
    tokens_completion: generation.completionTokens,
    native_tokens_reasoning: 3,
  };
}

async function putAll(table: Table, items: Item[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, index) =>
    items.slice(index * 25, index * 25 + 25),
  );
  const worker = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      await documentsOf(table).send(
        new BatchWriteCommand({ RequestItems: { [table.name]: batch.map((Item) => ({ PutRequest: { Item } })) } }),
      );
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

const allShards = Array.from({ length: GENERATION_SHARDS }, (_, shard) => shard);
const rollUpDay = async (table: Table, accountId: string, shards = allShards, sinceMs = Date.now() + 60_000) => {
  for (const shard of shards) await rollUpShard(table, { accountId, date, shard, sinceMs });
};

const everything: ActivityQuestion = {};
const shown = (rows: ActivityRow[]) =>
  rows.map((row) => ({ ...row, usage: row.usage.toString(), cacheSaved: row.cacheSaved.toString() }));
const ask = async (table: Table, accountId: string, question: ActivityQuestion = everything) =>
  shown(await readActivity(table, accountId, [date], question));

const placeOf = ({ model, workspaceId, keyHash, memberId }: { [Name in keyof ActivityRow]?: unknown }) =>
  [model, workspaceId, keyHash, memberId].join('\n');

/** Number of generations. It is large enough to fill shards, pages and batches. */
const GENERATIONS = repeated(20_000, { ofWhichAlways: 2_000 });

describe('a day with many generations over 50 keys and 10 models', () => {
  const accountId = randomUUID();
  const samples = Array.from({ length: GENERATIONS }, (_, index) => sample(index + 1));
  let table: Table;
  beforeAll(async () => {
    table = await newTable();
    await putAll(
      table,
      samples.map((generation) => itemOf(accountId, generation)),
    );
    await rollUpDay(table, accountId);
  });

  /** Computes the expected rows in the simplest way. */
  function straight(matches: (generation: Sample) => boolean, splitBy?: readonly ActivitySplit[]) {
    const rows = new Map<string, ActivityRow>();
    for (const generation of samples.filter(matches)) {
      if (generation.cost.isZero && (generation.cancelled || generation.finishReason === 'error')) continue;
      const workspaceId =
        splitBy?.includes('workspace') || splitBy?.includes('member') ? generation.workspaceId : undefined;
      const splitKey = splitBy?.includes('key') ? generation.keyHash : undefined;
      const memberId = splitBy?.includes('member') ? generation.memberId : undefined;
      const name = `${generation.model}\n${workspaceId}\n${splitKey}\n${memberId}`;
      const row = rows.get(name) ?? {
        date,
        model: generation.model,
        modelPermaslug: `${generation.model}-1`,
        endpointId: `endpoint/${generation.model}`,
        providerName: 'Test',
        workspaceId,
        keyHash: splitKey,
        memberId,
        tags: undefined,
        usage: Money.zero,
        cacheSaved: Money.zero,
        requests: 0,
        promptTokens: 0,
        completionTokens: 0,
        reasoningTokens: 0,
      };
      row.usage = row.usage.plus(generation.cost);
      row.cacheSaved = row.cacheSaved.plus(SAVED);
      row.requests += 1;
      row.promptTokens += generation.promptTokens;
      row.completionTokens += generation.completionTokens;
      row.reasoningTokens += 3;
      rows.set(name, row);
    }
    return shown([...rows.values()]).toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  }

  const { keyHash, workspaceId } = keys[0]!;
  it.each<[string, ActivityQuestion, (one: Sample) => boolean]>([
    ['as a whole', everything, () => true],
    ['by workspace', { splitBy: ['workspace'] }, () => true],
    ['by key', { splitBy: ['key'] }, () => true],
    ['by member', { splitBy: ['member'] }, () => true],
    ['by key, of a workspace', { splitBy: ['key'], workspaceId }, (one) => one.workspaceId === workspaceId],
    ['of a workspace', { workspaceId }, (one: Sample) => one.workspaceId === workspaceId],
    ['of a key', { keyHash }, (one: Sample) => one.keyHash === keyHash],
    ['of a member', { splitBy: ['workspace'], memberId: 'member-0' }, (one: Sample) => one.memberId === 'member-0'],
    [
      'of a member in a workspace',
      { memberId: 'member-0', workspaceId },
      (one: Sample) => one.memberId === 'member-0' && one.workspaceId === workspaceId,
    ],
    ['of a key in another workspace', { keyHash, workspaceId: workspaces[1] }, () => false],
  ])('equals, %s, a plain computation to the last digit', async (_, question, matches) => {
    expect(await ask(table, accountId, question)).toEqual(straight(matches, question.splitBy));
  });

  it('is the same after duplicated and shuffled messages', async () => {
    const before = await rowsOf(table, accountId);
    await rollUpDay(table, accountId, [3, 0, 7, 3, 1, 6, 0, 2, 5, 4, 7]);
    expect(await rowsOf(table, accountId)).toEqual(before);
  }, 180_000);

  it('is the same if the same shards are rolled up concurrently', async () => {
    const before = await ask(table, accountId);
    await Promise.all([...allShards, ...allShards].map((shard) => rollUpDay(table, accountId, [shard])));
    expect(await ask(table, accountId)).toEqual(before);
  }, 180_000);
});

async function rowsOf(table: Table, accountId: string): Promise<unknown[]> {
  const { Items } = await documentsOf(table).send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': `ACTIVITY#${accountId}#${date}` },
    }),
  );
  return Items ?? [];
}

/** Creates a generation of the day in this shard, with a hold that is not settled. */
async function heldInShard(table: Table, spender: Spender, shard: number): Promise<Settlement> {
  for (;;) {
    const request = holdRequest(spender, rub('2'), { atMs: startMs + 1_000 });
    if (shardOf(request.generation.id) !== shard) continue;
    const { hold } = await placeHold(table, request);
    return settlement(request, hold, rub('0.7'));
  }
}

async function settledInShard(table: Table, spender: Spender, shard: number): Promise<Settlement> {
  const message = await heldInShard(table, spender, shard);
  await settleBatch(table, [message], { swept: false });
  return message;
}

/** Returns a table whose calls of this action wait until the test continues them with `goOn`. */
async function pausedAt(action: string, table: Table) {
  const proxy = await startFaultProxy(inject('dynamodbEndpoint'));
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  proxy.before = async (call) => {
    if (call.action !== action) return;
    reached.resolve();
    await goOn.promise;
  };
  return { table: tableThrough(proxy.endpoint, table), reached: reached.promise, goOn: goOn.resolve, stop: proxy.stop };
}

describe('the roll-up of a day', () => {
  let table: Table;
  beforeAll(async () => (table = await newTable()));

  it('shows a day only when all its shards are done', async () => {
    const accountId = randomUUID();
    await putAll(table, [itemOf(accountId, sample(1))]);
    await rollUpDay(table, accountId, allShards.slice(1));
    expect(await ask(table, accountId)).toEqual([]);
    await rollUpDay(table, accountId, [0]);
    expect(await ask(table, accountId)).toMatchObject([{ date, requests: 1, usage: '0.00012345679' }]);
  });

  it('includes a request that is settled after the day was closed', async () => {
    const spender = await newSpender(table, {});
    const { accountId } = spender.payer;
    await rollUpDay(table, accountId);
    const request = holdRequest(spender, rub('2'), { atMs: startMs + 86_399_000 });
    const { hold } = await placeHold(table, request);
    await settleBatch(table, [settlement(request, hold, rub('0.7'))], { swept: false });
    await rollUpDay(table, accountId, [shardOf(request.generation.id)]);
    expect(await ask(table, accountId)).toMatchObject([{ requests: 1, usage: '0.7', completionTokens: 20 }]);
  });

  it('drops a row that a correction has emptied', async () => {
    const accountId = randomUUID();
    const generation = sample(1);
    await putAll(table, [itemOf(accountId, generation)]);
    await rollUpDay(table, accountId);
    await putAll(table, [itemOf(accountId, { ...generation, model: 'test/other', cost: rub('0.5') })]);
    await rollUpDay(table, accountId);
    expect(await ask(table, accountId)).toMatchObject([{ model: 'test/other', usage: '0.5' }]);
    expect(await rowsOf(table, accountId)).toHaveLength(2);
  });

  it('does not let an older computation overwrite a newer one', async () => {
    const accountId = randomUUID();
    const generation = sample(1);
    const shard = shardOf(generation.id);
    await putAll(table, [itemOf(accountId, generation)]);
    const slow = await takeVersion(table, accountId, date);
    await rollUpDay(table, accountId);
    const stale: DailyRow = {
      level: 'WORKSPACE',
      shard,
      version: slow,
      workspaceId: generation.workspaceId,
      memberId: undefined,
      keyHash: undefined,
      tags: undefined,
      model: 'test/stale',
      modelPermaslug: 'test/stale-1',
      endpointId: 'endpoint/stale',
      providerName: 'Test',
      usage: rub('9'),
      cacheSaved: Money.zero,
      requests: 9,
      promptTokens: 0,
      completionTokens: 0,
      reasoningTokens: 0,
    };
    await writeRows(table, accountId, date, [stale]);
    expect(
      await moveVersion(table, { accountId, date, shard }, { version: slow, readAtMs: Date.now(), splitBy: [] }),
    ).toBe(false);
    expect(await ask(table, accountId)).toMatchObject([{ model: generation.model, requests: 1 }]);
  });

  it('does not let an older computation win after a newer one without changes', async () => {
    const spender = await newSpender(table, {});
    const { accountId } = spender.payer;
    const [first, second] = [await settledInShard(table, spender, 5), await heldInShard(table, spender, 5)];
    await rollUpDay(table, accountId, [0, 1, 2, 3, 4, 6, 7]);
    const message = { accountId, date, shard: 5, sinceMs: Date.now() + 60_000 };

    // Two processes roll up the shard. One takes its version number first and reads last; the other reads first and
    // writes last.
    const readsLate = await pausedAt('Query', table);
    const readsLateDone = rollUpShard(readsLate.table, message);
    await readsLate.reached;
    const writesLate = await pausedAt('BatchWriteItem', table);
    const writesLateDone = rollUpShard(writesLate.table, message);
    await writesLate.reached;
    await settleBatch(table, [second], { swept: false });
    readsLate.goOn();
    expect(await readsLateDone).toBe('rolled-up');
    expect(await rollUpShard(table, message)).toBe('unchanged');
    writesLate.goOn();
    expect(await writesLateDone).toBe('unchanged');

    const usage = first.outcome.cost.plus(second.outcome.cost).toString();
    expect(await ask(table, accountId)).toMatchObject([{ requests: 2, usage }]);
    await Promise.all([readsLate.stop(), writesLate.stop()]);
  });

  it('skips a message about a settlement that the rows already include', async () => {
    const accountId = randomUUID();
    await rollUpDay(table, accountId);
    const sinceMs = Date.now() - 60_000;
    await putAll(table, [itemOf(accountId, sample(1))]);
    expect(await rollUpShard(table, { accountId, date, shard: shardOf(sample(1).id), sinceMs })).toBe('unchanged');
  });

  it.each([
    ['failed at the provider', { cancelled: false, finishReason: 'error' }],
    ['was cancelled by its client before any output', { cancelled: true, finishReason: null }],
  ])('leaves out a request that %s and costs nothing', async (_, ending) => {
    const spender = await newSpender(table, {});
    const request = holdRequest(spender, rub('2'), { atMs: startMs + 1_000 });
    const { hold } = await placeHold(table, request);
    const nothing = { ...outcome(Money.zero), ...ending };
    await settleBatch(table, [{ ...settlement(request, hold, Money.zero), outcome: nothing }], { swept: false });
    await rollUpDay(table, spender.payer.accountId);
    expect(await ask(table, spender.payer.accountId)).toEqual([]);
  });

  it('leaves out a pending request', async () => {
    const spender = await newSpender(table, {});
    await placeHold(table, holdRequest(spender, rub('2'), { atMs: startMs + 1_000 }));
    await rollUpDay(table, spender.payer.accountId);
    expect(await ask(table, spender.payer.accountId)).toEqual([]);
  });

  it('counts a completed request without cost', async () => {
    const spender = await newSpender(table, {});
    const free = holdRequest(spender, rub('2'), { atMs: startMs + 1_000 });
    const { hold } = await placeHold(table, free);
    await settleBatch(table, [settlement(free, hold, Money.zero)], { swept: false });
    await rollUpDay(table, spender.payer.accountId);
    expect(await ask(table, spender.payer.accountId)).toMatchObject([{ requests: 1, usage: '0' }]);
  });

  it('refuses a day that is not over', async () => {
    const message = { accountId: randomUUID(), date: today, shard: 0, sinceMs: Date.now() };
    await expect(rollUpShard(table, message)).rejects.toThrow(OpenDayError);
  });
});
