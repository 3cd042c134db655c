/** The table's copies of sealed days, and its data for days that have no statement. */
import { rmSync } from 'node:fs';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstGenerationId } from '../../../lambdas/platform/ids.ts';
import { generationKey } from '../../../lambdas/store/generations/generation-key.ts';
import { generationsInOrder } from '../../../lambdas/store/generations/generation-queries.ts';
import { readSealedDay } from '../../../lambdas/store/days/seals.ts';
import type { Key } from '../../../lambdas/store/table/writes.ts';
import { documentsOf } from '../../support/documents.ts';
import { makeRuledHistory, type RuledHistory } from '../../support/history.ts';
import { daysAfter, newSealing, sealBefore, verifyAll, type Sealing } from '../../support/sealing.ts';

type Item = Record<string, unknown>;

let history: RuledHistory;
let sealing: Sealing;
let day: { date: string; root: string };
/** A day after the last day that has a statement. It is sealed and empty. */
let emptyDate: string;

beforeAll(async () => {
  history = await makeRuledHistory({ generations: 20 });
  sealing = await newSealing(history.table);
  const last = history.dates.at(-1)!;
  emptyDate = daysAfter(last, 1);
  await sealBefore(sealing.tools, daysAfter(last, 3));
  day = (await readSealedDay(history.table, history.account.id, last))!;
});
afterAll(async () => {
  await history.stop();
  rmSync(sealing.directory, { recursive: true, force: true });
});

const account = () => history.account.id;
const headKey = (): Key => ({ pk: `SEALS#${account()}`, sk: 'HEAD' });
const dayKey = (): Key => ({ pk: `SEALS#${account()}`, sk: `DAY#${day.date}` });
const partKey = (sk: string): Key => ({ pk: `SEALS#${account()}#${day.date}#${day.root}`, sk });

async function itemAt(Key: Key): Promise<Item | undefined> {
  return (await documentsOf(history.table).send(new GetCommand({ TableName: history.table.name, Key }))).Item;
}

async function putOrDelete(key: Key, item: Item | undefined): Promise<void> {
  const [documents, TableName] = [documentsOf(history.table), history.table.name];
  if (item) await documents.send(new PutCommand({ TableName, Item: { ...item, ...key } }));
  else await documents.send(new DeleteCommand({ TableName, Key: key }));
}

async function foundWhile(key: Key, alter: (item: Item | undefined) => Item | undefined): Promise<string[]> {
  const item = await itemAt(key);
  try {
    await putOrDelete(key, alter(item));
    const { ofFiles, ofRecords } = await verifyAll(sealing, account());
    expect(ofFiles).toEqual([]);
    return ofRecords.map(({ date, where, says }) => `${date} ${where} ${says}`);
  } finally {
    await putOrDelete(key, item);
  }
}

