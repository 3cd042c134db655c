/** Exports of the whole table to S3, which DynamoDB makes by itself from its backups: no read units, and no item passes here. */

import { DynamoDBClient, ExportTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { sdkSettings } from '../platform/sdk-calls.ts';
import { readItem } from './query.ts';
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
}

export type BeginExport = (wanted: TableExport) => Promise<void>;

/** @returns begins an export; the same one is begun once, however often it is asked for within eight hours */
export function openTableExport(client: Pick<DynamoDBClient, 'send'> = new DynamoDBClient(sdkSettings)): BeginExport {
  return async ({ tableArn, bucket, prefix, fromMs, toMs }) => {
    const to = new Date(toMs);
    await client.send(
      new ExportTableToPointInTimeCommand({
        TableArn: tableArn,
        S3Bucket: bucket,
        S3Prefix: prefix,
        S3SseAlgorithm: 'AES256',
        ExportFormat: 'DYNAMODB_JSON',
        ClientToken: `${fromMs ?? 'full'}-${toMs}`,
        ...(fromMs === undefined
          ? { ExportType: 'FULL_EXPORT', ExportTime: to }
          : {
              ExportType: 'INCREMENTAL_EXPORT',
              IncrementalExportSpecification: {
                ExportFromTime: new Date(fromMs),
                ExportToTime: to,
                ExportViewType: 'NEW_IMAGE',
              },
            }),
      }),
    );
  };
}

const PROGRESS_KEY = { pk: 'ACTIVITY', sk: 'EXPORTED' };

/** How far exports have come; instants are epoch milliseconds. */
export interface ExportProgress {
  /** When the first run looked at the table: it was there by then. */
  firstSeenMs: number;
  /** Up to when everything is in an export that was begun; undefined before the first. */
  untilMs: number | undefined;
}

/** @returns undefined before the first run */
export async function readExportProgress(table: Table): Promise<ExportProgress | undefined> {
  const item = await readItem(table, PROGRESS_KEY);
  const until = item?.['exported_until'] as string | undefined;
  return (
    item && {
      firstSeenMs: Date.parse(item['first_seen'] as string),
      untilMs: until === undefined ? undefined : Date.parse(until),
    }
  );
}

export async function saveExportProgress(table: Table, { firstSeenMs, untilMs }: ExportProgress): Promise<void> {
  const item = {
    ...PROGRESS_KEY,
    entity: 'activity_progress',
    first_seen: new Date(firstSeenMs).toISOString(),
    ...(untilMs === undefined ? {} : { exported_until: new Date(untilMs).toISOString() }),
  };
  await writeAlone(table, put(table, item));
}
