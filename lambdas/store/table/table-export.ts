/** Exports of the whole table to S3, which DynamoDB makes by itself from its backups: no read units, and no item passes here. */

import { DescribeExportCommand, DynamoDBClient, ExportTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { sdkSettings } from '../../platform/aws/sdk.ts';
import { readItem } from './query.ts';
import { count, instant, list, optional, record, text, type RecordOf } from './record.ts';
import type { Table } from './table.ts';
import { writeAlone } from './transact.ts';
import { put } from './writes.ts';

/** What to export, and where to; instants are epoch milliseconds. */
export interface TableExport {
  tableArn: string;
  bucket: string;
  /** A folder of its own: increments would otherwise share one. */
  prefix: string;
  /** All items as of `toMs`, or without `fromMs`; with it, the new images of those that changed between the two. */
  fromMs: number | undefined;
  toMs: number;
  /** From 1 on: DynamoDB answers a token that it knows with the export that has failed. */
  attempt: number;
}

/** How an export goes; one that failed says why, in DynamoDB's own code. */
export type ExportState = { state: 'IN_PROGRESS' | 'COMPLETED' } | { state: 'FAILED'; code: string };

export interface TableExports {
  /** Begins an export; the same attempt is begun once, however often it is asked for within eight hours. @returns its ARN */
  begin: (wanted: TableExport) => Promise<string>;
  stateOf: (arn: string) => Promise<ExportState>;
}

export function openTableExports(client: Pick<DynamoDBClient, 'send'> = new DynamoDBClient(sdkSettings)): TableExports {
  return {
    async begin(wanted) {
      const { ExportDescription: begun } = await client.send(new ExportTableToPointInTimeCommand(inputOf(wanted)));
      return begun!.ExportArn!;
    },
    async stateOf(arn) {
      const { ExportDescription: described } = await client.send(new DescribeExportCommand({ ExportArn: arn }));
      const { ExportStatus: state, FailureCode: code = 'no code' } = described!;
      return state === 'FAILED' ? { state, code } : { state: state! };
    },
  };
}

function inputOf({ tableArn, bucket, prefix, fromMs, toMs, attempt }: TableExport) {
  const to = new Date(toMs);
  const token = `${fromMs ?? 'full'}-${toMs}`;
  const kind =
    fromMs === undefined
      ? ({ ExportType: 'FULL_EXPORT', ExportTime: to } as const)
      : ({
          ExportType: 'INCREMENTAL_EXPORT',
          IncrementalExportSpecification: {
            ExportFromTime: new Date(fromMs),
            ExportToTime: to,
            ExportViewType: 'NEW_IMAGE',
          },
        } as const);
  return {
    TableArn: tableArn,
    S3Bucket: bucket,
    S3Prefix: prefix,
    S3SseAlgorithm: 'AES256',
    ExportFormat: 'DYNAMODB_JSON',
    ClientToken: attempt === 1 ? token : `${token}-${attempt}`,
    ...kind,
  } as const;
}

const PROGRESS_KEY = { pk: 'ACTIVITY', sk: 'EXPORTED' };

const begunExportRecord = record({
  arn: text('arn'),
  prefix: text('prefix'),
  fromMs: optional(instant('from')),
  toMs: instant('to'),
  attempt: count('attempt'),
  /** Before that, nobody asks how it goes. */
  lookAtMs: instant('look_at'),
});
/** An export that was begun, and was not seen to be complete. */
export type BegunExport = RecordOf<typeof begunExportRecord>;

/** More than are begun for all the days that backups go back. */
const MAX_BEGUN_EXPORTS = 100;

const progressRecord = record({
  /** When the first run looked at the table: it was there by then. */
  firstSeenMs: instant('first_seen'),
  /** Up to when everything is in an export that was begun; undefined before the first. */
  untilMs: optional(instant('exported_until')),
  begun: list('begun', begunExportRecord, MAX_BEGUN_EXPORTS),
});
/** How far exports have come; instants are epoch milliseconds. */
export type ExportProgress = RecordOf<typeof progressRecord>;

/** @returns undefined before the first run */
export async function readExportProgress(table: Table): Promise<ExportProgress | undefined> {
  const item = await readItem(table, PROGRESS_KEY);
  return item && progressRecord.from(item);
}

export async function saveExportProgress(table: Table, progress: ExportProgress): Promise<void> {
  const item = { ...PROGRESS_KEY, entity: 'activity_progress', ...progressRecord.toItem(progress) };
  await writeAlone(table, put(table, item));
}
