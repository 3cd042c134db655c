import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { listAccountIds } from '../../../lambdas/store/accounts/accounts.ts';
import { sdkClient } from '../../shared/database/sdk-client.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { StartFailure } from '../../shared/failure.ts';
import { fromText } from '../command-line/mistakes.ts';
import { packedLines } from '../command-line/packed-lines.ts';
import { alteredFiles, findExports, type ItemAttributes } from './manifests.ts';

/** Limit of BatchWriteItem. */
const MAX_BATCH = 25;
const MAX_TRIES = 10;

export interface RestoredTable {
  until: string;
  written: number;
  deleted: number;
}

type ExportLine = { Item: ItemAttributes } | { Keys: ItemAttributes; NewImage?: ItemAttributes };

/**
 * Restores the newest full export below a directory and the later incremental exports.
 *
 * Guarantee: writes nothing unless the checksum of each file matches and the table has no account.
 * @param progress called with the number of items written or deleted so far
 * @throws {StartFailure} if there is no complete export, if a file differs from its manifest, or if the table has an
 *   account; also, after some items were written, if a line is not JSON or the table stops accepting items
 */
export async function restoreTable(
  table: Table,
  directory: string,
  progress: (items: number) => void,
): Promise<RestoredTable> {
  const exports = findExports(directory);
  const [altered] = await alteredFiles(exports);
  if (altered !== undefined) throw new StartFailure(`${altered}: nothing was restored. Download the export again.`);
  for await (const { id } of listAccountIds(table)) {
    throw new StartFailure(
      `The table already has an account (${id}). Restore into an empty table: choose another directory with --data.`,
    );
  }
  const restored: RestoredTable = { until: exports.at(-1)!.until, written: 0, deleted: 0 };
  for (const { files } of exports) {
    for (const { path } of files) {
      for await (const batch of batchesOf(path)) {
        await writeBatch(table, batch);
        const deleted = batch.filter(({ DeleteRequest: one }) => one !== undefined).length;
        restored.deleted += deleted;
        restored.written += batch.length - deleted;
        progress(restored.written + restored.deleted);
      }
    }
  }
  return restored;
}

async function* batchesOf(path: string): AsyncGenerator<WriteRequest[], void> {
  let batch: WriteRequest[] = [];
  for await (const text of packedLines(path)) {
    batch.push(requestOf(fromText(path, text, (line) => JSON.parse(line) as ExportLine)));
    if (batch.length < MAX_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function requestOf(line: ExportLine): WriteRequest {
  if ('Item' in line) return { PutRequest: { Item: line.Item } };
  return line.NewImage ? { PutRequest: { Item: line.NewImage } } : { DeleteRequest: { Key: line.Keys } };
}

async function writeBatch({ endpoint, name }: Table, batch: readonly WriteRequest[]): Promise<void> {
  const client = sdkClient(endpoint);
  let left = [...batch];
  for (let attempt = 1; left.length > 0; attempt += 1) {
    if (attempt > MAX_TRIES)
      throw new StartFailure('The table does not accept more items at the moment. Try again with an empty table.');
    const { UnprocessedItems: undone } = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [name]: left } }),
    );
    left = undone?.[name] ?? [];
    if (left.length > 0) await sleep(50 * 2 ** attempt);
  }
}
