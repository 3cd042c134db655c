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

/** Up to when everything is in an export that was begun; undefined before the first. */
export async function readExportedUntil(table: Table): Promise<number | undefined> {
  const item = await readItem(table, PROGRESS_KEY);
  return item === undefined ? undefined : Date.parse(item['exported_until'] as string);
}

export async function saveExportedUntil(table: Table, untilMs: number): Promise<void> {
  const item = { ...PROGRESS_KEY, entity: 'activity_progress', exported_until: new Date(untilMs).toISOString() };
  await writeAlone(table, put(table, item));
}
