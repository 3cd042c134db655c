import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ExportTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportDays } from '../../lambdas/books/export-days.ts';
import { openTableExport, type TableExport } from '../../lambdas/store/table-export.ts';
import type { Table } from '../../lambdas/store/table.ts';
import { openBooks } from '../../lib/admin/books/database.ts';
import { newTable } from '../support/table.ts';

const where = { tableArn: 'arn:aws:dynamodb:eu-central-1:1:table/gateway', bucket: 'books' };

let table: Table;
let begun: string[];
beforeEach(async () => {
  table = await newTable();
  begun = [];
});

const shown = ({ prefix, fromMs, toMs }: TableExport) =>
  `${prefix}: ${fromMs === undefined ? '' : new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}`;
const refused = () => Promise.reject(new Error('refused'));
const begin = async (wanted: TableExport) => void begun.push(shown(wanted));
/** The first run of all, twenty minutes before: it only looks. */
const seen = (at: string) => run(new Date(Date.parse(at) - 20 * 60_000).toISOString());
const run = (at: string, how = begin) => exportDays(table, how, { ...where, atMs: Date.parse(at) });

describe('exports of the books', () => {
  it('begin with all of the table, as of a moment that backups of a new table have', async () => {
    await run('2026-10-29T14:10:00Z');
    await run('2026-10-29T14:29:59Z');
    expect(begun).toEqual([]);
    await run('2026-10-29T14:30:00Z');
    await run('2026-10-29T14:31:00Z');
    expect(begun).toEqual(['full/dt=2026-10-29:  to 2026-10-29T14:10:00.000Z']);
  });

  it('go on with what has changed, up to each midnight, and all of it at each beginning of a month', async () => {
    await seen('2026-10-29T14:30:00Z');
    await run('2026-10-29T14:30:00Z');
    begun = [];

    await run('2026-10-30T00:19:59Z');
    expect(begun).toEqual([]);
    await run('2026-10-30T00:20:00Z');
    await run('2026-10-30T00:21:00Z');
    await run('2026-11-01T00:20:00Z');

    expect(begun).toEqual([
      'incremental/dt=2026-10-29: 2026-10-29T14:10:00.000Z to 2026-10-30T00:00:00.000Z',
      'incremental/dt=2026-10-30: 2026-10-30T00:00:00.000Z to 2026-10-31T00:00:00.000Z',
      'incremental/dt=2026-10-31: 2026-10-31T00:00:00.000Z to 2026-11-01T00:00:00.000Z',
      'full/dt=2026-11-01:  to 2026-11-01T00:00:00.000Z',
    ]);
  });

  it('are never shorter than DynamoDB takes them', async () => {
    await seen('2026-10-30T00:10:00Z');
    await run('2026-10-30T00:10:00Z');
    begun = [];
    await run('2026-10-30T00:30:00Z');
    await run('2026-10-31T00:20:00Z');
    expect(begun).toEqual(['incremental/dt=2026-10-29: 2026-10-29T23:50:00.000Z to 2026-10-30T23:50:00.000Z']);
  });

  it('are begun again where a run broke off, with no gap', async () => {
    await seen('2026-10-29T14:30:00Z');
    await run('2026-10-29T14:30:00Z');
    await expect(run('2026-10-30T00:20:00Z', refused)).rejects.toThrow('refused');
    begun = [];
    await run('2026-10-30T00:21:00Z');
    expect(begun).toEqual(['incremental/dt=2026-10-29: 2026-10-29T14:10:00.000Z to 2026-10-30T00:00:00.000Z']);
  });

  it('begin anew where backups do not go back far enough', async () => {
    await seen('2026-08-01T12:00:00Z');
    await run('2026-08-01T12:00:00Z');
    begun = [];
    await run('2026-10-29T14:30:00Z');
    expect(begun).toEqual(['full/dt=2026-10-29:  to 2026-10-29T14:10:00.000Z']);
  });

  it('are asked for as DynamoDB wants it', async () => {
    const sent: object[] = [];
    const client = { send: async ({ input }: ExportTableToPointInTimeCommand) => void sent.push(input) };
    const ask = openTableExport(client);
    const toMs = Date.parse('2026-10-30T00:00:00Z');
    await ask({ ...where, prefix: 'full/dt=2026-10-30', fromMs: undefined, toMs });
    await ask({ ...where, prefix: 'incremental/dt=2026-10-29', fromMs: toMs - 86_400_000, toMs });

    expect(sent).toMatchObject([
      {
        TableArn: where.tableArn,
        S3Bucket: 'books',
        ExportType: 'FULL_EXPORT',
        ExportTime: new Date(toMs),
        ClientToken: `full-${toMs}`,
      },
      {
        S3Prefix: 'incremental/dt=2026-10-29',
        ExportFormat: 'DYNAMODB_JSON',
        ExportType: 'INCREMENTAL_EXPORT',
        IncrementalExportSpecification: {
          ExportFromTime: new Date(toMs - 86_400_000),
          ExportToTime: new Date(toMs),
          ExportViewType: 'NEW_IMAGE',
        },
      },
    ]);
  });
});

