/**
 * Exports the whole table in the layout and format of DynamoDB's own exports to S3 (full export, version 2020-06-30,
 * DYNAMODB_JSON).
 */

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ScanCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { sdkClient } from '../../shared/database/sdk-client.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { privateFile } from '../../shared/data-directory/private-files.ts';
import {
  DATA_FOLDER,
  EXPORTS_FOLDER,
  FILES_MANIFEST,
  SUMMARY_MANIFEST,
  type DataFile,
  type ItemAttributes,
  type Summary,
} from './manifests.ts';

/** Maximum number of items of a page, which determines memory use. DynamoDB also limits a page to 1 MB. */
const ITEMS_PER_PAGE = 250;
const ITEMS_PER_FILE = 100_000;

export interface ExportedTable {
  directory: string;
  export: string;
  items: number;
  files: number;
  bytes: number;
}

/**
 * Exports the table to a directory.
 * @param progress called with the number of items written so far
 */
export async function exportTable(
  table: Table,
  directory: string,
  progress: (items: number) => void,
): Promise<ExportedTable> {
  const startedAt = new Date(nowMs());
  const id = `${String(startedAt.getTime()).padStart(14, '0')}-${randomBytes(4).toString('hex')}`;
  const folder = join(directory, EXPORTS_FOLDER, id);
  mkdirSync(join(folder, DATA_FOLDER), { recursive: true, mode: 0o700 });
  writeExportFile(folder, '_started', '');
  const files: DataFile[] = [];
  let [itemCount, bytes, file] = [0, 0, undefined as DataFileWriter | undefined];
  const close = async () => {
    if (!file) return;
    const closed = await file.end();
    files.push(closed.described);
    bytes += closed.bytes;
    file = undefined;
  };
  for await (const page of scanPages(sdkClient(table.endpoint), table.name)) {
    for (const item of page) {
      file ??= new DataFileWriter(directory, `${EXPORTS_FOLDER}/${id}/${DATA_FOLDER}/${fileName(id, files.length)}`);
      await file.write(item);
      itemCount += 1;
      if (file.itemCount === ITEMS_PER_FILE) await close();
    }
    progress(itemCount);
  }
  await close();
  const manifest = files.map((described) => `${JSON.stringify(described)}\n`).join('');
  writeWithMd5(folder, FILES_MANIFEST, manifest);
  const summary = summaryOf({ id, table, startedAt, itemCount });
  writeWithMd5(folder, SUMMARY_MANIFEST, JSON.stringify(summary));
  return { directory, export: id, items: itemCount, files: files.length, bytes };
}

async function* scanPages(client: DynamoDBClient, name: string): AsyncGenerator<ItemAttributes[], void> {
  let start: ItemAttributes | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: name,
        ConsistentRead: true,
        Limit: ITEMS_PER_PAGE,
        ...(start ? { ExclusiveStartKey: start } : {}),
      }),
    );
    yield page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start);
}

class DataFileWriter {
  itemCount = 0;
  readonly #key: string;
  readonly #gzip = createGzip();
  readonly #md5 = createHash('md5');
  readonly #written: Promise<void>;
  #bytes = 0;

  constructor(directory: string, key: string) {
    this.#key = key;
    this.#gzip.on('data', (chunk: Buffer) => {
      this.#md5.update(chunk);
      this.#bytes += chunk.length;
    });
    this.#written = pipeline(this.#gzip, createWriteStream(join(directory, key), privateFile));
    // Without a handler, an error before `end` (for example a full disk) would be an unhandled rejection that ends the
    // process.
    this.#written.catch(() => {});
  }

  async write(item: ItemAttributes): Promise<void> {
    this.itemCount += 1;
    if (!this.#gzip.write(`${JSON.stringify({ Item: item }, asBase64)}\n`)) {
      // After an error, the stream never emits `drain`, and awaiting `#written` throws the error.
      await (this.#gzip.destroyed ? this.#written : once(this.#gzip, 'drain'));
    }
  }

  async end(): Promise<{ described: DataFile; bytes: number }> {
    this.#gzip.end();
    await this.#written;
    const md5 = this.#md5.digest();
    const etag = `${md5.toString('hex')}-1`;
    const described = {
      itemCount: this.itemCount,
      md5Checksum: md5.toString('base64'),
      etag,
      dataFileS3Key: this.#key,
    };
    return { described, bytes: this.#bytes };
  }
}

function asBase64(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

/** Returns a file name with the length of names in DynamoDB's own exports. */
function fileName(id: string, index: number): string {
  return `${createHash('sha256').update(`${id}/${index}`).digest('hex').slice(0, 26)}.json.gz`;
}

function summaryOf(of: { id: string; table: Table; startedAt: Date; itemCount: number }): Summary {
  const tableArn = `arn:aws:dynamodb:local:000000000000:table/${of.table.name}`;
  const time = of.startedAt.toISOString();
  return {
    version: '2020-06-30',
    exportArn: `${tableArn}/export/${of.id}`,
    startTime: time,
    endTime: new Date(nowMs()).toISOString(),
    tableArn,
    tableId: of.table.name,
    exportTime: time,
    s3Bucket: 'local',
    s3Prefix: null,
    s3SseAlgorithm: null,
    s3SseKmsKeyId: null,
    manifestFilesS3Key: `${EXPORTS_FOLDER}/${of.id}/${FILES_MANIFEST}`,
    billedSizeBytes: 0,
    itemCount: of.itemCount,
    outputFormat: 'DYNAMODB_JSON',
  };
}

function writeWithMd5(folder: string, name: string, text: string): void {
  writeExportFile(folder, name, text);
  writeExportFile(folder, name.replace('.json', '.md5'), createHash('md5').update(text).digest('base64'));
}

function writeExportFile(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text, privateFile);
}
