/** Exports of a table as DynamoDB writes them and as Amazon Athena reads them. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { onceOpen } from '../../lambdas/platform/concurrency/once.ts';
import { duckdbStatements } from '../../lib/admin/books/duckdb.ts';
import { athenaViews } from '../../lib/shared/book-views/views.ts';

export type Attributes = Record<string, object>;

export const accountItem = (id: string, name: string): Attributes => ({
  pk: { S: `ACCOUNT#${id}` },
  sk: { S: 'ACCOUNT' },
  entity: { S: 'account' },
  id: { S: id },
  name: { S: name },
});

/** Line of an incremental export; without an image, the item was deleted. */
export const changeLine = (keys: Attributes, micros: number, image?: Attributes) => ({
  Metadata: { WriteTimestampMicros: { N: String(micros) } },
  Keys: { pk: keys['pk'], sk: keys['sk'] },
  ...(image ? { NewImage: image } : {}),
});

let exports = 0;

/**
 * Writes an export under a prefix of the bucket.
 * @param times times for the manifest; with `exportTime`, the export is a full export
 * @returns the folder of the manifests, the folder of the data, and the data file
 */
export function writeExport(directory: string, prefix: string, lines: readonly object[], times: object) {
  const isFull = 'exportTime' in times;
  const root = join(directory, prefix, 'AWSDynamoDB');
  exports += 1;
  const id = `0179542174${String(exports).padStart(4, '0')}-1a2b3c4d`;
  const [folder, data] = [join(root, id), isFull ? join(root, id, 'data') : join(root, 'data')];
  for (const made of [folder, data]) mkdirSync(made, { recursive: true });
  const name = `${createHash('md5').update(id).digest('hex').slice(0, 26)}.json.gz`;
  const bytes = gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  writeFileSync(join(folder, '_started'), '');
  writeFileSync(join(data, name), bytes);
  const key = `${prefix}/AWSDynamoDB/${isFull ? `${id}/` : ''}data/${name}`;
  const md5Checksum = createHash('md5').update(bytes).digest('base64');
  const file = { itemCount: lines.length, md5Checksum, etag: 'x-1', dataFileS3Key: key };
  const version = isFull ? '2020-06-30' : '2023-08-01';
  const summary = { version, ...times, itemCount: lines.length, outputFormat: 'DYNAMODB_JSON' };
  for (const [manifest, text] of [
    ['manifest-files', `${JSON.stringify(file)}\n`],
    ['manifest-summary', JSON.stringify(summary)],
  ] as const) {
    writeFileSync(join(folder, `${manifest}.json`), text);
    writeFileSync(join(folder, `${manifest}.md5`), createHash('md5').update(text).digest('base64'));
  }
  return { folder, data, file: join(data, name) };
}

/** Views of Athena in DuckDB, with their original SQL. */
export interface AthenaBooks {
  /**
   * Runs a query. Amounts are texts with all trailing zeros.
   * @throws {Error} with DuckDB's message
   */
  query: (sql: string) => Promise<Record<string, unknown>[]>;
}

/**
 * Opens a database with the views. Creating them takes as long as the queries of a test, so a process has one database.
 */
const openDatabase = onceOpen(async () => {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run('CREATE TABLE lines (line VARCHAR, "$path" VARCHAR, kind VARCHAR, dt VARCHAR)');
  await connection.run(duckdbStatements(athenaViews));
  return connection;
});

/**
 * Reads the bucket as Hive's text format does: one text per line, with the path of its file, without files whose names
 * begin with an underscore. For invalid JSON, Trino returns nothing, but DuckDB fails, so such a line is stored as a
 * JSON string. Books that were opened earlier read the new bucket, too.
 */
export async function openAthenaBooks(directory: string): Promise<AthenaBooks> {
  const connection = await openDatabase();
  await connection.run('DELETE FROM lines');
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const [, kind, dt] = /^(full|incremental)\/dt=([\d-]+)\/.*\.(?:json|gz|md5)$/.exec(path) ?? [];
    if (kind === undefined || basename(path).startsWith('_')) continue;
    const file = relative(process.cwd(), join(directory, path));
    await connection.run(`INSERT INTO lines SELECT CASE WHEN json_valid(line) THEN line ELSE CAST(to_json(line) AS VARCHAR) END, 's3://books/${path}', '${kind}', '${dt}' FROM
      read_csv('${file}', columns = {'line': 'VARCHAR'}, delim = '\u0001', quote = '', escape = '', header = false, auto_detect = false, max_line_size = 33554432)`);
  }
  return {
    async query(sql) {
      return (await connection.runAndReadAll(sql)).getRowObjectsJson();
    },
  };
}
