import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeExportCommand, type ExportTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { exportDays } from '../../lambdas/books/export-days.ts';
import {
  openTableExports,
  type ExportState,
  type TableExport,
  type TableExports,
} from '../../lambdas/store/table/table-export.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { openBooks } from '../../lib/admin/books/database.ts';
import { accountItem, changeLine, writeExport } from '../support/exports.ts';
import { newTable } from '../support/table.ts';
import { keepLog, type LogLine } from '../support/log-lines.ts';

const where = { tableArn: 'arn:aws:dynamodb:eu-central-1:1:table/gateway', bucket: 'books' };

let table: Table;
let begun: string[];
/** States of exports by prefix and attempt. All other exports are complete. */
let states: Record<string, ExportState>;
let asked: string[];
beforeEach(async () => {
  table = await newTable();
  [begun, states, asked] = [[], {}, []];
});

const shown = ({ prefix, fromMs, toMs }: TableExport) =>
  `${prefix}: ${fromMs === undefined ? '' : new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}`;
const nameOf = ({ prefix, attempt }: TableExport) => `${prefix} #${attempt}`;
const refused = () => Promise.reject(new Error('refused'));
const begin = async (wanted: TableExport) => {
  begun.push(shown(wanted));
  return nameOf(wanted);
};
const stateOf = async (arn: string): Promise<ExportState> => {
  asked.push(arn);
  return states[arn] ?? { state: 'COMPLETED' };
};
/** Makes the first run, 20 minutes before `at`. The first run only records its own time. */
const seen = (at: string) => run(new Date(Date.parse(at) - 20 * 60_000).toISOString());
const run = (at: string, how: TableExports['begin'] = begin) =>
  exportDays(table, { begin: how, stateOf }, { ...where, atMs: Date.parse(at) });

const outside = () =>
  Promise.reject(Object.assign(new Error('outside of the window'), { name: 'InvalidExportTimeException' }));

