import { Argument, type Command } from 'commander';
import { StartFailure } from '../../shared/failure.ts';
import { openBooks, type Books } from './database.ts';
import { exportTable } from './export-table.ts';
import { alteredFiles } from './manifests.ts';
import { restoreTable } from './restore-table.ts';
import { checkedViews, viewNames } from '../../shared/book-views/views.ts';
import { print, table as asTable, type Row } from '../../shared/output.ts';
import { endWithVerdict } from '../command-line/reported-difference.ts';
import { onTable, type TableSession } from '../session/session.ts';

export function addBooksCommands(program: Command): void {
  program
    .command('export')
    .description('write the whole table to files, in the format of DynamoDB exports to S3')
    .addArgument(new Argument('<dir>', 'target directory; earlier exports in it stay'))
    .action((directory: string, given: object, command: Command) =>
      onTable((session) => exportLocalTable(session, directory))(given, command),
    );
  program
    .command('restore')
    .description(
      'restore an export into an empty local table; on AWS, restore a backup instead (docs/operations/restore.md)',
    )
    .addArgument(new Argument('<dir>', 'directory with the files of "export" or of an export to S3'))
    .action((directory: string, given: object, command: Command) =>
      onTable((session) => restore(session, directory), { mayCreate: true, restores: true })(given, command),
    );
  program
    .command('books')
    .description('check an export of the table, or query it in SQL (DuckDB); needs no gateway')
    .addArgument(new Argument('<dir>', 'directory with the files of "export" or of an export to S3'))
    .addArgument(new Argument('[sql]', `a query; views: ${viewNames.join(', ')}`))
    .action((directory: string, sql: string | undefined, _: object, command: Command) =>
      queryOrCheckBooks(directory, sql, command.optsWithGlobals<{ json: boolean }>().json),
    );
}

const REPORT_EVERY = 10_000;

function itemsShown(verb: string): (items: number) => void {
  let reported = 0;
  return (items) => {
    if (!process.stderr.isTTY || items < reported + REPORT_EVERY) return;
    reported = items;
    process.stderr.write(`\r\u001B[K${items} items ${verb}\n`);
  };
}

async function exportLocalTable({ table, local }: TableSession, directory: string): Promise<Row> {
  if (!local) {
    throw new StartFailure(
      'A table on AWS is exported each night. Download the export with "aws s3 sync" from the bucket in the output BooksBucketName. See docs/billing.md.',
    );
  }
  const exported = await exportTable(table, directory, itemsShown('written'));
  return { ...exported };
}

async function restore({ table, local }: TableSession, directory: string): Promise<Row> {
  if (!local) {
    throw new StartFailure(
      'Restore a table on AWS from its backups into a new table, and set gateway:tableName to its name. See docs/operations/restore.md.',
    );
  }
  const restored = await restoreTable(table, directory, itemsShown('restored'));
  return { ...restored };
}

/** Prints the result of the query, or checks the books if there is no query. */
async function queryOrCheckBooks(directory: string, sql: string | undefined, isJson: boolean): Promise<void> {
  const books = await openBooks(directory);
  try {
    if (sql !== undefined) {
      print(await books.query(sql), isJson);
      return;
    }
    const { checks, isSound } = await check(books);
    if (isJson) print({ directory, sound: isSound, checks }, true);
    else
      process.stdout.write(
        `${asTable(checks)}\n${isSound ? 'The books are correct.' : 'The books are NOT correct.'}\n`,
      );
    endWithVerdict(isSound);
  } finally {
    books.close();
  }
}

async function check(books: Books): Promise<{ checks: Row[]; isSound: boolean }> {
  const { exports } = books;
  const altered = await alteredFiles(exports);
  const checks: Row[] = [
    {
      check: 'files',
      found: altered.length,
      means: 'a file that differs from the manifest',
      first: altered[0] ?? null,
    },
  ];
  const counted = exports.length === 1 ? await books.query('SELECT count(*) AS items FROM items') : [];
  const missing = counted.length === 0 ? 0 : Math.abs(exports[0]!.itemCount - Number(counted[0]!['items']));
  checks.push({ check: 'items', found: missing, means: 'more or fewer items than in the manifest', first: null });
  for (const [view, means] of Object.entries(checkedViews)) {
    const found = await books.query(`SELECT * FROM ${view} ORDER BY ALL`);
    checks.push({ check: view, found: found.length, means, first: found[0] ?? null });
  }
  return { checks, isSound: checks.every(({ found }) => found === 0) };
}
