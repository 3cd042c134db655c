/** Exports of the table, or of its changes, to S3. DynamoDB creates them from its backups, without read units. */

import { DescribeExportCommand, DynamoDBClient, ExportTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { sdkSettings } from '../../platform/aws/sdk.ts';
import { readItem } from './query.ts';
import { count, instant, list, optional, record, text, type RecordOf } from './record.ts';
import type { Table } from './table.ts';
import { writeAlone } from './transact.ts';
import { put } from './writes.ts';

/** Times are in epoch milliseconds. */
export interface TableExport {
  tableArn: string;
  bucket: string;
  /** Folder in the bucket for this export only. */
  prefix: string;
  /** Start of an incremental export of the changes up to `toMs`; undefined for a full export as of `toMs`. */
  fromMs: number | undefined;
  toMs: number;
  /**
   * Number of the attempt, from 1. It is a part of the client token: for the same token, DynamoDB would return the
   * failed export again.
   */
  attempt: number;
}

export type ExportState = { state: 'IN_PROGRESS' | 'COMPLETED' } | { state: 'FAILED'; code: string };

export interface TableExports {
  /** Returns the ARN of the export. Within eight hours, repeated calls with the same attempt start only one export. */
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
  nextCheckAtMs: instant('look_at'),
});
export type BegunExport = RecordOf<typeof begunExportRecord>;

/** Maximum number of open exports. */
const MAX_BEGUN_EXPORTS = 100;

const progressRecord = record({
  /**
   * ARN of the exported table. A restored table contains the progress of the original table, with the original's ARN.
   */
  tableArn: optional(text('table_arn')),
  /** Time of the first run. */
  firstSeenMs: instant('first_seen'),
  /** Time up to which all changes are in a started export. */
  untilMs: optional(instant('exported_until')),
  begun: list('begun', begunExportRecord, MAX_BEGUN_EXPORTS),
});
export type ExportProgress = RecordOf<typeof progressRecord>;

/** Returns the progress of the exports; undefined before the first run. */
export async function readExportProgress(table: Table): Promise<ExportProgress | undefined> {
  const item = await readItem(table, PROGRESS_KEY);
  return item && progressRecord.from(item);
}

export async function saveExportProgress(table: Table, progress: ExportProgress): Promise<void> {
  const item = { ...PROGRESS_KEY, entity: 'activity_progress', ...progressRecord.toItem(progress) };
  await writeAlone(table, put(table, item));
}
