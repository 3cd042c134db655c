/** Signed document about a sealed day, with hashes of the day's lines and of the previous statement. */

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { Money } from '../../money/money.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const amount = z.string().regex(/^-?\d+(\.\d{1,12})?$/);

const sealStatementSchema = z.strictObject({
  format: z.literal('model-gateway/sealed-day/1'),
  account_id: z.string(),
  date: z.iso.date(),
  sealed_at: z.iso.datetime(),
  key_id: z.string(),
  /** The account's previous statement; null for its first statement. */
  previous: z.strictObject({ date: z.iso.date(), sha256 }).nullable(),
  lines: z.strictObject({
    file: z.string(),
    /** SHA-256 of the uncompressed file. */
    sha256,
    count: z.int().nonnegative(),
    /** Root of the hash tree of the lines (RFC 6962), without the header line. */
    root: sha256,
  }),
  /** Sums of the day's lines, by kind. */
  charged_rub: amount,
  late_rub: amount,
  corrected_rub: amount,
  paid_rub: amount,
  open_generations: z.int().nonnegative(),
  /** Sums of all lines that were ever sealed for the account. */
  usage_so_far_rub: amount,
  paid_so_far_rub: amount,
});
export type SealStatement = z.infer<typeof sealStatementSchema>;

/** @throws {Error} if the text is not a valid statement */
export function parseSealStatement(text: string): SealStatement {
  return sealStatementSchema.parse(JSON.parse(text));
}

/** Returns the text of a statement, which is hashed, signed and stored. */
export function sealStatementText(statement: SealStatement): string {
  return `${JSON.stringify(statement, null, 2)}\n`;
}

export function sha256Of(document: string | Buffer): string {
  return createHash('sha256').update(document).digest('hex');
}

/** Returns the amount that a day's lines add to the account's total spending. */
export function sealedUsageOf({ charged_rub, late_rub, corrected_rub }: SealStatement): Money {
  return Money.sum([charged_rub, late_rub, corrected_rub].map((text) => Money.parse(text)));
}

const NAMED_DIGITS = 16;

/** Returns the paths of a day's files. */
export function sealFiles(accountId: string, date: string) {
  const folder = `sealed/${accountId}/${date}`;
  return {
    statement: `${folder}/statement.json`,
    signature: `${folder}/statement.json.sig`,
    lines: (name: string) => `${folder}/${name}`,
    leaves: (root: string) => `${folder}/${leavesFile(root)}`,
  };
}

/** Returns a file name with the first digits of the root, so that a later run with other lines writes another file. */
export function linesFile(root: string): string {
  return `lines-${root.slice(0, NAMED_DIGITS)}.csv.gz`;
}

/** Returns the name of the file of leaves. */
export function leavesFile(root: string): string {
  return `leaves-${root.slice(0, NAMED_DIGITS)}.txt.gz`;
}

/** Returns the paths of a day's list of statements, and of its timestamp. */
export function listFiles(date: string) {
  return { list: `sealed/days/${date}.txt`, timestamp: `sealed/days/${date}.txt.tsr` };
}
