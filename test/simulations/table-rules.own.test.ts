import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { createTable, startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { binaryUnderRules } from '../support/table-rules/install.ts';
import { itemBytes, readUnits, writeUnits } from '../support/table-rules/item-units.ts';
import { startRulesProxy, type RulesProxy } from '../support/table-rules/rules-proxy.ts';
import { RULES_VARIABLE, rulesFrom } from '../support/table-rules/settings.ts';
import type { RulesOptions } from '../support/table-rules/table-rules.ts';
import { eventually } from '../support/eventually.ts';

const table = `rules-${randomUUID()}`;
beforeAll(() => createTable(inject('plainDynamodbEndpoint'), table));

let proxy: RulesProxy;
const running: RulesProxy[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  vi.unstubAllEnvs();
});

async function begin(options: RulesOptions = {}): Promise<void> {
  proxy = await startRulesProxy(inject('plainDynamodbEndpoint'), options);
  running.push(proxy);
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function call(action: string, body: object, endpoint = proxy.endpoint): Promise<Answer> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${action}`,
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=00',
      'x-amz-date': '20260101T000000Z',
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const key = (pk: string, sk = 'x') => ({ pk: { S: pk }, sk: { S: sk } });
const put = (pk: string, more: object = {}) => ({ TableName: table, Item: { ...key(pk), ...more } });
const increment = (pk: string, by = '1') => ({
  TableName: table,
  Key: key(pk),
  UpdateExpression: 'ADD #count :by',
  ExpressionAttributeNames: { '#count': 'count' },
  ExpressionAttributeValues: { ':by': { N: by } },
});
const batchOf = (...pks: string[]) => ({ [table]: pks.map((pk) => ({ PutRequest: { Item: key(pk) } })) });
const transact = (items: object[], token: string = randomUUID()) =>
  call('TransactWriteItems', { TransactItems: items, ClientRequestToken: token });
const countOf = async (pk: string) => {
  const { body } = await call(
    'GetItem',
    { TableName: table, Key: key(pk), ConsistentRead: true },
    inject('plainDynamodbEndpoint'),
  );
  return (body['Item'] as { count?: { N: string } } | undefined)?.count?.N ?? '0';
};
/** Resolves when a transaction has locked its items. */
const untilUnderWay = () => eventually(() => expect(proxy.rules.isTransacting).toBe(true), 5);
const codes = ({ body }: Answer) => (body['CancellationReasons'] as { Code: string }[]).map(({ Code: code }) => code);

describe('the table rules for conflicting transactions', () => {
  it('refuse the second transaction, with its reasons in the order of its writes', async () => {
    await begin({ transactionMs: 500 });
    const [mine, common, other] = [randomUUID(), randomUUID(), randomUUID()];
    const first = transact([{ Update: increment(mine) }, { Update: increment(common) }]);
    await untilUnderWay();

    const second = await transact([{ Update: increment(other) }, { Update: increment(common) }]);

    expect(second).toEqual({
      status: 400,
      body: {
        __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
        CancellationReasons: [
          { Code: 'None' },
          { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' },
        ],
        Message:
          'Transaction cancelled, please refer cancellation reasons for specific reasons [None, TransactionConflict]',
      },
    });
    expect((await first).status).toBe(200);
    expect([await countOf(common), await countOf(other)]).toEqual(['1', '0']);
    expect((await transact([{ Update: increment(common) }])).status).toBe(200);
  });

  it('report a failed condition next to the busy item', async () => {
    await begin({ transactionMs: 500 });
    const [taken, common] = [randomUUID(), randomUUID()];
    await call('PutItem', put(taken, { owner: { S: 'somebody' } }));
    const first = transact([{ Update: increment(common) }]);
    await untilUnderWay();

    const condition = {
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
    const second = await transact([{ Update: increment(common) }, { Put: { ...put(taken), ...condition } }]);

    expect(codes(second)).toEqual(['TransactionConflict', 'ConditionalCheckFailed']);
    expect(second.body['CancellationReasons']).toMatchObject([{}, { Item: { owner: { S: 'somebody' } } }]);
    await first;
  });

  it('refuse single writes and transactional reads, but no plain reads, and leave part of a batch unprocessed', async () => {
    await begin({ transactionMs: 700 });
    const common = randomUUID();
    const first = transact([{ Update: increment(common) }]);
    await untilUnderWay();

    const writes = await Promise.all([
      call('UpdateItem', increment(common)),
      call('PutItem', put(common)),
      call('DeleteItem', { TableName: table, Key: key(common) }),
    ]);
    const transactional = await call('TransactGetItems', {
      TransactItems: [{ Get: { TableName: table, Key: key(common) } }],
    });
    const plain = await call('GetItem', { TableName: table, Key: key(common), ConsistentRead: true });
    const batch = await call('BatchWriteItem', {
      RequestItems: { [table]: [{ PutRequest: { Item: key(common) } }, { PutRequest: { Item: key(randomUUID()) } }] },
    });

    for (const { status, body } of writes) {
      expect([status, body['__type']]).toEqual([400, 'com.amazonaws.dynamodb.v20120810#TransactionConflictException']);
    }
    expect(codes(transactional)).toEqual(['TransactionConflict']);
    expect(plain).toEqual({ status: 200, body: {} });
    expect(batch.body['UnprocessedItems']).toEqual({ [table]: [{ PutRequest: { Item: key(common) } }] });
    expect((await first).status).toBe(200);
    expect(await countOf(common)).toBe('1');
  });
});

describe('the table rules for the token of a transaction', () => {
  it('carry out a transaction once', async () => {
    await begin();
    const [pk, token] = [randomUUID(), randomUUID()];

    const answers = [];
    for (let time = 0; time < 2; time += 1) answers.push((await transact([{ Update: increment(pk) }], token)).status);

    expect([answers, await countOf(pk)]).toEqual([[200, 200], '1']);
  });

  it('refuse another transaction with the same token', async () => {
    await begin();
    const [pk, token] = [randomUUID(), randomUUID()];
    await transact([{ Update: increment(pk) }], token);

    const { status, body } = await transact([{ Update: increment(pk, '2') }], token);

    expect(status).toBe(400);
    expect(body['__type']).toBe('com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException');
    expect(await countOf(pk)).toBe('1');
  });

  it('report that its transaction is in progress', async () => {
    await begin({ transactionMs: 500 });
    const [pk, token] = [randomUUID(), randomUUID()];
    const first = transact([{ Update: increment(pk) }], token);
    await untilUnderWay();

    const { body } = await transact([{ Update: increment(pk) }], token);

    expect(body['__type']).toBe('com.amazonaws.dynamodb.v20120810#TransactionInProgressException');
    await first;
    expect(await countOf(pk)).toBe('1');
  });

  it('repeat its answer while another transaction has its items', async () => {
    await begin({ transactionMs: 500 });
    const [pk, token] = [randomUUID(), randomUUID()];
    await transact([{ Update: increment(pk) }], token);
    const other = transact([{ Update: increment(pk) }]);
    await untilUnderWay();

    expect((await transact([{ Update: increment(pk) }], token)).status).toBe(200);
    await other;
    expect(await countOf(pk)).toBe('2');
  });

  it('forget the token after ten minutes', async () => {
    let atMs = 0;
    await begin({ nowMs: () => atMs });
    const [pk, token] = [randomUUID(), randomUUID()];
    const times = [0, 599_000, 601_000];
    for (const time of times) {
      atMs = time;
      await transact([{ Update: increment(pk) }], token);
    }

    expect(await countOf(pk)).toBe('2');
  });
});

describe('the table rules for a partition key', () => {
  const rates = { write: 10, read: 10 };
  /** The clock does not advance, so no capacity is regained. */
  const still = { nowMs: () => 0, rates, transactionMs: 0 };

  it('accept the configured write units per second, and more after half a second', async () => {
    let atMs = 0;
    await begin({ ...still, nowMs: () => atMs });
    const pk = randomUUID();
    const write = async () => {
      const { status, body } = await call('PutItem', put(pk, { text: { S: 'x'.repeat(2_000) } }));
      return status === 200 ? 'done' : body;
    };

    const first = [];
    // Each write costs two units.
    for (let time = 0; time < 6; time += 1) first.push(await write());
    const elsewhere = await call('PutItem', put(randomUUID()));
    atMs = 500;
    const later = await write();

    expect(first.slice(0, 5)).toEqual(Array(5).fill('done'));
    expect(first[5]).toMatchObject({
      __type: 'com.amazon.coral.availability#ThrottlingException',
      message: expect.stringMatching(/^Throughput exceeds the current capacity of your table or index\./),
      throttlingReasons: [{ reason: 'TableWriteKeyRangeThroughputExceeded' }],
    });
    expect([elsewhere.status, later]).toEqual([200, 'done']);
  });

  it('cancel a transaction at the item without remaining units', async () => {
    await begin(still);
    const [busy, other] = [randomUUID(), randomUUID()];
    for (let time = 0; time < 5; time += 1) await transact([{ Update: increment(busy) }]);

    const answer = await transact([{ Update: increment(other) }, { Update: increment(busy) }]);

    expect(codes(answer)).toEqual(['None', 'ThrottlingError']);
    expect([await countOf(busy), await countOf(other)]).toEqual(['5', '0']);
  });

  it('count a partition of the sweep index separately', async () => {
    await begin(still);
    const shard = `SWEEP#${randomUUID()}`;
    const pending = () => put(randomUUID(), { sweep_shard: { S: shard }, sweep_at: { S: '2026' } });

    const statuses = [];
    for (let time = 0; time < 11; time += 1) statuses.push((await call('PutItem', pending())).status);

    expect(statuses).toEqual([...Array<number>(10).fill(200), 400]);
  });

  it('leave part of a batch unprocessed, and refuse a batch without remaining units', async () => {
    await begin(still);
    const [busy, other] = [randomUUID(), randomUUID()];
    for (let time = 0; time < 10; time += 1) await call('PutItem', put(busy));

    const some = await call('BatchWriteItem', { RequestItems: batchOf(busy, other) });
    const none = await call('BatchWriteItem', { RequestItems: batchOf(busy) });

    expect(some.body['UnprocessedItems']).toEqual(batchOf(busy));
    expect(none.body).toMatchObject({
      __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
      ThrottlingReasons: [{ reason: 'TableWriteKeyRangeThroughputExceeded' }],
    });
  });

  it('accept the configured read units per second, twice as many for eventually consistent reads', async () => {
    await begin(still);
    const [busy, other] = [randomUUID(), randomUUID()];
    const read = (isStrong: boolean) => call('GetItem', { TableName: table, Key: key(busy), ConsistentRead: isStrong });

    const statuses = [];
    for (let time = 0; time < 10; time += 1) statuses.push((await read(false)).status);
    for (let time = 0; time < 6; time += 1) statuses.push((await read(true)).status);
    const batch = await call('BatchGetItem', { RequestItems: { [table]: { Keys: [key(busy), key(other)] } } });

    expect(statuses).toEqual([...Array<number>(15).fill(200), 400]);
    expect(batch.body['UnprocessedKeys']).toEqual({ [table]: { Keys: [key(busy)] } });
  });
});

