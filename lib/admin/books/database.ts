/** Opens an export of the table as a SQL database, with DuckDB in this process. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { StartFailure } from '../../shared/failure.ts';
import type { Row } from '../../shared/output.ts';
import { findExports, type FoundExport } from './manifests.ts';
import { duckdbStatements } from './duckdb.ts';
import { booksViews } from '../../shared/book-views/views.ts';

export interface Books {
  exports: FoundExport[];
  /**
   * Runs a query.
   * @throws {StartFailure} with the database's message if the query fails
   */
  query: (sql: string) => Promise<Row[]>;
  close: () => void;
}

/**
 * Opens an export, and copies it into a temporary database on disk.
 * @throws {StartFailure} if an export is missing or invalid, or DuckDB is not installed
 */
export async function openBooks(directory: string): Promise<Books> {
  const exports = findExports(directory);
  const { DuckDBInstance } = await loadDuckdb();
  const files = mkdtempSync(join(tmpdir(), 'gateway-books-'));
  const remove = () => rmSync(files, { recursive: true, force: true });
  try {
    const instance = await DuckDBInstance.create(join(files, 'books.duckdb'), {
      // DuckDB must not download extensions.
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    });
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run(itemsOf(exports)).catch((error: Error) => {
      throw new StartFailure(`The export cannot be read: ${error.message}`);
    });
    await connection.run(duckdbStatements(booksViews));
    return {
      exports,
      query: (sql) => queryRows(connection, sql),
      close: () => {
        connection.closeSync();
        instance.closeSync();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

async function loadDuckdb(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api');
  } catch {
    throw new StartFailure(
      'DuckDB is not installed. Run "npm ci", which installs it for Linux, macOS and Windows on x64 and arm64; or read the export with another installation of DuckDB.',
    );
  }
}

const READ_LINES = "format = 'newline_delimited', compression = 'gzip', maximum_object_size = 33554432";

/** Returns SQL that creates `items`, with the latest content of each item that was not deleted. */
function itemsOf([full, ...later]: FoundExport[]): string {
  const increments = later.filter(({ files }) => files.length > 0);
  const changes = exportLinesSql(increments, "{'Keys': 'JSON', 'NewImage': 'JSON', 'Metadata': 'JSON'}");
  const changed =
    increments.length === 0
      ? ''
      : `UNION ALL SELECT ${keyIn('Keys')}, NewImage,
    CAST(coalesce(Metadata->>'$.WriteTimestampMicros.N', Metadata->>'$.WriteTimestampMicros') AS BIGINT) FROM ${changes}`;
  const newest =
    increments.length === 0 ? '' : 'QUALIFY row_number() OVER (PARTITION BY pk, sk ORDER BY written_at DESC) = 1';
  return `
CREATE TABLE items AS
WITH images AS (
  SELECT ${keyIn('Item')}, Item AS item, 0 AS written_at FROM ${exportLinesSql([full!], "{'Item': 'JSON'}")} ${changed}
), newest AS (SELECT * FROM images ${newest})
SELECT pk, sk, (item->>'$.entity.S') AS entity, item FROM newest WHERE item IS NOT NULL;`;
}

function keyIn(map: string): string {
  return `(${map}->>'$.pk.S') AS pk, (${map}->>'$.sk.S') AS sk`;
}

function exportLinesSql(exports: FoundExport[], columns: string): string {
  const paths = exports.flatMap(({ files }) => files.map(({ path }) => `'${path.replaceAll("'", "''")}'`));
  if (paths.length === 0) return `(SELECT unnest(CAST([] AS JSON[])) AS Item)`;
  return `read_json([${paths.join(', ')}], ${READ_LINES}, columns = ${columns})`;
}

async function queryRows(connection: DuckDBConnection, sql: string): Promise<Row[]> {
  let reader;
  try {
    reader = await connection.runAndReadAll(sql);
  } catch (error) {
    throw new StartFailure((error as Error).message);
  }
  const names = reader.deduplicatedColumnNames();
  const types = reader.columnTypes().map(String);
  // JavaScript numbers would round amounts, so they stay strings.
  const rows = reader.getRowsJson();
  return rows.map((row) =>
    Object.fromEntries(names.map((name, index) => [name, duckdbValue(row[index], types[index]!)])),
  );
}

/**
 * Converts a value of a result. Amounts lose their trailing zeros, and whole numbers become JavaScript numbers unless
 * they are too large.
 */
function duckdbValue(value: unknown, type: string): unknown {
  if (typeof value !== 'string') return value;
  if (type.startsWith('DECIMAL')) return value.includes('.') ? value.replace(/\.?0+$/, '') : value;
  return /^(BIGINT|HUGEINT)$/.test(type) && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
