/** One history in all forms in which it can be read. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readActivity } from '../../lambdas/accounting/activity.ts';
import { meters } from '../../lambdas/catalog/unit-lists.ts';
import { periodOf, type Period } from '../../lambdas/books/period.ts';
import { reconcile } from '../../lambdas/books/reconcile.ts';
import { dimensions } from '../../lambdas/books/spending.ts';
import { isProven, readStatement, type Statement } from '../../lambdas/books/statement.ts';
import { Money } from '../../lambdas/money/money.ts';
import { DAY_MS } from '../../lambdas/money/periods.ts';
import { readAccount, type Account } from '../../lambdas/store/accounts/accounts.ts';
import {
  dailyRowName,
  dailyRows,
  dailyRowTexts,
  deleteRows,
  rowLevels,
  writeRows,
} from '../../lambdas/store/days/activity.ts';
import { counterKey, readCounter } from '../../lambdas/store/counters/counters.ts';
import { generationsOfDay } from '../../lambdas/store/generations/generation-queries.ts';
import { generationKey } from '../../lambdas/store/generations/generation-key.ts';
import { readModelDays } from '../../lambdas/store/days/model-months.ts';
import { moneyAttribute } from '../../lambdas/store/table/table.ts';
import type { Key } from '../../lambdas/store/table/writes.ts';
import { openBooks } from '../../lib/admin/books/database.ts';
import { exportTable } from '../../lib/admin/books/export-table.ts';
import { alteredFiles, findExports } from '../../lib/admin/books/manifests.ts';
import { restoreTable } from '../../lib/admin/books/restore-table.ts';
import { checkedViews } from '../../lib/shared/book-views/views.ts';
import { writeStatementFiles } from '../../lib/admin/reports/statement-files.ts';
import { documentsOf } from '../support/documents.ts';
import { makeHistory, makeRuledHistory, type RuledHistory } from '../support/history.ts';
import { isLongForm, repeated } from '../support/long-runs.ts';
import { newTable } from '../support/table.ts';

/** Number of generations on each of three days. */
const GENERATIONS = repeated(17_000, { ofWhichAlways: 40 });

vi.setConfig({ testTimeout: 600_000 });

let history: RuledHistory;
let directory: string;
let account: Account;
let whole: Period;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-books-'));
  const terms = { generations: GENERATIONS };
  // In the long form there are so many generations that injected faults would take an hour.
  history = isLongForm
    ? { ...(await makeHistory(await newTable(), terms)), stop: () => Promise.resolve() }
    : await makeRuledHistory(terms);
  account = (await readAccount(history.table, history.account.id))!;
  whole = periodOf({ from: history.dates[0]!, to: history.dates.at(-1)! });
}, 900_000);
afterAll(async () => {
  await history.stop();
  vi.resetConfig();
  rmSync(directory, { recursive: true, force: true });
});

const filesIn = (exported: string) => findExports(exported).flatMap(({ files }) => files.map(({ path }) => path));
const itemsIn = (exported: string) =>
  Object.fromEntries(
    filesIn(exported)
      .flatMap((path) => gunzipSync(readFileSync(path)).toString('utf8').trimEnd().split('\n'))
      .map((line) => (JSON.parse(line) as { Item: Record<string, { S?: string }> }).Item)
      .map((item) => [`${item['pk']!.S} ${item['sk']!.S}`, item]),
  );

const ask = (question: { period?: Period; by?: Statement['by']; filter?: object } = {}) =>
  readStatement(history.table, { account, period: whole, by: ['day'], filter: {}, ...question });

const report = (name: string, period = whole) =>
  writeStatementFiles(
    history.table,
    { account, period, by: ['key', 'model'], filter: {} },
    { directory: join(directory, name), locale: 'plain', issuer: 'Test', progress: () => {} },
  );

/** Returns the rows of a query on a CSV file. All values are text. */
async function csv(name: string, file: string, sql: string): Promise<Record<string, unknown>[]> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const path = join(directory, name, file);
  const reader = await connection.runAndReadAll(
    `WITH file AS (SELECT * FROM read_csv('${path}', all_varchar = true, header = true)) ${sql}`,
  );
  return reader.getRowObjectsJson();
}

/** Attributes of daily rows that GET /activity and statements show. */
const shown = ['usage_rub', 'cache_saved_rub', 'requests', 'prompt_tokens', 'completion_tokens', 'reasoning_tokens'];

const plain = (amount: unknown) => String(Money.parse(String(amount)));
const total = () => history.total.toString();

