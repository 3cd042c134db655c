/**
 * Runs the project's views for Amazon Athena in DuckDB, without changes. They read exports, in DynamoDB's format, of a
 * table with generated requests.
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reviewedItems } from '../../lambdas/store/days/reviewed-items.ts';
import type { Attribute } from '../../lambdas/store/table/record.ts';
import { DAY_MS } from '../../lambdas/money/periods.ts';
import { openBooks } from '../../lib/admin/books/database.ts';
import { exportTable } from '../../lib/admin/books/export-table.ts';
import { findExports } from '../../lib/admin/books/manifests.ts';
import { amountOf } from '../../lib/shared/book-views/view.ts';
import { athenaChecks, athenaViews, booksViews } from '../../lib/shared/book-views/views.ts';
import { accountItem, changeLine, openAthenaBooks, writeExport, type Attributes } from '../support/exports.ts';
import { makeRuledHistory } from '../support/history.ts';

let items: Attributes[];
let root: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'gateway-athena-test-'));
  const history = await makeRuledHistory({ generations: 30 });
  await exportTable(history.table, join(root, 'own'), () => {});
  await history.stop();
  items = findExports(join(root, 'own'))
    .flatMap(({ files }) => files)
    .flatMap(({ path }) => gunzipSync(readFileSync(path)).toString().trimEnd().split('\n'))
    .map((line) => (JSON.parse(line) as { Item: Attributes }).Item);
}, 300_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(root, 'books-'))));

const today = Math.floor(Date.now() / DAY_MS);
const midnight = (daysAgo: number) => new Date((today - daysAgo) * DAY_MS).toISOString();
const dateOf = (time: string) => time.slice(0, 'YYYY-MM-DD'.length);
const writeFull = (daysAgo: number, whole: readonly Attributes[]) => {
  const exportTime = midnight(daysAgo);
  return writeExport(
    directory,
    `full/dt=${dateOf(exportTime)}`,
    whole.map((Item) => ({ Item })),
    { exportTime },
  );
};
const writeIncrement = (daysAgo: number, changes: readonly object[]) => {
  const [exportFromTime, exportToTime] = [midnight(daysAgo), midnight(daysAgo - 1)];
  const times = { exportFromTime, exportToTime, outputView: 'NEW_IMAGE', exportType: 'INCREMENTAL_EXPORT' };
  return writeExport(directory, `incremental/dt=${dateOf(exportFromTime)}`, changes, times);
};

const withAmount = (item: Attributes, digits: string) =>
  JSON.parse(JSON.stringify(item).replace(/(_rub":\{"N":")[^"]*/g, `$1${digits}`)) as Attributes;
const elsewhere = (item: Attributes): Attributes => ({ ...item, sk: { S: `deleted ${JSON.stringify(item['sk'])}` } });

/**
 * Writes exports of a history. A third of the items is new in an increment, a third changes twice, and a third stays.
 * Some items are deleted, and older exports have outdated values.
 */
function writeHistory(whole: readonly Attributes[]): void {
  const third = (place: number) => whole.filter((_, index) => index % 3 === place);
  const [added, changed, same] = [third(0), third(1), third(2)];
  const deleted = whole.slice(0, 40).map(elsewhere);
  // The values of an older full export and its increment must not be used.
  writeFull(
    9,
    [...changed, ...deleted].map((item) => withAmount(item, '9')),
  );
  writeIncrement(
    9,
    deleted.map((item) => changeLine(item, 1, item)),
  );
  writeFull(3, [...changed.map((item) => withAmount(item, '1')), ...same, ...deleted]);
  writeIncrement(3, [
    ...added.slice(0, 50).map((item) => changeLine(item, 11, item)),
    ...changed.map((item) => changeLine(item, 12, withAmount(item, '2'))),
    ...deleted.slice(0, 20).map((item) => changeLine(item, 13)),
  ]);
  writeIncrement(2, [
    ...added.slice(50).map((item) => changeLine(item, 21, item)),
    ...changed.map((item) => changeLine(item, 22, item)),
    ...deleted.slice(20).map((item) => changeLine(item, 23)),
  ]);
}

const asked = async (sql: string) => {
  const books = await openAthenaBooks(directory);
  return books.query(sql);
};

const found = async () => {
  const counts = Object.keys(athenaChecks).map((view) => `SELECT '${view}' AS view, count(*) AS rows FROM ${view}`);
  const rows = await asked(counts.join(' UNION ALL '));
  return Object.fromEntries(rows.filter((row) => row['rows'] !== '0').map((row) => [row['view'], Number(row['rows'])]));
};

