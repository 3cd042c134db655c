import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealDays } from '../../lambdas/books/seals/seal-days.ts';
import type { SealTools } from '../../lambdas/books/seals/seal-day.ts';
import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import { signerInFile } from '../../lambdas/platform/secrets/document-signer.ts';
import { filesInDirectory } from '../../lambdas/platform/immutable-files.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { checkAccount, type SealFinding } from '../../lib/admin/seals/check-files.ts';
import { compareAccount } from '../../lib/admin/seals/compare-records.ts';

export interface Sealing {
  directory: string;
  publicKey: string;
  tools: SealTools;
}

export async function newSealing(table: Table): Promise<Sealing> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-seals-'));
  const file = join(directory, 'key.pem');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const signer = signerInFile(file);
  return {
    directory,
    publicKey: await signer.publicKey(),
    tools: { table, files: filesInDirectory(directory), signer },
  };
}

/** Seals the days before a date, as the worker does at 02:00 UTC on that date. */
export function sealBefore(tools: SealTools, date: string): Promise<number> {
  return sealDays(tools, { atMs: Date.parse(`${date}T02:00:00Z`) });
}

export function daysAfter(date: string, days: number): string {
  return utcDate(Date.parse(date) + days * DAY_MS);
}

/** Returns the findings in the files alone, and in the comparison of the records with the files. */
export async function verifyAll(
  { directory, publicKey, tools }: Sealing,
  account: string,
): Promise<{ days: number; ofFiles: SealFinding[]; ofRecords: SealFinding[] }> {
  const ofFiles: SealFinding[] = [];
  const ofRecords: SealFinding[] = [];
  const days = await checkAccount({ directory, account, publicKey }, (finding) => void ofFiles.push(finding));
  await compareAccount({ table: tools.table, directory, account }, days, (finding) => void ofRecords.push(finding));
  return { days: days.length, ofFiles, ofRecords };
}

/**
 * Returns a timestamp authority's response for a SHA-256 hash, without the parts that need the authority's certificate.
 */
export function grantedTimestamp(sha256: Buffer): Buffer {
  const granted = derSequence(Buffer.from([0x02, 0x01, 0x00]));
  return derSequence(granted, derSequence(Buffer.from([0x04, sha256.length]), sha256));
}

/** DER SEQUENCE of less than 128 bytes. */
function derSequence(...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}