it('the table rules compute sizes of items as documented', () => {
  const item = {
    pk: { S: 'é' },
    n: { N: '-0012.50' },
    f: { BOOL: true },
    l: { L: [{ S: 'ab' }] },
    m: { M: { a: { N: '1' } } },
  };

  expect(itemBytes({ pk: item.pk })).toBe(4);
  expect(itemBytes({ n: item.n })).toBe(4);
  expect(itemBytes({ f: item.f })).toBe(2);
  expect(itemBytes({ l: item.l })).toBe(7);
  expect(itemBytes({ m: item.m })).toBe(8);
  expect([1, 1_024, 1_025].map((bytes) => writeUnits(bytes, { isTransaction: false }))).toEqual([1, 1, 2]);
  expect(writeUnits(1_025, { isTransaction: true })).toBe(4);
  expect([readUnits(1, 'eventual'), readUnits(4_097, 'strong'), readUnits(1, 'transaction')]).toEqual([0.5, 2, 2]);
});

/** Counts the outcomes of transactions. Each one writes its own item, and an item that all transactions share. */
async function outcomes(count: number): Promise<Record<string, number>> {
  const seen: Record<string, number> = {};
  const common = randomUUID();
  for (let time = 0; time < count; time += 1) {
    const pk = randomUUID();
    const outcome = await transact([{ Update: increment(pk) }, { Update: increment(common) }]).then(
      ({ status, body }) => (status === 200 ? 'done' : String(body['__type']).split('#')[1]!),
      () => 'cut',
    );
    await proxy.rules.whenQuiet();
    const name = `${outcome}, ${(await countOf(pk)) === '1' ? 'written' : 'not written'}`;
    seen[name] = (seen[name] ?? 0) + 1;
  }
  return seen;
}

