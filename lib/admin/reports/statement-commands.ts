import { Option, type Command } from 'commander';
import { Names } from '../../../lambdas/books/names.ts';
import { isTag, SpendingTable, type Dimension } from '../../../lambdas/books/spending.ts';
import { isProven, readStatement, type Statement } from '../../../lambdas/books/statement.ts';
import type { RecordFilter } from '../../../lambdas/books/records.ts';
import { findWorkspace } from '../../../lambdas/management/workspaces.ts';
import { valueInReport } from '../../../lambdas/books/tag-values.ts';
import type { RequestTags } from '../../../lambdas/store/generations/request-tags.ts';
import { readAccount } from '../../../lambdas/store/accounts/accounts.ts';
import { namedKeys } from '../accounts/named-key.ts';
import { table as asTable, type Row } from '../../shared/output.ts';
import { locales, type Locale } from '../../../lambdas/books/csv.ts';
import { csvText, type WrittenFile } from './csv.ts';
import { proofText } from './proof-text.ts';
import { writeStatementFiles } from './statement-files.ts';
import { spendingRows } from './spending-rows.ts';
import { dimensionColumns, namedCells, shortSumColumns, sumCells } from './spending-table.ts';
import { statementJson } from './statement-json.ts';
import { statementPage } from './statement-page.ts';
import { showProgress } from '../command-line/progress.ts';
import { byOptionWithTags, periodOption, withPeriodOptions, type PeriodOptions } from './report-options.ts';
import { parseTag } from '../accounts/key-tags.ts';
import { endWithVerdict } from '../command-line/reported-difference.ts';
import { withAccount, type Session } from '../session/session.ts';

const formats = ['table', 'csv', 'json', 'html'] as const;
type Format = (typeof formats)[number];

interface StatementOptions extends PeriodOptions {
  by: Dimension[];
  key?: string;
  member?: string;
  workspace?: string;
  model?: string;
  tag?: RequestTags;
  format?: Format;
  files?: string;
  locale: Locale;
  issuer: string;
}

export function addStatementCommand(program: Command): void {
  const command = program
    .command('statement')
    .description(
      'print the spending of the account in a period, by any dimensions, with a proof; as a table, a page, or files',
    );
  withPeriodOptions(command)
    .addOption(byOptionWithTags(['day']))
    .option('--key <name, label or hash>', 'only this key')
    .option('--member <id>', 'only this member')
    .option('--workspace <id or slug>', 'only this workspace')
    .option('--model <id>', 'only this model')
    .option('--tag <name=value>', 'only requests with this tag; several filters are combined (AND)', parseTag)
    .addOption(new Option('--format <format>', 'default: table; json with --json').choices([...formats]))
    .option('--files <dir>', 'write all files to this directory: generations, days, payments, prices, FOCUS, statement')
    .addOption(
      new Option('--locale <locale>', 'number format of CSV files: ru uses decimal commas and semicolons')
        .choices([...locales])
        .default('plain'),
    )
    .option('--issuer <name>', 'issuer of the invoice, for FOCUS', 'Model gateway')
    .action((options: StatementOptions, run: Command) =>
      withAccount(run, (session, isJson) => printStatement(session, options, isJson)),
    );
}

async function printStatement(session: Session, options: StatementOptions, isJson: boolean): Promise<void> {
  const { table, accountId } = session;
  const names = new Names(table, accountId);
  const account = (await readAccount(table, accountId))!;
  const question = {
    account,
    period: periodOption(options),
    by: options.by,
    filter: await filterOf(session, names, options),
    only: statementFilterWords(options),
  };
  const progress = showProgress('read', question.period.days.length);
  let statement: Statement;
  if (options.files === undefined) {
    const byDay = new SpendingTable(['day']);
    statement = await readStatement(table, question, {
      progress,
      booked: ({ generation, day }) => byDay.add(generation, day),
    });
    const format = options.format ?? (isJson ? 'json' : 'table');
    process.stdout.write(await statementFormatters[format](statement, names, { byDay, locale: options.locale }));
  } else {
    const { files: directory, locale, issuer } = options;
    const written = await writeStatementFiles(table, question, { directory, locale, issuer, progress });
    statement = written.statement;
    process.stdout.write(isJson ? filesJson(statement, written.files) : filesTable(statement, written.files));
  }
  for (const tag of unusedTags(statement))
    process.stderr.write(`None of these requests, and none of their keys, has the tag "${tag}". Check its spelling.\n`);
  // The key may be misspelled: `namedKeys` throws if the account has no such key.
  if (options.key !== undefined && statement.records === 0) await namedKeys(session, options.key);
  endWithVerdict(isProven(statement));
}

