/** The statement of a sealed day: a small signed document that names everything by its hash. */

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { Money } from '../../money/money.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const amount = z.string().regex(/^-?\d+(\.\d{1,12})?$/);

const sealStatementSchema = z.strictObject({
  format: z.literal('model-gateway/sealed-day/1'),
  account_id: z.string(),
  /** A UTC day. */
  date: z.iso.date(),
  sealed_at: z.iso.datetime(),
  key_id: z.string(),
  /** The previous statement; null for the account's first one. */
  previous: z.strictObject({ date: z.iso.date(), sha256 }).nullable(),
  lines: z.strictObject({
    /** In the same folder as the statement. */
    file: z.string(),
    /** The hash of the uncompressed file. */
    sha256,
    count: z.int().nonnegative(),
    /** The root of the lines' tree (RFC 6962), without the file's first line. */
    root: sha256,
  }),
  /** The sums of these lines, by kind. */
  charged_rub: amount,
  late_rub: amount,
  corrected_rub: amount,
  paid_rub: amount,
  open_generations: z.int().nonnegative(),
  /** The sums of all lines that were ever sealed for the account. */
  usage_so_far_rub: amount,
  paid_so_far_rub: amount,
});
export type SealStatement = z.infer<typeof sealStatementSchema>;

/** @throws {Error} for a text that is not a valid statement */
export function parseSealStatement(text: string): SealStatement {
  return sealStatementSchema.parse(JSON.parse(text));
}

/** The text of a statement, which is hashed, signed and stored. */
export function sealStatementText(statement: SealStatement): string {
  return `${JSON.stringify(statement, null, 2)}\n`;
}

export function sha256Of(document: string | Buffer): string {
  return createHash('sha256').update(document).digest('hex');
}

/** The amount that the lines of a day add to the spending so far. */
export function sealedUsageOf({ charged_rub, late_rub, corrected_rub }: SealStatement): Money {
  return Money.sum([charged_rub, late_rub, corrected_rub].map((text) => Money.parse(text)));
}

/** Digits of a root in the name of a file. */
const NAMED_DIGITS = 16;

/** Names of a day's files, below the folder of sealed days. */
export function sealFiles(accountId: string, date: string) {
  const folder = `sealed/${accountId}/${date}`;
  return {
    statement: `${folder}/statement.json`,
    signature: `${folder}/statement.json.sig`,
    lines: (name: string) => `${folder}/${name}`,
    leaves: (root: string) => `${folder}/${leavesFile(root)}`,
  };
}

/**
 * The name of a day's file of lines, with the root of their tree. A run that breaks off leaves a file that no statement
 * names.
 */
export function linesFile(root: string): string {
  return `lines-${root.slice(0, NAMED_DIGITS)}.csv.gz`;
}

/**
 * The name of the list of their leaves, in the same folder. Statements do not name it, because their root proves it.
 */
export function leavesFile(root: string): string {
  return `leaves-${root.slice(0, NAMED_DIGITS)}.txt.gz`;
}

/** Names of the files that list all statements of a day. */
export function listFiles(date: string) {
  return { list: `sealed/days/${date}.txt`, timestamp: `sealed/days/${date}.txt.tsr` };
}
