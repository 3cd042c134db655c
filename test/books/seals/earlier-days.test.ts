/** Days that earlier releases sealed: the records are from release 0.2.0, or have a count of each unit. */
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BatchWriteItemCommand, DynamoDBClient, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { NumberValueImpl as NumberValue, unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { FinalGeneration } from '../../../lambdas/accounting/daily-sums.ts';
import { linesOf, provesItsPrice } from '../../../lambdas/accounting/generation-lines.ts';
import { parseSealStatement, sealFiles } from '../../../lambdas/books/seals/seal-statement.ts';
import { meters } from '../../../lambdas/catalog/unit-lists.ts';
import { localCredentials } from '../../../lambdas/platform/aws/sdk.ts';
import { generationFrom } from '../../../lambdas/store/generations/generation.ts';
import { outcomeRecord } from '../../../lambdas/store/generations/outcome.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { newSealing, sealBefore, verifyAll, type Sealing } from '../../support/sealing.ts';
import { newTable } from '../../support/table.ts';

type StoredItem = Record<string, AttributeValue>;

const fixture = join(import.meta.dirname, '../../fixtures/sealed-days');
const items = readFileSync(join(fixture, 'items.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as StoredItem);
const records = items
  .filter(({ entity, state }) => entity?.S === 'generation' && state?.S === 'final')
  .map((item) => unmarshall(item, { wrapNumbers: (digits) => digits }));
const generations = records.map((record) => generationFrom(record) as FinalGeneration);
const days = readdirSync(join(fixture, 'sealed'))
  .filter((account) => account !== 'days')
  .flatMap((account) => readdirSync(join(fixture, 'sealed', account)).map((date) => ({ account, date })));

async function tableWith(some: readonly StoredItem[]): Promise<Table> {
  const table = await newTable();
  const client = new DynamoDBClient({
    endpoint: inject('dynamodbEndpoint'),
    region: 'us-east-1',
    credentials: localCredentials,
  });
  for (let start = 0; start < some.length; start += 25) {
    const puts = some.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [table.name]: puts } }));
  }
  client.destroy();
  return table;
}

function linesOfDay(directory: string, account: string, date: string): string {
  const names = sealFiles(account, date);
  const { lines } = parseSealStatement(readFileSync(join(directory, names.statement), 'utf8'));
  return gunzipSync(readFileSync(join(directory, names.lines(lines.file)))).toString('utf8');
}

const asTexts = (item: object): unknown => JSON.parse(JSON.stringify(item, (_, value: unknown) => plainText(value)));
const plainText = (value: unknown) => {
  if (value instanceof NumberValue) return value.toString();
  return typeof value === 'number' ? String(value) : value;
};

describe('records of earlier releases', () => {
  it('have each unit that had a price at that time', () => {
    const used = new Set(
      generations.flatMap((one) => linesOf(one)).flatMap(({ units }) => units.map(({ meter }) => meter)),
    );
    expect([...used].toSorted()).toEqual(meters.slice(0, 10).toSorted());
  });

  it('are written unchanged', () => {
    const names = new Set(outcomeRecord.attributes.map(({ name }) => name));
    for (const record of records) {
      const stored = Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name)));
      const written = outcomeRecord.toItem(outcomeRecord.from(record));
      expect(asTexts(written)).toEqual(asTexts(stored));
    }
  });

  it('have the same price', () => {
    for (const generation of generations) expect(provesItsPrice(generation, linesOf(generation))).toBe(true);
  });
});

/** Removes the columns after `width`. These columns are of newer units, and empty. */
function withColumns(lines: string, width: number): string {
  const [head = '', ...rows] = lines.split('\n');
  const names = head.split(',');
  const newer = ','.repeat(names.length - width);
  const cut = rows.map((row) => (row.endsWith(newer) ? row.slice(0, row.length - newer.length) : row));
  return [names.slice(0, width).join(','), ...cut].join('\n');
}

describe('days that an earlier release sealed', () => {
  let sealing: Sealing;
  beforeAll(async () => {
    const table = await tableWith(items);
    const directory = mkdtempSync(join(tmpdir(), 'gateway-earlier-'));
    cpSync(fixture, directory, { recursive: true });
    const { tools } = await newSealing(table);
    sealing = { directory, tools, publicKey: readFileSync(join(fixture, 'public.pem'), 'utf8') };
  });
  afterAll(() => rmSync(sealing.directory, { recursive: true }));

  it.each([...new Set(days.map(({ account }) => account))])('are unchanged, of account %s', async (account) => {
    const found = await verifyAll(sealing, account);
    expect(found).toEqual({ days: days.filter((day) => day.account === account).length, ofFiles: [], ofRecords: [] });
  });

  it('are sealed the same from the same records, byte for byte up to the columns of newer units', async () => {
    const unsealed = items.filter(({ pk, sk }) => !pk!.S!.startsWith('SEALS#') && sk!.S !== 'SEALED');
    const again = await newSealing(await tableWith(unsealed));
    await sealBefore(again.tools, '2026-11-27');
    for (const { account, date } of days) {
      const earlier = linesOfDay(fixture, account, date);
      const width = earlier.split('\n')[0]!.split(',').length;
      expect(withColumns(linesOfDay(again.directory, account, date), width)).toBe(earlier);
    }
    rmSync(again.directory, { recursive: true });
  });
});
