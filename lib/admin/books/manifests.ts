import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { StartFailure } from '../../shared/failure.ts';
import { fromText } from '../command-line/mistakes.ts';

export const EXPORTS_FOLDER = 'AWSDynamoDB';
export const DATA_FOLDER = 'data';
export const SUMMARY_MANIFEST = 'manifest-summary.json';
export const FILES_MANIFEST = 'manifest-files.json';

export type ItemAttributes = Record<string, AttributeValue>;

const dataFile = z.object({
  itemCount: z.int().nonnegative(),
  md5Checksum: z.string(),
  etag: z.string(),
  dataFileS3Key: z.string(),
});
export type DataFile = z.infer<typeof dataFile>;

const summaryManifest = z.looseObject({
  version: z.string(),
  itemCount: z.int().nonnegative(),
  outputFormat: z.literal('DYNAMODB_JSON', { error: 'must be DYNAMODB_JSON: export in this format' }),
  /** Time of a full export. */
  exportTime: z.iso.datetime().optional(),
  /** Period of an incremental export. */
  exportFromTime: z.iso.datetime().optional(),
  exportToTime: z.iso.datetime().optional(),
});
export type Summary = z.infer<typeof summaryManifest>;

export interface FoundExport {
  id: string;
  /** A full export contains every item, an incremental export the changes in its period. */
  kind: 'full' | 'incremental';
  until: string;
  from: string | undefined;
  itemCount: number;
  files: { path: string; itemCount: number; md5: string }[];
}

/**
 * Finds the newest full export below a directory, and the later incremental exports, in order.
 * @throws {StartFailure} if there is no full export, if a period between the exports is missing, or if a manifest is
 *   invalid
 * @throws {Error} if a manifest cannot be read
 */
export function findExports(directory: string): FoundExport[] {
  const all = exportRoots(directory)
    .flatMap((root) => readdirSync(root).map((id) => ({ root, id })))
    .filter(({ root, id }) => existsSync(join(root, id, SUMMARY_MANIFEST)))
    .map(({ root, id }) => readExport(root, id))
    .toSorted((a, b) => (a.until < b.until ? -1 : 1));
  const full = all.findLast(({ kind }) => kind === 'full');
  if (!full) {
    throw new StartFailure(
      `${directory} contains no full export of the table. Create one with "export <dir>" on this machine; on AWS, use "aws dynamodb export-table-to-point-in-time" and download the files with "aws s3 sync".`,
    );
  }
  const chain = [full];
  for (const next of all.filter(({ kind }) => kind === 'incremental')) {
    const { until } = chain.at(-1)!;
    if (next.until <= until) continue;
    if (next.from! > until) {
      throw new StartFailure(
        `No export in ${directory} contains the writes between ${until} and ${next.from}. Add the missing incremental export, or a newer full export.`,
      );
    }
    chain.push(next);
  }
  return chain;
}

/** Returns the folders with exports, for example full/dt=2026-11-01/AWSDynamoDB. */
function exportRoots(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path) === EXPORTS_FOLDER)
    .map((path) => join(directory, path));
}

function readExport(root: string, id: string): FoundExport {
  const text = checkedText(root, id, SUMMARY_MANIFEST);
  const { itemCount, exportTime, exportFromTime, exportToTime } = fromText(
    join(root, id, SUMMARY_MANIFEST),
    text,
    (json) => summaryManifest.parse(JSON.parse(json)),
  );
  const files = checkedText(root, id, FILES_MANIFEST)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => fromText(join(root, id, FILES_MANIFEST), line, (json) => dataFile.parse(JSON.parse(json))))
    .map((file) => ({ path: dataFilePath(root, file), itemCount: file.itemCount, md5: file.md5Checksum }));
  const kind = exportTime === undefined ? 'incremental' : 'full';
  return { id, kind, until: exportTime ?? exportToTime!, from: exportFromTime, itemCount, files };
}

/** Returns the local path of a data file. Its key in the bucket begins with a prefix that may differ locally. */
function dataFilePath(root: string, { dataFileS3Key: key }: DataFile): string {
  return join(root, key.slice(key.indexOf(`${EXPORTS_FOLDER}/`) + EXPORTS_FOLDER.length + 1));
}

/**
 * Reads a manifest, and verifies its checksum if the export contains one.
 * @throws {StartFailure} if the manifest does not match
 */
function checkedText(root: string, id: string, name: string): string {
  const path = join(root, id, name);
  const text = readFileSync(path, 'utf8');
  const sumPath = join(root, id, name.replace('.json', '.md5'));
  const md5 = createHash('md5').update(text).digest('base64');
  if (existsSync(sumPath) && readFileSync(sumPath, 'utf8').trim() !== md5) {
    throw new StartFailure(`${path} was changed after the export: its checksum differs. Download it again.`);
  }
  return text;
}

/** Returns a sentence for each data file that is missing or has another checksum than in its manifest. */
export async function alteredFiles(exports: readonly FoundExport[]): Promise<string[]> {
  const altered: string[] = [];
  for (const { path, md5 } of exports.flatMap(({ files }) => files)) {
    if (!existsSync(path)) altered.push(`${path} is missing`);
    else if ((await md5Of(path)) !== md5) altered.push(`${path} was changed after the export`);
  }
  return altered;
}

async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5');
  await pipeline(createReadStream(path), hash);
  return hash.digest('base64');
}