describe('a statement', () => {
  it('equals the spending, and proves it in three ways', async () => {
    const statement = await ask();

    expect(statement.total.usage.toString()).toBe(total());
    expect(Money.sum(statement.rows.map(({ usage }) => usage)).toString()).toBe(total());
    expect(statement.proofs).toMatchObject([
      { source: 'lines', agrees: true },
      { source: 'daily_rows', agrees: true },
      { source: 'counters', agrees: true },
    ]);
  });

  it('states which windows a counter keeps if it has none of the period', async () => {
    const { proofs } = await ask({ period: periodOf({ from: '2020-01-01', to: '2020-01-31' }) });

    expect(proofs.at(-1)).toMatchObject({
      source: 'counters',
      agrees: undefined,
      says: expect.stringContaining('keeps days, weeks and months until two days after their end') as string,
    });
  });

  it.each(dimensions.map((dimension) => [dimension]))('has the same total by %s', async (dimension) => {
    const { rows, total: sum } = await ask({ by: [dimension, 'model'] });
    expect(Money.sum(rows.map(({ usage }) => usage)).toString()).toBe(total());
    expect(sum.usage.toString()).toBe(total());
  });

  it('by days of another time zone has other days, and the same total', async () => {
    const zone = 'Europe/Moscow';
    const [first, second] = history.dates as [string, string];
    // This is the day in Moscow that contains the end of the last UTC day.
    const last = new Date(Date.parse(history.dates.at(-1)!) + DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
    const parts = [periodOf({ from: first, to: first, zone }), periodOf({ from: second, to: last, zone })];
    const statements = await Promise.all(parts.map((period) => ask({ period })));
    const ofUtc = await ask({ period: periodOf({ from: first, to: first }) });

    expect(statements.every(isProven)).toBe(true);
    expect(Money.sum(statements.map((one) => one.total.usage)).toString()).toBe(total());
    expect(statements[0]!.total.requests).toBeLessThan(ofUtc.total.requests);
  });

  it('of a deleted key has only the requests of that key', async () => {
    const hash = history.keys['old server']!;
    const all = await ask({ by: ['key'] });
    const own = await ask({ filter: { isKey: async (found: string) => found === hash } });

    const row = all.rows.find(({ values }) => values[0] === hash)!;
    expect(row).toEqual({ ...own.total, values: [hash] });
    // The daily rows and the counters cover the whole account, so they prove nothing about one key.
    expect(own.proofs.map(({ source, agrees }) => [source, agrees])).toEqual([
      ['lines', true],
      ['daily_rows', undefined],
      ['counters', undefined],
    ]);
  });

  it('of a day without daily rows names the time at which they are written', async () => {
    const today = history.dates.at(-1)!;
    const { proofs } = await ask({ period: periodOf({ from: today, to: today }) });

    const says = expect.stringContaining('writes them a few minutes after midnight (UTC)') as string;
    expect(proofs[1]).toEqual({ source: 'daily_rows', agrees: undefined, says });
  });

  it('explains the prepaid balance, also day by day', async () => {
    const { balance } = await ask();
    const [first, ...rest] = await Promise.all(
      history.dates.map(async (date) => (await ask({ period: periodOf({ from: date, to: date }) })).balance!),
    );

    expect(balance!.opening.isZero).toBe(true);
    expect(balance!.paidIn.toString()).toBe('1000010.5');
    expect(balance!.refunded.toString()).toBe('10.25');
    expect(balance!.closing.toString()).toBe(String(Money.parse('1000000.25').minus(history.total)));
    const links = [first!, ...rest];
    expect(rest.map(({ opening }) => String(opening))).toEqual(
      links.slice(0, -1).map(({ closing }) => String(closing)),
    );
  });
});

describe('files of a statement', () => {
  beforeAll(async () => void (await report('once')), 300_000);

  it('are the same byte for byte after a second run', async () => {
    const again = await report('again');
    for (const { name } of again.files) {
      expect(readFileSync(join(directory, 'again', name)).equals(readFileSync(join(directory, 'once', name)))).toBe(
        true,
      );
    }
  });

  it('with generations have units and prices whose product is the charge', async () => {
    const product = meters
      .map((meter) => `coalesce(CAST(${meter}_units AS BIGINT) * CAST(${meter}_price_rub AS DECIMAL(38,12)), 0)`)
      .join(' + ');
    const [found] = await csv(
      'once',
      'generations.csv',
      `SELECT sum(CAST(line_rub AS DECIMAL(38,12))) AS lines, sum(${product} + coalesce(CAST(cut_rub AS DECIMAL(38,12)), 0)) AS products,
        sum(CAST(total_cost_rub AS DECIMAL(38,12))) AS charged, count(DISTINCT id) AS generations FROM file WHERE line = 'charge'`,
    );
    expect([found!['lines'], found!['products'], found!['charged']].map(plain)).toEqual([total(), total(), total()]);
    expect(Number(found!['generations'])).toBeGreaterThan(GENERATIONS * 2.5);
  });

  it.each([
    ['generations.csv', 'line_rub'],
    ['days.csv', 'usage_rub'],
    ['statement.csv', 'usage_rub'],
    ['prices.csv', 'cost_rub'],
  ])('end with the total: %s', async (file, column) => {
    const [sum] = await csv(
      'once',
      file,
      `SELECT sum(CAST(${column} AS DECIMAL(38,12))) AS of_rows FROM file WHERE line <> 'total'`,
    );
    const [last] = await csv('once', file, `SELECT ${column} AS stated FROM file WHERE line = 'total'`);
    expect([plain(sum!['of_rows']), last!['stated']]).toEqual([total(), total()]);
  });

  it('of FOCUS have costs that are units times prices, exactly', async () => {
    const [sum] = await csv(
      'once',
      'focus.csv',
      `SELECT sum(CAST(BilledCost AS DECIMAL(38,12))) AS billed,
        sum(coalesce(CAST(PricingQuantity AS BIGINT) * CAST(ListUnitPrice AS DECIMAL(38,12)), CAST(BilledCost AS DECIMAL(38,12)))) AS priced FROM file`,
    );
    expect([plain(sum!['billed']), plain(sum!['priced'])]).toEqual([total(), total()]);
  });

  it('of FOCUS have rows by the recorded values of the reported tags, with the costs of their records', async () => {
    const rows = await csv(
      'once',
      'focus.csv',
      `SELECT json_extract_string(Tags, '$.project') AS project, json_extract_string(Tags, '$.trace') AS trace,
        sum(CAST(BilledCost AS DECIMAL(38,12))) AS billed FROM file GROUP BY ALL ORDER BY project`,
    );
    const { rows: expected } = await ask({ by: ['tag:project'] });
    const sums = new Map(expected.map(({ values, usage }) => [values[0], String(usage)]));
    expect(new Map(rows.map(({ project, billed }) => [project ?? '', plain(billed)]))).toEqual(sums);
    expect(sums.size).toBeGreaterThan(5);
    expect(rows.every(({ trace }) => trace === null)).toBe(true);
  });

  it('with generations have the tags of each request, which a line-based tool can cut', () => {
    const lines = readFileSync(join(directory, 'once', 'generations.csv'), 'utf8')
      .trimEnd()
      .split('\n');
    const place = lines[0]!.split(',').indexOf('tags');
    const cells = lines.slice(1, -1).map((line) => line.split(',')[place]!);
    const found = new Set(cells.flatMap((cell) => new URLSearchParams(cell).get('project') ?? []));
    for (const value of ['a#b', 'x,y;"z"', 'Озеро 🌊', '=1+1']) expect(found).toContain(value);
  });

  it('in FOCUS format have their total, their proof and the form of each column in the metadata', async () => {
    const metadata = JSON.parse(readFileSync(join(directory, 'once', 'focus-metadata.json'), 'utf8')) as {
      Schema: { ColumnDefinition: { ColumnName: string; DataType: string }[] };
    };
    const [columns] = readFileSync(join(directory, 'once', 'focus.csv'), 'utf8').split('\n');

    expect(metadata).toMatchObject({
      x_BilledCostTotal: total(),
      x_Proof: expect.stringMatching(/^proven: /) as string,
    });
    expect(metadata.Schema.ColumnDefinition.map(({ ColumnName: name }) => name)).toEqual(columns!.split(','));
    expect(metadata.Schema.ColumnDefinition.filter(({ DataType: type }) => type === 'Decimal')).toHaveLength(8);
  });

  it('have the names of deleted keys, and no name that a spreadsheet reads as a formula', async () => {
    const rows = await csv('once', 'days.csv', "SELECT DISTINCT key FROM file WHERE line <> 'total' ORDER BY key");
    expect(rows.map(({ key }) => key)).toEqual(["'=laptop", 'old server', 'server']);
  });

  it('with payments explain the balance', async () => {
    const rows = await csv('once', 'ledger.csv', 'SELECT line, reference, amount_rub, balance_rub FROM file');
    expect(rows.map(({ line }) => line)).toEqual(['opening', 'top_up', 'refund', 'spending', 'total']);
    expect(rows.at(-1)!['balance_rub']).toBe(String(Money.parse('1000000.25').minus(history.total)));
  });

  it('have a page that loads nothing from the network', () => {
    const page = readFileSync(join(directory, 'once', 'statement.html'), 'utf8');
    expect(page).toContain('Acme, &quot;ООО&quot;');
    expect(page).toContain(`${total()} RUB`);
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|https?:\/\/|url\(/);
  });

  it('for a Russian spreadsheet have decimal commas', async () => {
    const { files } = await writeStatementFiles(
      history.table,
      { account, period: whole, by: ['day'], filter: {} },
      { directory: join(directory, 'ru'), locale: 'ru', issuer: 'Test', progress: () => {} },
    );
    const text = readFileSync(join(directory, 'ru', files.find(({ name }) => name === 'statement.csv')!.name), 'utf8');
    expect(text.startsWith('\uFEFFline;day;')).toBe(true);
    expect(text).toContain(total().replace('.', ','));
  });
});

const exported = () => join(directory, 'export');

/** Returns the rows of the views that must be empty. */
const differing = async (from = exported()) => {
  const books = await openBooks(from);
  try {
    const found = await Promise.all(
      Object.keys(checkedViews).map(async (view) => [view, await books.query(`SELECT * FROM ${view}`)] as const),
    );
    return Object.fromEntries(found.filter(([, rows]) => rows.length > 0));
  } finally {
    books.close();
  }
};

/**
 * Whether a changed amount or price of an item changes a sum. Sums do not include capped charges, or prices of an
 * answer that is not charged.
 */
const isInSum = (item: string) => !/"capped":\{"BOOL":true|"tokens_prompt":\{"N":"0"/.test(item);

const withNextDigit = (item: string, digit: RegExp) =>
  item.replace(digit, (found, old: string) => `${found.slice(0, -1)}${(Number(old) + 1) % 10}`);

/** Copies the export with other items, and returns the directory of the copy. */
const altered = (change: (items: string[]) => void): string => {
  const copy = mkdtempSync(join(directory, 'altered-'));
  execFileSync('cp', ['-r', `${exported()}/.`, copy]);
  const file = filesIn(copy)[0]!;
  const items = gunzipSync(readFileSync(file)).toString().split('\n');
  change(items);
  writeFileSync(file, gzipSync(items.join('\n')));
  return copy;
};

describe('an export', () => {
  beforeAll(async () => void (await exportTable(history.table, exported(), () => {})), 300_000);

  it('adds up in SQL: prices, counters, rows, payments', async () => {
    expect(await differing()).toEqual({});
  });

  it('has the same total as the statement', async () => {
    const books = await openBooks(exported());
    const [generations] = await books.query('SELECT sum(total_cost_rub) AS rub FROM generations');
    const [rounds] = await books.query(
      'SELECT count(*) AS single, sum(uncut) AS rub FROM (SELECT sum(cost_rub) AS uncut FROM rounds GROUP BY id)',
    );
    books.close();
    expect(generations!['rub']).toBe(total());
    expect(rounds!['single']).toBe(GENERATIONS * 3);
  });

  it('answers each query of docs/billing.md', async () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/billing.md'), 'utf8');
    const queries = [...text.matchAll(/[`"](SELECT [^`"]+)[`"]/g)].map(([, sql]) => sql!);
    const books = await openBooks(exported());
    for (const sql of queries) expect([sql, (await books.query(sql)).length]).not.toEqual([sql, undefined]);
    books.close();

    expect(queries.length).toBeGreaterThan(5);
  });

  it('with one changed digit is reported, in each checked view', async () => {
    const flips = [
      ['unproven', /"total_cost_rub":\{"N":"(\d)/],
      ['unproven', /"tokens_completion":\{"N":"(\d)/],
      ['unproven', /"prices":\{"M":\{[^}]*"request":\{"N":"0\.0(\d)/],
      ['drift', /"spent_lifetime":\{"N":"(\d)/],
      ['model_drift', new RegExp(`"spent_day_${history.dates.at(-1)!.slice(-2)}":\\{"N":"(\\d)`)],
      ['day_drift', /"usage_rub":\{"N":"(\d)/],
      ['payment_drift', /"amount_rub":\{"N":"(\d)/],
    ] as const;
    const copy = altered((items) => {
      const changed = new Set<number>();
      for (const [, digit] of flips) {
        const place = items.findIndex((item, index) => !changed.has(index) && digit.test(item) && isInSum(item));
        items[place] = withNextDigit(items[place]!, digit);
        changed.add(place);
      }
    });

    const found = await differing(copy);
    expect(Object.keys(found).toSorted()).toEqual(Object.keys(checkedViews).toSorted());
    expect(found['unproven']).toHaveLength(3);
    expect(await alteredFiles(findExports(copy))).toEqual([expect.stringMatching(/was changed after the export$/)]);
  });

  it('with another value in any field of a daily row is reported, with the row', async () => {
    const told: object[] = [];
    const copy = altered((items) => {
      const changed = new Set<number>();
      for (const field of [...shown, 'model']) {
        const value = new RegExp(`"${field}":\\{"[NS]":"[^"]*?(\\d)(?=[^\\d"]*")`);
        const place = items.findIndex(
          (item, index) => !changed.has(index) && item.includes('"activity_row"') && value.test(item),
        );
        items[place] = withNextDigit(items[place]!, value);
        changed.add(place);
        const [, row_name] = /"sk":\{"S":"([^"]*)"/.exec(items[place])!;
        told.push({
          account_id: account.id,
          row_name,
          field,
          first_generation: expect.stringMatching(/^gen-/) as string,
        });
      }
    });

    const { day_drift: rows, ...others } = await differing(copy);
    expect(rows).toHaveLength(told.length);
    expect(rows).toEqual(expect.arrayContaining(told.map((row) => expect.objectContaining(row) as object)));
    expect(others).toEqual({});
  });
});

describe('an import of an export', () => {
  it('restores the same table, with correct books', async () => {
    const exported = join(directory, 'to-restore');
    await exportTable(history.table, exported, () => {});
    const table = await newTable();
    const restored = await restoreTable(table, exported, () => {});
    const again = join(directory, 'restored');
    const { items } = await exportTable(table, again, () => {});
    const whole = { account, dates: history.dates, isDeep: true, isWhole: true, pauseMs: 1 };

    expect(items).toBe(restored.written);
    expect(itemsIn(again)).toEqual(itemsIn(exported));
    expect((await reconcile(table, whole)).findings).toEqual([]);
  });

  it('is refused over an existing account, and completely if a file was altered', async () => {
    const exported = join(directory, 'to-restore');
    await expect(restoreTable(history.table, exported, () => {})).rejects.toThrow(/already has an account/);
    const [file] = filesIn(exported);
    writeFileSync(file!, gzipSync('{"Item":{}}\n'));
    const table = await newTable();
    await expect(restoreTable(table, exported, () => {})).rejects.toThrow(
      /was changed after the export: nothing was restored/,
    );
  });
});

const compare = (more: object = {}) =>
  reconcile(history.table, { account, dates: history.dates, isDeep: true, isWhole: true, pauseMs: 1, ...more });
const set = (key: Key, name: string, value: Money | string) =>
  documentsOf(history.table).send(
    new UpdateCommand({
      TableName: history.table.name,
      Key: key,
      UpdateExpression: 'SET #name = :amount',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':amount': typeof value === 'string' ? value : moneyAttribute(value) },
    }),
  );

/** Raises an amount by a millionth of a kopeck, or by `more`, while the books are compared. Returns the findings. */
const withDifference = async (key: Key, name: string, amount: Money, more = Money.parse('0.00000001')) => {
  await set(key, name, amount.plus(more));
  try {
    return (await compare()).findings;
  } finally {
    await set(key, name, amount);
  }
};

describe('reconcile', () => {
  it('finds no difference in correct books, from records and from rows', async () => {
    const deep = await compare();
    const quick = await compare({ dates: history.dates.slice(0, -1), isDeep: false, isWhole: false });

    expect([deep.findings, quick.findings]).toEqual([[], []]);
    expect(deep.compared).toMatchObject({ records: GENERATIONS * 3, days: 2, payments: 2 });
    expect(deep.compared.windows).toBeGreaterThan(20);
    expect(quick.compared.windows).toBeGreaterThan(5);
  });

  it('names a record that does not prove its price', async () => {
    const [generation] = await Array.fromAsync(generationsOfDay(history.table, account.id, history.dates[0]!));
    const { id, outcome } = generation!;
    const findings = await withDifference(generationKey(account.id, id), 'total_cost_rub', outcome!.cost);

    expect(findings[0]).toMatchObject({ kind: 'record', where: id, expected: outcome!.cost.toString() });
  });

  it('names a counter and its window', async () => {
    const scope = { kind: 'key', id: history.keys['server']! } as const;
    const spent = (await readCounter(history.table, scope)).spent('lifetime');
    const findings = await withDifference(counterKey(scope), 'spent_lifetime', spent);

    expect(findings).toMatchObject([
      { kind: 'counter', where: `key ${scope.id} lifetime spent`, expected: spent.toString() },
      { kind: 'counter', where: `key ${scope.id} lifetime held` },
    ]);
  });

  it('names a model and its day, except on the first counted day', async () => {
    const [firstDate, date] = history.dates as [string, string];
    const spentOn = async (day: string) => {
      const days = await readModelDays(history.table, account.id, day.slice(0, 7));
      return days.find((one) => one.date === day && one.model === 'test/model-1')!.spent;
    };
    const change = async (day: string) => {
      const key = { pk: `MODELS#${account.id}#${day.slice(0, 7)}`, sk: 'test/model-1#0' };
      return withDifference(key, `spent_day_${day.slice(-2)}`, await spentOn(day));
    };

    const spent = await spentOn(date);
    expect(await change(date)).toEqual([
      {
        kind: 'model',
        where: `model test/model-1 day_${date}`,
        says: String(spent.plus(Money.parse('0.00000001'))),
        expected: String(spent),
      },
    ]);
    expect(await change(firstDate)).toEqual([]);
  });

  const rowFields = isLongForm
    ? rowLevels.flatMap((level) => shown.map((field) => [level, field] as const))
    : shown.map((field, place) => [rowLevels[place % rowLevels.length]!, field] as const);
  it.each(rowFields)('names a day, its row of the level %s, and its %s', async (level, field) => {
    const date = history.dates[0]!;
    const pk = `ACTIVITY#${account.id}#${date}`;
    const [row] = await Array.fromAsync(dailyRows(history.table, account.id, date, { level }));
    const sk = dailyRowName(row!);
    const value = dailyRowTexts(row!).get(field)!;
    const findings = await withDifference({ pk, sk }, field, Money.parse(value), Money.parse('1'));

    expect(findings).toEqual([
      {
        kind: 'day',
        where: `${date} ${sk} ${field}`,
        says: String(Money.parse(value).plus(Money.parse('1'))),
        expected: value,
      },
    ]);
  });

  it('names a row with another model', async () => {
    const date = history.dates[0]!;
    const [row] = await Array.fromAsync(dailyRows(history.table, account.id, date, { level: 'KEY' }));
    const key = { pk: `ACTIVITY#${account.id}#${date}`, sk: dailyRowName(row!) };
    await set(key, 'model', 'test/dearer');
    const { findings } = await compare().finally(() => set(key, 'model', row!.model));

    expect(findings).toEqual([
      { kind: 'day', where: `${date} ${key.sk} model`, says: 'test/dearer', expected: row!.model },
    ]);
  });

  it('names a missing row', async () => {
    const date = history.dates[0]!;
    const [row] = await Array.fromAsync(dailyRows(history.table, account.id, date, { level: 'MEMBER' }));
    await deleteRows(history.table, account.id, date, [row!]);
    const { findings } = await compare().finally(() => writeRows(history.table, account.id, date, [row!]));

    expect(findings).toContainEqual({
      kind: 'day',
      where: `${date} ${dailyRowName(row!)} requests`,
      says: '0',
      expected: String(row!.requests),
    });
  });

  it('names an account whose limit differs from its payments', async () => {
    const key = { pk: `ACCOUNT#${account.id}`, sk: 'TOPUP#invoice-1' };
    const findings = await withDifference(key, 'amount_rub', Money.parse('1000010.5'));

    expect(findings.map(({ kind, where }) => [kind, where])).toEqual([
      ['payments', `account ${account.id} limit`],
      ['payments', `account ${account.id} limit of its counter`],
    ]);
  });

  it('agrees with the sums of GET /activity', async () => {
    const rows = await readActivity(history.table, account.id, history.dates.slice(0, -1), { splitBy: ['key'] });
    const { total: sum } = await ask({ period: periodOf({ from: history.dates[0]!, to: history.dates.at(-2)! }) });
    expect(Money.sum(rows.map(({ usage }) => usage)).toString()).toBe(sum.usage.toString());
    expect(rows.reduce((all, { requests }) => all + requests, 0)).toBe(sum.requests);
  });
});
