import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Names } from '../../../lambdas/books/names.ts';
import { SpendingTable, type Dimension } from '../../../lambdas/books/spending.ts';
import {
  readStatement,
  type BookedGeneration,
  type Statement,
  type StatementQuestion,
} from '../../../lambdas/books/statement.ts';
import { readTagSettings } from '../../../lambdas/store/accounts/account-tags.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import type { CsvRow, Locale } from '../../../lambdas/books/csv.ts';
import { CsvFile, writeText, type WrittenFile } from './csv.ts';
import { focusMetadata, focusRows } from './focus-rows.ts';
import { generationCsvColumns, generationRows, generationTotalRow } from './generation-rows.ts';
import { ledgerRows } from './ledger-rows.ts';
import { priceRows } from './price-rows.ts';
import { spendingRows } from './spending-rows.ts';
import { statementJson } from './statement-json.ts';
import { statementPage } from './statement-page.ts';
import { UnitTotals } from './unit-totals.ts';

export interface StatementFilesOptions {
  directory: string;
  locale: Locale;
  issuer: string;
  progress: (date: string) => void;
}

const dayDimensions: readonly Dimension[] = ['day', 'workspace', 'key', 'member', 'model', 'endpoint', 'provider'];

/** Sums that the files need in addition to the statement. */
class ReportSums {
  readonly days = new SpendingTable(dayDimensions);
  readonly byDay = new SpendingTable(['day']);
  readonly units: UnitTotals;
  lines = Money.zero;
  cuts = Money.zero;

  constructor(reportedTags: readonly string[]) {
    this.units = new UnitTotals(reportedTags);
  }

  add(booked: BookedGeneration): void {
    this.days.add(booked.generation, booked.day);
    this.byDay.add(booked.generation, booked.day);
    this.units.add(booked);
    for (const { cost, cut } of booked.lines) {
      this.lines = this.lines.plus(cost);
      this.cuts = this.cuts.plus(cut);
    }
  }
}

/**
 * Writes all files of a statement into a directory, and overwrites existing files.
 *
 * Guarantee: the same statement, names, reported tags, locale and issuer produce the same bytes. The rows of
 * generations.csv are not kept in memory.
 */
export async function writeStatementFiles(
  table: Table,
  question: StatementQuestion,
  { directory, locale, issuer, progress }: StatementFilesOptions,
): Promise<{ statement: Statement; files: WrittenFile[] }> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { account, period } = question;
  const names = new Names(table, account.id);
  const sums = new ReportSums((await readTagSettings(table, account.id)).reported);
  const generations = new CsvFile(directory, 'generations.csv', locale);
  await generations.write(generationCsvColumns);
  const statement = await readStatement(table, question, {
    progress,
    booked: async (booked) => {
      sums.add(booked);
      for (const row of await generationRows(booked, names, period.zone)) await generations.write(row);
    },
  });
  await generations.write(generationTotalRow(statement, sums));
  const write = async (name: string, rows: Iterable<CsvRow> | AsyncIterable<CsvRow>, in_ = locale) => {
    const file = new CsvFile(directory, name, in_);
    for await (const row of rows) await file.write(row);
    return file.end();
  };
  const units = sums.units.all();
  const known = { statement, names };
  const ofStatement = { rows: () => statement.rows, total: statement.total };
  const json = `${JSON.stringify(await statementJson(statement, names), null, 2)}\n`;
  const files = [
    await generations.end(),
    await write('days.csv', spendingRows(sums.days, dayDimensions, known)),
    // The ledger covers the whole account, so a filtered statement has none.
    ...(statement.only.length === 0 ? [await write('ledger.csv', ledgerRows(statement))] : []),
    await write('prices.csv', priceRows(units)),
    // Programs read the FOCUS file, so the locale does not apply.
    await write('focus.csv', focusRows(units, { account, period, names, issuer }), 'plain'),
    writeText(join(directory, 'focus-metadata.json'), `${JSON.stringify(focusMetadata(statement), null, 2)}\n`),
    await write('statement.csv', spendingRows(ofStatement, statement.by, known)),
    writeText(join(directory, 'statement.json'), json),
    writeText(join(directory, 'statement.html'), await statementPage(statement, names, sums.byDay.rows())),
  ];
  return { statement, files };
}
