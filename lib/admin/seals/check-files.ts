/**
 * Checks the files of sealed days against each other: signatures, hashes, hash trees, sums, and the chain since the
 * first day. The check needs only the files and the public key.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { leafOf, RootHasher } from '../../../lambdas/books/seals/merkle.ts';
import {
  leavesFile,
  listFiles,
  parseSealStatement,
  sealFiles,
  sha256Of,
  type SealStatement,
} from '../../../lambdas/books/seals/seal-statement.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { isSignedBy } from '../../../lambdas/platform/secrets/document-signer.ts';
import { entriesOf, readIfThere } from './files.ts';
import { firstAlteredLine, rootOfLeafList } from './leaf-list.ts';
import { SealedLineReader, type SealedLine } from './sealed-lines.ts';

/** A difference between the files of sealed days, or between the files and the table. */
export interface SealFinding {
  /** Account id; null for a list, which covers the statements of all accounts. */
  account: string | null;
  date: string;
  /** Place, for example a file, a line number (from 1, without the header), an id, or a field. */
  where: string;
  says: string;
}

/** State after a sealed day, for the check of the next day. */
interface Chain {
  previous: { date: string; sha256: string } | null;
  usage: Money;
  paid: Money;
  /** Generations that were open when their day was sealed, and have no late line yet. */
  open: Set<string>;
}

export interface CheckedDay {
  statement: SealStatement;
  sha256: string;
  /** Base64; undefined if it is missing, or does not match the public key. */
  signature: string | undefined;
  /** Whether the lines can be read. */
  isReadable: boolean;
  /** Whether the lines produce the Merkle root in the statement. */
  isProven: boolean;
}

export function accountsIn(directory: string): string[] {
  return entriesOf(join(directory, 'sealed')).filter((name) => name !== 'days');
}

export function sealedDatesOf(directory: string, account: string): string[] {
  return entriesOf(join(directory, 'sealed', account));
}

/**
 * Checks the files of one account.
 * @param found called for each difference; the checks of a day continue after a difference, unless its statement is
 *   missing or cannot be read
 */
export async function checkAccount(
  { directory, account, publicKey }: { directory: string; account: string; publicKey: string },
  found: (finding: SealFinding) => void,
  progress: (date: string) => void = () => {},
): Promise<CheckedDay[]> {
  const chain: Chain = { previous: null, usage: Money.zero, paid: Money.zero, open: new Set() };
  const days: CheckedDay[] = [];
  for (const date of sealedDatesOf(directory, account)) {
    const report = (where: string, says: string) => found({ account, date, where, says });
    const day = await checkDay({ directory, account, date, publicKey, chain }, report);
    if (day) days.push(day);
    progress(date);
  }
  return days;
}

interface DayToCheck {
  directory: string;
  account: string;
  date: string;
  publicKey: string;
  chain: Chain;
}

async function checkDay(
  { directory, account, date, publicKey, chain }: DayToCheck,
  report: (where: string, says: string) => void,
): Promise<CheckedDay | undefined> {
  const names = sealFiles(account, date);
  const text = readIfThere(join(directory, names.statement));
  if (!text) {
    report('statement.json', 'is missing');
    return undefined;
  }
  const signature = readIfThere(join(directory, names.signature));
  const isSigned = signature !== undefined && isSignedBy(publicKey, text, signature);
  if (!signature) report('statement.json.sig', 'is missing');
  else if (!isSigned) report('statement.json', 'does not match its signature');
  let statement: SealStatement;
  try {
    statement = parseSealStatement(text.toString('utf8'));
  } catch {
    report('statement.json', 'is not a valid statement of a day');
    return undefined;
  }
  const sha256 = sha256Of(text);
  if (statement.account_id !== account || statement.date !== date)
    report('statement.json', 'belongs to another day or account');
  if (JSON.stringify(statement.previous) !== JSON.stringify(chain.previous)) {
    report('statement.json', chainDifference(statement.previous?.date, chain.previous?.date));
  }
  checkList(directory, { date, sha256 }, report);
  const lines = join(directory, names.lines(statement.lines.file));
  let isReadable = true;
  let isProven = false;
  try {
    isProven = await checkLines(lines, { statement, chain }, report);
  } catch (error) {
    isReadable = false;
    report(statement.lines.file, `cannot be read: ${(error as Error).message}`);
  }
  const { root } = statement.lines;
  await checkLeaves({ lines, leaves: join(directory, names.leaves(root)), root, isProven }, report);
  chain.previous = { date, sha256 };
  return {
    statement,
    sha256,
    signature: isSigned ? signature.toString('base64') : undefined,
    isReadable,
    isProven,
  };
}