async function filterOf(
  { table, accountId }: Session,
  names: Names,
  { key, member, workspace, model, tag }: StatementOptions,
): Promise<RecordFilter> {
  return {
    isKey: key === undefined ? undefined : (hash) => isSelectedKey(names, hash, key),
    hasTags: tag && (async (recorded, hash) => isTagged(tag, recorded, (await names.key(hash)).tags)),
    memberId: member,
    workspaceId: workspace === undefined ? undefined : (await findWorkspace(table, accountId, workspace)).id,
    model,
  };
}

const HASH_OR_PREFIX = /^[0-9a-f]{4,64}$/;

/** Returns whether `named` is the name, label, or beginning of the hash of a key, which may be deleted. */
async function isSelectedKey(names: Names, hash: string, named: string): Promise<boolean> {
  const { name, label } = await names.key(hash);
  return name === named || label === named || (HASH_OR_PREFIX.test(named) && hash.startsWith(named));
}

function isTagged(wanted: RequestTags, recorded: RequestTags | undefined, ofKey: RequestTags): boolean {
  return Object.entries(wanted).every(([name, value]) => valueInReport(name, recorded, ofKey) === value);
}

function statementFilterWords({ key, member, workspace, model, tag = {} }: StatementOptions): string[] {
  const named = { key, member, workspace, model };
  return [
    ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`])),
    ...Object.entries(tag).map((one) => `tag ${one.join('=')}`),
  ];
}

/** Returns the tags in --by that no row has. */
function unusedTags({ by, rows }: Statement): string[] {
  return by.flatMap((dimension, index) =>
    isTag(dimension) && rows.length > 0 && rows.every(({ values }) => values[index] === '')
      ? [dimension.slice('tag:'.length)]
      : [],
  );
}

interface StatementFormatOptions {
  byDay: SpendingTable;
  locale: Locale;
}

const statementFormatters: Record<
  Format,
  (statement: Statement, names: Names, more: StatementFormatOptions) => Promise<string>
> = {
  table: async (statement, names) => {
    const { by, rows, total } = statement;
    const columns = [...by.flatMap((dimension) => dimensionColumns(dimension).slice(0, 1)), ...shortSumColumns];
    const lines: Row[] = [];
    for (const row of rows) {
      // The printed table has names without ids.
      const cells: unknown[] = [];
      for (const [index, dimension] of by.entries()) {
        const [name] = await namedCells({ ...row, values: [row.values[index]!] }, [dimension], names);
        cells.push(name === '' ? null : name);
      }
      lines.push(statementTableRow(columns, [...cells, ...sumCells(row).map(String)]));
    }
    const nothing = by.map((_, index) => (index === 0 ? 'total' : null));
    lines.push(statementTableRow(columns, [...nothing, ...sumCells(total).map(String)]));
    return `${asTable(lines)}\n${proofText(statement)}\n`;
  },
  csv: (statement, names, { locale }) =>
    csvText(
      spendingRows({ rows: () => statement.rows, total: statement.total }, statement.by, { statement, names }),
      locale,
    ),
  json: async (statement, names) => `${JSON.stringify(await statementJson(statement, names), null, 2)}\n`,
  html: (statement, names, { byDay }) => statementPage(statement, names, byDay.rows()),
};

function statementTableRow(columns: readonly string[], cells: readonly unknown[]): Row {
  return Object.fromEntries(columns.map((name, index) => [name, cells[index]]));
}

function filesTable(statement: Statement, files: WrittenFile[]): string {
  return `${asTable(files.map((file): Row => ({ ...file })))}\n${statement.total.usage} RUB. ${proofText(statement)}\n`;
}

function filesJson(statement: Statement, files: WrittenFile[]): string {
  const { total, proofs } = statement;
  return `${JSON.stringify({ files, usage_rub: total.usage.toString(), proven: isProven(statement), proofs }, null, 2)}\n`;
}