describe('exports of the books', () => {
  it('start with the full table, at a time that backups of a new table have', async () => {
    await run('2026-10-29T14:10:00Z');
    await run('2026-10-29T14:29:59Z');
    expect(begun).toEqual([]);
    await run('2026-10-29T14:30:00Z');
    await run('2026-10-29T14:31:00Z');
    expect(begun).toEqual(['full/dt=2026-10-29:  to 2026-10-29T14:10:00.000Z']);
  });

  it('continue with the changes up to each midnight, and with the full table at each start of a month', async () => {
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

  it("are never shorter than DynamoDB's minimum", async () => {
    await seen('2026-10-30T00:10:00Z');
    await run('2026-10-30T00:10:00Z');
    begun = [];
    await run('2026-10-30T00:30:00Z');
    await run('2026-10-31T00:20:00Z');
    expect(begun).toEqual([
      'incremental/dt=2026-10-29: 2026-10-29T23:50:00.000Z to 2026-10-30T12:00:00.000Z',
      'incremental/dt=2026-10-30: 2026-10-30T12:00:00.000Z to 2026-10-31T00:00:00.000Z',
    ]);
  });

  it('contain the full table at each start of a month, also if the first export ended just before midnight', async () => {
    await seen('2026-10-30T00:10:00Z');
    await run('2026-10-30T00:10:00Z');
    await run('2026-11-01T00:20:00Z');
    expect(begun).toContain('full/dt=2026-11-01:  to 2026-11-01T00:00:00.000Z');
  });

  it('continue without a gap after an interrupted run', async () => {
    await seen('2026-10-29T14:30:00Z');
    await run('2026-10-29T14:30:00Z');
    await expect(run('2026-10-30T00:20:00Z', refused)).rejects.toThrow('refused');
    begun = [];
    await run('2026-10-30T00:21:00Z');
    expect(begun).toEqual(['incremental/dt=2026-10-29: 2026-10-29T14:10:00.000Z to 2026-10-30T00:00:00.000Z']);
  });

  it('start again with the full table if backups do not go back far enough', async () => {
    await seen('2026-08-01T12:00:00Z');
    await run('2026-08-01T12:00:00Z');
    begun = [];
    await run('2026-10-29T14:30:00Z');
    expect(begun).toEqual(['full/dt=2026-10-29:  to 2026-10-29T00:00:00.000Z']);
  });

  it('start again with the full table after a restore into another table', async () => {
    await seen('2026-10-29T14:30:00Z');
    await run('2026-10-29T14:30:00Z');
    await run('2026-10-30T00:20:00Z');
    [begun, asked] = [[], []];
    const restored = { ...where, tableArn: `${where.tableArn}-restored` };
    const runRestored = (at: string) => exportDays(table, { begin, stateOf }, { ...restored, atMs: Date.parse(at) });

    await runRestored('2026-10-30T14:10:00Z');
    await runRestored('2026-10-30T14:30:00Z');
    await runRestored('2026-10-31T00:20:00Z');

    // This deployment has no permission for exports of the earlier table.
    expect(asked).not.toContain('incremental/dt=2026-10-29 #1');
    expect(begun).toEqual([
      'full/dt=2026-10-30:  to 2026-10-30T14:10:00.000Z',
      'incremental/dt=2026-10-30: 2026-10-30T14:10:00.000Z to 2026-10-31T00:00:00.000Z',
    ]);
  });

  it('start again with the full table, and an alarm, if backups were switched off in between', async () => {
    const lines = keepLog();
    await seen('2026-10-29T14:30:00Z');
    await run('2026-10-29T14:30:00Z');
    begun = [];
    await run('2026-10-30T00:20:00Z', outside);
    await run('2026-10-30T00:40:00Z');

    expect(begun).toEqual(['full/dt=2026-10-30:  to 2026-10-30T00:20:00.000Z']);
    expect(lines).toMatchObject([{ message: 'export of the books failed', reason: 'InvalidExportTimeException' }]);
    vi.restoreAllMocks();
  });

  describe('that fail in DynamoDB after their start', () => {
    const first = 'incremental/dt=2026-10-29: 2026-10-29T14:10:00.000Z to 2026-10-30T00:00:00.000Z';
    const second = 'incremental/dt=2026-10-30: 2026-10-30T00:00:00.000Z to 2026-10-31T00:00:00.000Z';
    let lines: LogLine[];
    beforeEach(async () => {
      lines = keepLog();
      await seen('2026-10-29T14:30:00Z');
      await run('2026-10-29T14:30:00Z');
      await run('2026-10-30T00:20:00Z');
      [begun, asked] = [[], []];
      states['incremental/dt=2026-10-29 #1'] = { state: 'FAILED', code: 'S3NoSuchBucket' };
    });
    afterEach(() => void vi.restoreAllMocks());

    it('are reported an hour later, and started again from the same time', async () => {
      await run('2026-10-30T01:19:59Z');
      expect([begun, lines]).toEqual([[], []]);
      await run('2026-10-30T01:20:00Z');

      expect(begun).toEqual([first]);
      expect(lines).toMatchObject([
        {
          level: 'error',
          message: 'export of the books failed',
          reason: 'incremental/dt=2026-10-29: S3NoSuchBucket',
          attempt: 1,
        },
      ]);
    });

    it('are started again each hour while they fail, and no later export is started before', async () => {
      states['incremental/dt=2026-10-29 #2'] = { state: 'FAILED', code: 'S3NoSuchBucket' };
      states['incremental/dt=2026-10-29 #3'] = { state: 'IN_PROGRESS' };
      await run('2026-10-30T01:20:00Z');
      await run('2026-10-30T01:21:00Z');
      await run('2026-10-31T00:20:00Z');
      await run('2026-10-31T01:20:00Z');
      expect(begun).toEqual([first, first]);
      expect(lines.map(({ attempt }) => attempt)).toEqual([1, 2]);

      states['incremental/dt=2026-10-29 #3'] = { state: 'COMPLETED' };
      await run('2026-10-31T02:20:00Z');
      expect(begun).toEqual([first, first, second]);
    });

    it('are started again by the next run if this run is interrupted', async () => {
      await expect(run('2026-10-30T01:20:00Z', refused)).rejects.toThrow('refused');
      await run('2026-10-30T01:21:00Z');
      expect(begun).toEqual([first]);
    });

    it('are replaced by the full table if backups no longer go back to their start', async () => {
      states['incremental/dt=2026-10-29 #2'] = { state: 'FAILED', code: 'S3NoSuchBucket' };
      await run('2026-10-30T01:20:00Z');
      begun = [];
      await run('2026-12-04T01:20:00Z');
      expect(begun).toEqual(['full/dt=2026-12-04:  to 2026-12-04T00:00:00.000Z']);
    });
  });

  it('are checked once after they are complete', async () => {
    await seen('2026-10-29T14:30:00Z');
    await run('2026-10-29T14:30:00Z');
    for (const at of ['15:29:59', '15:30:00', '15:31:00', '18:00:00']) await run(`2026-10-29T${at}Z`);
    expect(asked).toEqual(['full/dt=2026-10-29 #1']);
  });

  it('are requested with the parameters that DynamoDB expects', async () => {
    const sent: object[] = [];
    const client = {
      send: async ({ input }: ExportTableToPointInTimeCommand) => {
        sent.push(input);
        return { ExportDescription: { ExportArn: `arn of ${sent.length}` } };
      },
    };
    const ask = openTableExports(client).begin;
    const toMs = Date.parse('2026-10-30T00:00:00Z');
    const fromMs = toMs - 86_400_000;
    await ask({ ...where, prefix: 'full/dt=2026-10-30', fromMs: undefined, toMs, attempt: 1 });
    await ask({ ...where, prefix: 'incremental/dt=2026-10-29', fromMs, toMs, attempt: 1 });
    const arn = await ask({ ...where, prefix: 'incremental/dt=2026-10-29', fromMs, toMs, attempt: 2 });

    expect(arn).toBe('arn of 3');
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
        ClientToken: `${fromMs}-${toMs}`,
        IncrementalExportSpecification: {
          ExportFromTime: new Date(fromMs),
          ExportToTime: new Date(toMs),
          ExportViewType: 'NEW_IMAGE',
        },
      },
      { ClientToken: `${fromMs}-${toMs}-2` },
    ]);
  });

  it.each<[object, ExportState]>([
    [{ ExportStatus: 'IN_PROGRESS' }, { state: 'IN_PROGRESS' }],
    [{ ExportStatus: 'COMPLETED' }, { state: 'COMPLETED' }],
    [
      { ExportStatus: 'FAILED', FailureCode: 'S3NoSuchBucket', FailureMessage: 'words' },
      { state: 'FAILED', code: 'S3NoSuchBucket' },
    ],
  ])('are described by DynamoDB as %o', async (ExportDescription, state) => {
    const sent: object[] = [];
    const send = async (command: DescribeExportCommand) => {
      sent.push(command);
      return { ExportDescription };
    };
    expect(await openTableExports({ send }).stateOf('arn')).toEqual(state);
    expect(sent).toEqual([expect.any(DescribeExportCommand)]);
    expect(sent).toMatchObject([{ input: { ExportArn: 'arn' } }]);
  });
});