function chainDifference(named = 'none', expected = 'none'): string {
  return named === expected
    ? `does not match the statement of ${expected}: one of the two was altered`
    : `names ${named} as the statement before it, but the statement before it is ${expected}`;
}

class LineSums {
  charged = Money.zero;
  late = Money.zero;
  corrected = Money.zero;
  paid = Money.zero;
  open = 0;

  add({ kind, line, total, correction }: SealedLine): void {
    if (kind === 'charge') this.charged = this.charged.plus(total);
    else if (kind === 'late') this.late = this.late.plus(total);
    else if (kind === 'corrected') this.corrected = this.corrected.plus(correction);
    else if (kind === 'open') this.open += 1;
    else this.paid = this.paid.plus(line);
  }
}

/** @returns whether the lines produce the root in the statement */
async function checkLines(
  path: string,
  { statement, chain }: { statement: SealStatement; chain: Chain },
  report: (where: string, says: string) => void,
): Promise<boolean> {
  const { file, sha256, count, root } = statement.lines;
  const reader = new SealedLineReader(path);
  const hasher = new RootHasher();
  const sums = new LineSums();
  for await (const line of reader.lines()) {
    hasher.add(leafOf(line.text));
    sums.add(line);
    if (!line.isFirst) continue;
    if (line.kind === 'open') chain.open.add(line.id);
    if (line.kind === 'late' && !chain.open.delete(line.id)) {
      report(`line ${hasher.count}`, `${line.id} is late, but was not open on any earlier day`);
    }
  }
  if (reader.sha256() !== sha256) report(file, 'has another SHA-256 than in the statement');
  if (hasher.count !== count) report(file, `has ${hasher.count} lines, but the statement has ${count}`);
  const isProven = hasher.root().toString('hex') === root;
  if (!isProven) report(file, 'has lines with another root than in the statement');
  chain.usage = Money.sum([chain.usage, sums.charged, sums.late, sums.corrected]);
  chain.paid = chain.paid.plus(sums.paid);
  const stated: [string, string, Money][] = [
    ['charged_rub', statement.charged_rub, sums.charged],
    ['late_rub', statement.late_rub, sums.late],
    ['corrected_rub', statement.corrected_rub, sums.corrected],
    ['paid_rub', statement.paid_rub, sums.paid],
    ['usage_so_far_rub', statement.usage_so_far_rub, chain.usage],
    ['paid_so_far_rub', statement.paid_so_far_rub, chain.paid],
  ];
  for (const [name, says, expected] of stated) {
    if (!Money.parse(says).equals(expected)) report(name, `is ${says}, but the lines add up to ${expected}`);
  }
  if (statement.open_generations !== sums.open) {
    report('open_generations', `is ${statement.open_generations}, but the lines have ${sums.open}`);
  }
  return isProven;
}

/** Checks a day's list of leaves (line hashes). Days sealed by earlier releases have no list. */
async function checkLeaves(
  { lines, leaves, root, isProven }: { lines: string; leaves: string; root: string; isProven: boolean },
  report: (where: string, says: string) => void,
): Promise<void> {
  if (!existsSync(leaves)) return;
  try {
    if ((await rootOfLeafList(leaves)) !== root) {
      return report(leavesFile(root), 'has leaves with another root than in the statement');
    }
  } catch (error) {
    return report(leavesFile(root), `cannot be read: ${(error as Error).message}`);
  }
  const altered = isProven ? undefined : await firstAlteredLine(lines, leaves);
  if (altered) report(altered.where, altered.says);
}

/** Checks that the day's list names the statement. The list is written after all seals, so it may not exist yet. */
function checkList(
  directory: string,
  { date, sha256 }: { date: string; sha256: string },
  report: (where: string, says: string) => void,
): void {
  const list = readIfThere(join(directory, listFiles(date).list));
  if (list && !list.toString('utf8').split('\n').includes(sha256)) {
    report(`days/${date}.txt`, 'does not list the statement');
  }
}