function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  const text = String(value);
  return `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;
}

const flipped = (name: string) => (item: Item | undefined) => ({ ...item, [name]: another(item![name]) });

/** Returns a change that flips a bit of the leaves: in an owner (the first bytes) or in a hash. */
const flippedAt = (byte: number) => (item: Item | undefined) => {
  const bytes = Buffer.from(item!['leaves'] as string, 'base64');
  bytes[byte]! ^= 1;
  return { ...item, leaves: bytes.toString('base64') };
};

describe("the table's copy of a sealed day", () => {
  it('agrees with the files', async () => {
    const { days, ofFiles, ofRecords } = await verifyAll(sealing, account());
    expect([days, ofFiles, ofRecords]).toEqual([3, [], []]);
  });

  it.each(['statement', 'statement_sha256', 'root', 'leaves', 'signature', 'key_id'])(
    'is reported if its %s differs',
    async (name) => {
      const [first] = await foundWhile(dayKey(), flipped(name));
      expect(first).toMatch(
        new RegExp(`^${day.date} sealed_day\\.${name},? .*is .* in the table, but .* in the files$`),
      );
    },
  );

  it('is reported if it is missing', async () => {
    expect(await foundWhile(dayKey(), () => undefined)).toEqual([`${day.date} sealed_day is missing in the table`]);
  });

  it('is reported if its day is not sealed', async () => {
    const later = daysAfter(emptyDate, 5);
    const item = await itemAt(dayKey());
    const found = await foundWhile({ ...dayKey(), sk: `DAY#${later}` }, () => ({ ...item, date: later }));
    expect(found).toEqual([
      `${later} sealed_day is in the table, although the account is only sealed up to ${daysAfter(emptyDate, 1)}`,
    ]);
  });

  it.each(['date', 'statement_sha256', 'root', 'usage_rub', 'paid_rub'])(
    'is reported if the %s of the head differs',
    async (name) => {
      const found = await foundWhile(headKey(), (item) => ({
        ...item,
        [name]: name === 'date' ? history.dates[0] : another(item![name]),
      }));
      expect(found).toEqual([expect.stringMatching(`^${day.date} seal_head\\.${name} is `)]);
    },
  );

  it.each(['2099-01-01', '2020-01-01', 'never'])(
    'is reported if the head names %s as the last sealed day',
    async (through) => {
      const found = await foundWhile(headKey(), (item) => ({ ...item, through }));
      expect(found).toContainEqual(`${day.date} seal_head.through is ${through}, but days were not sealed up to there`);
    },
  );

  it('is reported without a head', async () => {
    expect(await foundWhile(headKey(), () => undefined)).toEqual([`${day.date} seal_head is missing in the table`]);
  });

  it.each([
    ['an owner', 48],
    ['a hash', 48 + 16],
  ])('is reported if %s of its leaves differs', async (_, byte) => {
    expect(await foundWhile(partKey('CHUNK#000000'), flippedAt(byte))).toEqual([
      `${day.date} seal_part has another leaf of line 2 in the table`,
    ]);
  });

  it('is reported if a leaf is missing or added', async () => {
    const shorter = await foundWhile(partKey('CHUNK#000000'), (item) => {
      const bytes = Buffer.from(item!['leaves'] as string, 'base64');
      return { ...item, leaves: bytes.subarray(0, 48).toString('base64') };
    });
    const longer = await foundWhile(partKey('CHUNK#000000'), (item) => {
      const bytes = Buffer.from(item!['leaves'] as string, 'base64');
      return { ...item, leaves: Buffer.concat([bytes, bytes.subarray(0, 48)]).toString('base64') };
    });
    expect(shorter).toEqual([`${day.date} seal_part has no leaf of line 2 in the table`]);
    expect(longer).toEqual([`${day.date} seal_part has more leaves in the table than there are lines`]);
  });

  it.each([
    ['an owner', 0],
    ['a root', 16],
  ])('is reported if %s in the index of its chunks differs', async (_, byte) => {
    expect(await foundWhile(partKey('CHUNKS'), flippedAt(byte))).toEqual([
      `${day.date} seal_part has another entry of chunk 0 in the table`,
    ]);
  });
});

describe('a day that is sealed without a statement', () => {
  it('is reported if it has a payment', async () => {
    const key = { pk: `ACCOUNT#${account()}`, sk: 'TOPUP#invoice-9' };
    const found = await foundWhile(key, () => ({
      id: 'invoice-9',
      entity: 'top_up',
      amount_rub: 5,
      created_at: `${emptyDate}T12:00:00.000Z`,
    }));
    expect(found).toEqual([`${emptyDate} invoice-9 was booked on that day, but has no line`]);
  });

  it('is reported if a payment is dated before the creation of the account', async () => {
    const key = { pk: `ACCOUNT#${account()}`, sk: 'TOPUP#invoice-9' };
    const before = daysAfter(history.dates[0]!, -7);
    const found = await foundWhile(key, () => ({
      id: 'invoice-9',
      entity: 'top_up',
      amount_rub: 5,
      created_at: `${before}T12:00:00.000Z`,
    }));
    expect(found).toEqual([`${before} invoice-9 was booked on that day, but has no line`]);
  });

  it('is reported if it has a record', async () => {
    const [known] = await Array.fromAsync(generationsInOrder(history.table, account(), day.date));
    const item = await itemAt(generationKey(account(), known!.id));
    const id = firstGenerationId(Date.parse(`${emptyDate}T12:00:00Z`));
    const found = await foundWhile(generationKey(account(), id), () => ({
      ...item,
      id,
      total_cost_rub: 5,
      created_at: `${emptyDate}T12:00:00.000Z`,
    }));
    expect(found).toEqual([`${emptyDate} ${id} has a record with a charge, but no line on its day`]);
  });
});
