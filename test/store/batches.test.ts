import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { batchWrite } from '../../lambdas/store/table/batch-write.ts';
import { readItems } from '../../lambdas/store/table/query.ts';
import { moneyAttribute, openTable, type Table } from '../../lambdas/store/table/table.ts';
import { StoreBusyError } from '../../lambdas/store/table/transact.ts';
import { listen } from '../support/listen.ts';

const key = (index: number) => ({ pk: `item-${index}`, sk: 'ITEM' });
const keys = (count: number) => Array.from({ length: count }, (_, index) => key(index));
type Request = Record<string, unknown>;

const servers: Server[] = [];

/** Starts a DynamoDB that processes only a part of a batch and returns the rest, as when throttled. */
async function narrowTable(roomOf: (call: number) => number) {
  const calls: { atMs: number; size: number }[] = [];
  const written: unknown[] = [];
  const answer = (body: string): object => {
    const given = (JSON.parse(body) as { RequestItems: { t: Request[] | { Keys: Request[] } } }).RequestItems.t;
    const batch = Array.isArray(given) ? given : given.Keys;
    const room = roomOf(calls.push({ atMs: performance.now(), size: batch.length }));
    const [done, undone] = [batch.slice(0, room), batch.slice(room)];
    if (Array.isArray(given)) {
      written.push(...done);
      return { UnprocessedItems: undone.length > 0 ? { t: undone } : {} };
    }
    return { Responses: { t: done }, UnprocessedKeys: undone.length > 0 ? { t: { Keys: undone } } : {} };
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => response.end(JSON.stringify(answer(body))));
  });
  servers.push(server);
  const table: Table = openTable({ name: 't', endpoint: (await listen(server)).url });
  return { table, calls, written };
}

const puts = (count: number) => keys(count).map((Item) => ({ PutRequest: { Item } }));

afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

describe.each([
  ['reading items from', (table: Table) => readItems(table, keys(3))],
  ['writing items to', (table: Table) => batchWrite(table, puts(3))],
])('%s a throttled table', (_, work) => {
  it('waits between attempts, with growing delays', async () => {
    // With this random number, each pause is half of its maximum.
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { table, calls } = await narrowTable((call) => (call <= 5 ? 0 : 3));

    await work(table);

    const pausesMs = calls.slice(1).map(({ atMs }, index) => atMs - calls[index]!.atMs);
    // A timer may fire a millisecond early.
    for (const [index, minMs] of [8, 16, 32, 64, 128].entries()) {
      expect(pausesMs[index]).toBeGreaterThan(minMs - 2);
    }
  });

  it('fails after twelve attempts', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { table, calls } = await narrowTable(() => 0);

    await expect(work(table)).rejects.toThrow(StoreBusyError);

    expect(calls).toHaveLength(12);
  });
});

describe('a table that processes one item at a time', () => {
  it('is read to the end, in any number of calls', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { table } = await narrowTable(() => 1);
    expect(new Set(await readItems(table, keys(120)))).toEqual(new Set(keys(120)));
  });

  it('receives each number as a number, also in an item that was retried', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { table, written } = await narrowTable(() => 1);
    const priced = keys(3).map((each) => ({ ...each, usage_rub: moneyAttribute(Money.parse('0.1')), requests: 2 }));

    await batchWrite(
      table,
      priced.map((Item) => ({ PutRequest: { Item } })),
    );

    expect(written).toEqual(
      keys(3).map(({ pk, sk }) => ({
        PutRequest: { Item: { pk: { S: pk }, sk: { S: sk }, usage_rub: { N: '0.1' }, requests: { N: '2' } } },
      })),
    );
  });

  it('is written to the end', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { table, written } = await narrowTable(() => 1);
    await batchWrite(table, puts(30));
    expect(written).toEqual(keys(30).map(({ pk, sk }) => ({ PutRequest: { Item: { pk: { S: pk }, sk: { S: sk } } } })));
  });
});

describe('a table without throttling', () => {
  it("gets at most DynamoDB's maximum of items in one call", async () => {
    const { table, calls } = await narrowTable(() => 100);
    await readItems(table, keys(101));
    await batchWrite(table, puts(26));
    expect(calls.map(({ size }) => size)).toEqual([100, 1, 25, 1]);
  });
});