describe('random faults of the table rules', () => {
  it('refuse without a write, and lose replies with and without a write', async () => {
    const faults = { conflicts: 0.15, throttles: 0.2, lostReplies: 0.2, lostRequests: 0.15 };
    await begin({ faults, seed: 3, transactionMs: 0 });

    const seen = await outcomes(200);

    expect(Object.keys(seen).toSorted()).toEqual([
      'InternalServerError, not written',
      'InternalServerError, written',
      'ProvisionedThroughputExceededException, not written',
      'ThrottlingException, not written',
      'TransactionCanceledException, not written',
      'cut, not written',
      'cut, written',
      'done, written',
    ]);
    expect(seen['done, written']).toBeGreaterThan(30);
    expect(seen['done, written']).toBeLessThan(90);
  });

  it('cause no conflicts at items without transactions', async () => {
    await begin({ faults: { conflicts: 1 } });
    const pk = randomUUID();

    const alone = await call('PutItem', put(pk));
    const first = await transact([{ Update: increment(pk) }]);
    const second = await transact([{ Update: increment(randomUUID()) }, { Update: increment(pk) }]);

    expect([alone.status, first.status, codes(second)]).toEqual([200, 200, ['None', 'TransactionConflict']]);
  });

  it('are the same for the same seed', async () => {
    const faults = { conflicts: 0.2, throttles: 0.2, lostReplies: 0.2 };
    await begin({ faults, seed: 5, transactionMs: 0 });
    const first = await outcomes(40);
    await begin({ faults, seed: 5, transactionMs: 0 });

    expect(await outcomes(40)).toEqual(first);
  });
});

it('the emulator of a test run has the rules of its environment variable until the run ends', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rules-'));
  vi.stubEnv('DYNAMODB_BINARY', binaryUnderRules(directory));
  vi.stubEnv(RULES_VARIABLE, 'throttles=1');
  const emulator = await startDynamodb(undefined);
  try {
    await createTable(emulator.endpoint, table);
    const { body } = await call('PutItem', put('x'), emulator.endpoint);

    expect(body['__type']).toMatch(/#(Throttling|ProvisionedThroughputExceeded)Exception$/);
  } finally {
    await emulator.stop();
    rmSync(directory, { recursive: true });
  }
  await eventually(() => expect(fetch(emulator.endpoint)).rejects.toThrow());
});

it('the environment variable of the table rules is parsed, or refused', () => {
  expect(rulesFrom(undefined)).toBeUndefined();
  expect(rulesFrom('on')).toEqual({});
  expect(rulesFrom('conflicts=0.1,seed=4')).toEqual({ faults: { conflicts: 0.1 }, seed: 4, transactionMs: 8 });
  expect(() => rulesFrom('conflict=0.1')).toThrow(/does not know/);
});