const item = (id: string, name: string) => ({
  pk: { S: `ACCOUNT#${id}` },
  sk: { S: 'ACCOUNT' },
  entity: { S: 'account' },
  id: { S: id },
  name: { S: name },
});
const change = (id: string, micros: number, image?: object) => ({
  Metadata: { WriteTimestampMicros: { N: String(micros) } },
  Keys: { pk: { S: `ACCOUNT#${id}` }, sk: { S: 'ACCOUNT' } },
  ...(image ? { NewImage: image } : {}),
});

const day = (date: string) => `2026-10-${date}T00:00:00.000Z`;

describe('exports that were fetched from S3', () => {
  let directory: string;
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'gateway-exports-'))));
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** As DynamoDB leaves it below the prefix; the data of increments is beside their folders. */
  function write(prefix: string, lines: object[], times: object): void {
    const isFull = 'exportTime' in times;
    const root = join(directory, prefix, 'AWSDynamoDB');
    const id = `0179542174907${String(Math.random()).slice(2, 3)}-${prefix.length}`;
    const data = isFull ? join(root, id, 'data') : join(root, 'data');
    mkdirSync(data, { recursive: true });
    mkdirSync(join(root, id), { recursive: true });
    const bytes = gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    writeFileSync(join(data, 'part.json.gz'), bytes);
    const key = isFull ? `${prefix}/AWSDynamoDB/${id}/data/part.json.gz` : `${prefix}/AWSDynamoDB/data/part.json.gz`;
    const md5Checksum = createHash('md5').update(bytes).digest('base64');
    writeFileSync(
      join(root, id, 'manifest-files.json'),
      `${JSON.stringify({ itemCount: lines.length, md5Checksum, etag: 'x-1', dataFileS3Key: key })}\n`,
    );
    const summary = { version: '2020-06-30', itemCount: lines.length, outputFormat: 'DYNAMODB_JSON', ...times };
    writeFileSync(join(root, id, 'manifest-summary.json'), JSON.stringify(summary));
  }

  it('are put together: the newest image of each item, without those that were deleted', async () => {
    write(
      'full/dt=2026-10-29',
      [{ Item: item('a', 'old') }, { Item: item('b', 'same') }, { Item: item('c', 'gone') }],
      { exportTime: day('29') },
    );
    write('incremental/dt=2026-10-29', [change('a', 5, item('a', 'newer')), change('c', 6)], {
      exportFromTime: day('29'),
      exportToTime: day('30'),
    });
    write('incremental/dt=2026-10-30', [change('a', 9, item('a', 'newest'))], {
      exportFromTime: day('30'),
      exportToTime: day('31'),
    });

    const books = await openBooks(directory);
    const rows = await books.query('SELECT id, name FROM accounts ORDER BY id');
    books.close();
    expect(rows).toEqual([
      { id: 'a', name: 'newest' },
      { id: 'b', name: 'same' },
    ]);
  });

  it('are refused where one is missing between them', async () => {
    write('full/dt=2026-10-29', [{ Item: item('a', 'old') }], { exportTime: day('29') });
    write('incremental/dt=2026-10-30', [change('a', 9, item('a', 'new'))], {
      exportFromTime: day('30'),
      exportToTime: day('31'),
    });

    await expect(openBooks(directory)).rejects.toThrow(
      /between 2026-10-29T00:00:00.000Z and 2026-10-30T00:00:00.000Z is in no export/,
    );
  });
});