const textIn = (item: Attributes, name: string) => {
  const value: { S?: string } = item[name] ?? {};
  return value.S;
};
const countedDays = (item: Attributes) =>
  Object.keys(item).flatMap((name) => (name.startsWith('spent_day_') ? `${textIn(item, 'month')} ${name}` : []));

const textsOf = (columns: string[], view: string) =>
  `SELECT ${columns.map((name) => `CAST("${name}" AS VARCHAR) AS "${name}"`).join(', ')} FROM ${view} ORDER BY ALL`;

describe('Athena views', () => {
  it('return the same rows in DuckDB as the views of exports', async () => {
    writeHistory(items);
    const [athena, duckdb] = [await openAthenaBooks(directory), await openBooks(directory)];
    const counts: Record<string, number> = {};
    for (const { name, columns } of booksViews) {
      const sql = textsOf(Object.keys(columns), name);
      const rows = await athena.query(sql);
      expect([name, rows]).toEqual([name, await duckdb.query(sql)]);
      counts[name] = rows.length;
    }
    const [sum] = await athena.query('SELECT count(*) AS n FROM items');
    duckdb.close();

    expect(Number(sum!['n'])).toBe(items.length);
    expect(counts).toMatchObject({ generations: 90, rounds: expect.any(Number), accounts: 1, payments: 2 });
    const empty = Object.keys(counts).filter((name) => counts[name] === 0);
    const kinds = [
      'corrections',
      'leases',
      'leases_left',
      'parties',
      'papers',
      'proved_spending',
      'refusals',
      'sealed_days',
      'videos',
    ];
    expect(empty.toSorted()).toEqual([...Object.keys(athenaChecks).slice(2), ...kinds].toSorted());
  });

  it('answer each query of docs/billing.md', async () => {
    writeHistory(items);
    const text = readFileSync(join(import.meta.dirname, '../../docs/billing.md'), 'utf8');
    const queries = [...text.matchAll(/[`"](SELECT [^`"]+)[`"]/g)].map(([, sql]) => sql!);
    const books = await openAthenaBooks(directory);
    let rows = 0;
    for (const sql of queries) rows += (await books.query(sql)).length;
    expect([queries.length > 8, rows > 0]).toEqual([true, true]);
  });

  it('find no difference in books that add up', async () => {
    writeHistory(items);
    expect(await found()).toEqual({});
  });

  it('have each attribute of each kind of item', async () => {
    const values = {
      text: ({ name }: Attribute) => ({ S: `a text of ${name}` }),
      time: () => ({ S: '2026-10-29T14:10:00.000Z' }),
      flag: () => ({ BOOL: true }),
      count: () => ({ N: '7' }),
      money: () => ({ N: '0.000000000001' }),
      document: ({ name }: Attribute) => ({ M: { [name]: { L: [{ S: 'a text' }] } } }),
    };
    const shown = { flag: 'true', count: '7', money: '0.000000000001' } as const;
    const kinds = Object.entries(reviewedItems).flatMap(([view, { entities, attributes }]) =>
      entities.map((entity) => ({ view, entity, attributes })),
    );
    const itemOf = ({ entity, attributes }: (typeof kinds)[number]): Attributes => ({
      ...Object.fromEntries(attributes.map((attribute) => [attribute.name, values[attribute.form](attribute)])),
      pk: { S: entity },
      sk: { S: 'only' },
      entity: { S: entity },
    });
    writeFull(1, kinds.map(itemOf));
    const books = await openAthenaBooks(directory);
    for (const { view, entity, attributes } of kinds) {
      const columns = attributes.map(({ name }) => name);
      const [row] = await books.query(textsOf(columns, `${view} WHERE pk = '${entity}'`));
      const expected = attributes.map((attribute) => {
        const value = values[attribute.form](attribute);
        const text = 'S' in value ? value.S : JSON.stringify(value);
        if (attribute.name === 'entity') return ['entity', entity];
        return [attribute.name, attribute.form in shown ? shown[attribute.form as keyof typeof shown] : text];
      });
      expect([view, row]).toEqual([view, Object.fromEntries(expected)]);
    }
  });

  it('have the declared columns and types', async () => {
    writeHistory([]);
    const books = await openAthenaBooks(directory);
    const typesIn = { VARCHAR: 'varchar', JSON: 'varchar', BOOLEAN: 'boolean', BIGINT: 'bigint', HUGEINT: 'bigint' };
    for (const { name, columns } of athenaViews) {
      const described = await books.query(`DESCRIBE ${name}`);
      const types = described.map(({ column_name: column, column_type: type }) => [
        column,
        typesIn[type as keyof typeof typesIn] ?? String(type).toLowerCase(),
      ]);
      expect([name, types]).toEqual([name, Object.entries(columns)]);
    }
  });

  it.each([
    ['unproven', '"generation"', /("total_cost_rub":\{"N":")(\d)/],
    ['unproven', '"generation"', /("prices":\{"M":\{[^}]*"request":\{"N":"0\.0)(\d)/],
    ['drift', '"COUNTER#account', /("spent_lifetime":\{"N":")(\d)/],
    ['model_drift', '"model_month"', /("spent_day_\d\d":\{"N":")(\d)/g],
    ['day_drift', '"activity_row"', /("usage_rub":\{"N":")(\d)/],
    ['payment_drift', '"top_up"', /("amount_rub":\{"N":")(\d)/],
  ])('find one changed digit: %s by %s', async (view, kind, digit) => {
    const place = items.findIndex((item) => {
      const text = JSON.stringify(item);
      const isCharged = !/"capped":\{"BOOL":true|"tokens_prompt":\{"N":"0"/.test(text);
      return text.includes(kind) && isCharged && text.search(digit) >= 0;
    });
    const other = JSON.stringify(items[place]).replace(
      digit,
      (_, before: string, old: string) => `${before}${(Number(old) + 1) % 10}`,
    );
    writeHistory(items.with(place, JSON.parse(other) as Attributes));
    expect(Object.keys(await found())).toContain(view);
  });

  it('do not compare the first day with counts of models', async () => {
    const [first] = items.flatMap(countedDays).toSorted();
    const [month, name] = first!.split(' ') as [string, string];
    const other = items.map((item) =>
      textIn(item, 'month') === month && item[name] ? { ...item, [name]: { N: '123' } } : item,
    );
    writeHistory(other);
    expect(other).not.toEqual(items);
    expect(await found()).toEqual({});
  });

  it('do not compare rows of a day that is not completely rolled up', async () => {
    const wrong = items.map((item) =>
      textIn(item, 'entity') === 'activity_row' ? { ...item, requests: { N: '123456' } } : item,
    );
    writeHistory(wrong);
    expect(Object.keys(await found())).toEqual(['day_drift']);

    rmSync(directory, { recursive: true });
    writeHistory(
      wrong.map((item) =>
        textIn(item, 'entity') === 'activity_day'
          ? Object.fromEntries(Object.entries(item).filter(([name]) => name !== 'version_3'))
          : item,
      ),
    );
    expect(await found()).toEqual({});
  });

  it.each([
    [100, null, '0.000123456789'],
    [700, '100', '9.000000000000'],
    [701, '700', '0.000246913578'],
  ])('charge %d tokens at the highest tier that they reach', async (tokens, tier, price) => {
    const one = items.find((item) => /"final".*"min_prompt_tokens":\{"N":"700"/.test(JSON.stringify(item)))!;
    const lower = '{"M":{"min_prompt_tokens":{"N":"100"},"prompt":{"N":"9"}}}';
    const withTwo = JSON.stringify(one).replace(/"overrides":\{"L":\[([^\]]*)\]/, `"overrides":{"L":[$1,${lower}]`);
    const { rounds: _, ...alone } = JSON.parse(withTwo) as Attributes;
    writeFull(1, [{ ...alone, tokens_prompt: { N: String(tokens) } }]);
    const sql = 'SELECT CAST(tier_above_tokens AS VARCHAR) AS tier, CAST(prompt_price AS VARCHAR) AS price FROM rounds';
    expect(await asked(sql)).toEqual([{ tier, price }]);
  });

  it.each([
    ['0.123456789012', '0.123456789012'],
    ['-1234567.5', '-1234567.500000000000'],
    ['0.1234567890120', '0.123456789012'],
    ['1E-12', '0.000000000001'],
    ['1.5E-7', '0.000000150000'],
    ['1.23E+3', '1230.000000000000'],
  ])('read %s as an amount', async (digits, amount) => {
    const [row] = await asked(`SELECT CAST(${amountOf(`'${digits}'`)} AS VARCHAR) AS amount`);
    expect(row).toEqual({ amount });
  });

  it.each(['0.1234567890123', '1.234567E-7', '1E-13', '1.23456789012345E-3', 'NaN', '0x10'])(
    'refuse %s, which is not an amount with at most twelve decimal digits',
    async (digits) => {
      const first = items.find((item) => JSON.stringify(item).includes('"generation"'));
      writeFull(1, [withAmount(first!, digits)]);
      await expect(asked('SELECT total_cost_rub FROM generations')).rejects.toThrow(
        `more than twelve digits: ${digits}`,
      );
    },
  );
});

const names = async () => {
  const rows = await asked('SELECT id, name FROM accounts ORDER BY id');
  return Object.fromEntries(rows.map(({ id, name }) => [id, name])) as Record<string, string>;
};

describe('exports in Athena', () => {
  it('have a gap if an increment is missing between others', async () => {
    writeFull(5, [accountItem('a', 'old')]);
    writeIncrement(5, []);
    writeIncrement(3, [changeLine(accountItem('a', ''), 9, accountItem('a', 'new'))]);
    writeIncrement(1, []);

    expect(await asked('SELECT from_time, until_time FROM export_gaps ORDER BY from_time')).toEqual([
      { from_time: midnight(4), until_time: midnight(3) },
      { from_time: midnight(2), until_time: midnight(1) },
    ]);
  });

  it('have a gap if the first increment begins after the full export', async () => {
    writeFull(5, [accountItem('a', 'old')]);
    writeIncrement(4, []);
    expect(await asked('SELECT from_time, until_time FROM export_gaps')).toEqual([
      { from_time: midnight(5), until_time: midnight(4) },
    ]);
  });

  it('have no gap if increments overlap, or are present twice', async () => {
    writeFull(5, [accountItem('a', 'old')]);
    for (const daysAgo of [5, 5, 4, 3]) writeIncrement(daysAgo, []);
    const from = { exportFromTime: midnight(4), exportToTime: midnight(2) };
    writeExport(directory, `incremental/dt=${dateOf(midnight(4))}`, [], from);
    expect(await found()).toEqual({});
  });

  it('are reported as missing without a full export of this month', async () => {
    writeIncrement(1, [changeLine(accountItem('a', ''), 9, accountItem('a', 'new'))]);
    writeFull(70, [accountItem('a', 'old')]);
    expect(await asked('SELECT * FROM export_gaps')).toEqual([
      { says: 'no full export of this month is complete', from_time: null, until_time: null },
    ]);
    expect(await names()).toEqual({});
  });

  it('are used only after their manifests and the files of the manifests are present', async () => {
    writeFull(3, [accountItem('a', 'old'), accountItem('b', 'same')]);
    const begun = writeFull(2, [accountItem('a', 'half of it')]);
    for (const name of ['manifest-summary', 'manifest-files']) rmSync(join(begun.folder, `${name}.json`));
    const failed = writeIncrement(3, [changeLine(accountItem('b', ''), 99)]);
    rmSync(failed.folder, { recursive: true });
    writeIncrement(3, [changeLine(accountItem('a', ''), 9, accountItem('a', 'new'))]);

    expect(await names()).toEqual({ a: 'new', b: 'same' });
    expect(await found()).toEqual({});
  });

  it('are read only below the prefix of their kind', async () => {
    writeFull(3, [accountItem('a', 'old')]);
    writeIncrement(3, [changeLine(accountItem('a', ''), 9, accountItem('a', 'new'))]);
    const increment = join(directory, `incremental/dt=${dateOf(midnight(3))}`);
    mkdirSync(join(directory, `full/dt=${dateOf(midnight(2))}`), { recursive: true });
    renameSync(increment, join(directory, `full/dt=${dateOf(midnight(1))}`));
    writeIncrement(2, []);
    expect(await found()).toEqual({ export_gaps: 1 });
    expect(await names()).toEqual({ a: 'old' });
  });

  it('are reported as different if a file is missing, or has other lines than its manifest declares', async () => {
    writeFull(4, [accountItem('a', 'old')]);
    const [gone, shortened, unread, cut] = [4, 3, 2, 1].map((daysAgo) =>
      writeIncrement(daysAgo, [changeLine(accountItem('a', ''), 9, accountItem('a', 'new'))]),
    );
    rmSync(gone!.file);
    writeFileSync(shortened!.file, gzipSync(''));
    writeFileSync(unread!.file, gzipSync('{"Keys":{}}\n'));
    writeFileSync(cut!.file, gzipSync('{"Keys":{"pk":{"S":"ACCOUNT#a"}},"NewIm\n'));

    expect(await asked('SELECT item_count, items_read FROM export_drift')).toEqual(
      [0, 0, 0, 0].map((items_read) => ({ item_count: '1', items_read: String(items_read) })),
    );
  });
});