const day = (date: string) => `2026-10-${date}T00:00:00.000Z`;

describe('exports downloaded from S3', () => {
  let directory: string;
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'gateway-exports-'))));
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const write = (prefix: string, lines: object[], times: object) => writeExport(directory, prefix, lines, times);

  it('are merged: the newest image of each item, without deleted items', async () => {
    write(
      'full/dt=2026-10-29',
      [{ Item: accountItem('a', 'old') }, { Item: accountItem('b', 'same') }, { Item: accountItem('c', 'gone') }],
      { exportTime: day('29') },
    );
    write(
      'incremental/dt=2026-10-29',
      [changeLine(accountItem('a', ''), 5, accountItem('a', 'newer')), changeLine(accountItem('c', ''), 6)],
      {
        exportFromTime: day('29'),
        exportToTime: day('30'),
      },
    );
    write('incremental/dt=2026-10-30', [changeLine(accountItem('a', ''), 9, accountItem('a', 'newest'))], {
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

  it('are refused if one is missing in between', async () => {
    write('full/dt=2026-10-29', [{ Item: accountItem('a', 'old') }], { exportTime: day('29') });
    write('incremental/dt=2026-10-30', [changeLine(accountItem('a', ''), 9, accountItem('a', 'new'))], {
      exportFromTime: day('30'),
      exportToTime: day('31'),
    });

    await expect(openBooks(directory)).rejects.toThrow(
      /contains the writes between 2026-10-29T00:00:00.000Z and 2026-10-30T00:00:00.000Z/,
    );
  });
});
