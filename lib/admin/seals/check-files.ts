/**
 * Checks the files of sealed days against each other: signatures, hashes, trees, sums, and the chain from the first day on. It needs the
 * files and the public key, and nothing of the gateway.
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

/** Something that is not as it was sealed. */
export interface SealFinding {
  /** Null for a list of the statements of all accounts. */
  account: string | null;
  date: string;
  /** The file, or the line, counted from 1 without the columns. */
  where: string;
  says: string;
}

/** The state that the days before leave to the next one. */
interface Chain {
  previous: { date: string; sha256: string } | null;
  usage: Money;
  paid: Money;
  /** Generations that were open, and have no later line yet. */
  open: Set<string>;
}

export interface CheckedDay {
  statement: SealStatement;
  sha256: string;
  /** Base64; undefined where it is not there, or none of the key. */
  signature: string | undefined;
  /** Its lines can be read to their end. */
  isReadable: boolean;
  /** They are the lines of the root that the statement names. */
  isProven: boolean;
}

/** The accounts that have sealed days in a directory. */
export function accountsIn(directory: string): string[] {
  return entriesOf(join(directory, 'sealed')).filter((name) => name !== 'days');
}

/** The days of which an account has files, in order. */
export function sealedDatesOf(directory: string, account: string): string[] {
  return entriesOf(join(directory, 'sealed', account));
}

/** @param found is told of each fault; a day with a fault is checked to its end */
export async function checkAccount(
  { directory, account, publicKey }: { directory: string; account: string; publicKey: string },
  found: (finding: SealFinding) => void,
  progress: (date: string) => void = () => {},
): Promise<CheckedDay[]> {
  const chain: Chain = { previous: null, usage: Money.zero, paid: Money.zero, open: new Set() };
  const days: CheckedDay[] = [];
  for (const date of sealedDatesOf(directory, account)) {
    const tell = (where: string, says: string) => found({ account, date, where, says });
    const day = await checkDay({ directory, account, date, publicKey, chain }, tell);
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
  tell: (where: string, says: string) => void,
): Promise<CheckedDay | undefined> {
  const names = sealFiles(account, date);
  const text = readIfThere(join(directory, names.statement));
  if (!text) {
    tell('statement.json', 'is not there');
    return undefined;
  }
  const signature = readIfThere(join(directory, names.signature));
  const isSigned = signature !== undefined && isSignedBy(publicKey, text, signature);
  if (!signature) tell('statement.json.sig', 'is not there');
  else if (!isSigned) tell('statement.json', 'is not what was signed');
  let statement: SealStatement;
  try {
    statement = parseSealStatement(text.toString('utf8'));
  } catch {
    tell('statement.json', 'is no statement of a day');
    return undefined;
  }
  const sha256 = sha256Of(text);
  if (statement.account_id !== account || statement.date !== date) tell('statement.json', 'is of another day');
  if (JSON.stringify(statement.previous) !== JSON.stringify(chain.previous)) {
    const [says, should] = [statement.previous, chain.previous].map((link) => link?.date ?? 'none');
    tell(
      'statement.json',
      `follows the statement of ${says}, and the one before it is that of ${should} or was altered`,
    );
  }
  checkList(directory, { date, sha256 }, tell);
  const lines = join(directory, names.lines(statement.lines.file));
  let isReadable = true;
  let isProven = false;
  try {
    isProven = await checkLines(lines, { statement, chain }, tell);
  } catch (error) {
    isReadable = false;
    tell(statement.lines.file, `cannot be read: ${(error as Error).message}`);
  }
  const { root } = statement.lines;
  await checkLeaves({ lines, leaves: join(directory, names.leaves(root)), root, isProven }, tell);
  chain.previous = { date, sha256 };
  return {
    statement,
    sha256,
    signature: isSigned ? signature.toString('base64') : undefined,
    isReadable,
    isProven,
  };
}

/** The sums of an account's lines of a day. */
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

/** @returns whether the lines make the root that the statement names */
async function checkLines(
  path: string,
  { statement, chain }: { statement: SealStatement; chain: Chain },
  tell: (where: string, says: string) => void,
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
      tell(`line ${hasher.count}`, `${line.id} is late, and was not open on any day before`);
    }
  }
  if (reader.sha256() !== sha256) tell(file, 'is not the file that the statement names');
  if (hasher.count !== count) tell(file, `has ${hasher.count} lines, and the statement says ${count}`);
  const isProven = hasher.root().toString('hex') === root;
  if (!isProven) tell(file, 'has lines that make another root than the statement names');
  chain.usage = Money.sum([chain.usage, sums.charged, sums.late, sums.corrected]);
  chain.paid = chain.paid.plus(sums.paid);
  const said: [string, string, Money][] = [
    ['charged_rub', statement.charged_rub, sums.charged],
    ['late_rub', statement.late_rub, sums.late],
    ['corrected_rub', statement.corrected_rub, sums.corrected],
    ['paid_rub', statement.paid_rub, sums.paid],
    ['usage_so_far_rub', statement.usage_so_far_rub, chain.usage],
    ['paid_so_far_rub', statement.paid_so_far_rub, chain.paid],
  ];
  for (const [name, says, expected] of said) {
    if (!Money.parse(says).equals(expected)) tell(name, `says ${says}, and the lines come to ${expected}`);
  }
  if (statement.open_generations !== sums.open) {
    tell('open_generations', `says ${statement.open_generations}, and the lines have ${sums.open}`);
  }
  return isProven;
}

/** Days that were sealed before lists of leaves were kept have none: then nothing says which line is another one. */
async function checkLeaves(
  { lines, leaves, root, isProven }: { lines: string; leaves: string; root: string; isProven: boolean },
  tell: (where: string, says: string) => void,
): Promise<void> {
  if (!existsSync(leaves)) return;
  try {
    if ((await rootOfLeafList(leaves)) !== root) {
      return tell(leavesFile(root), 'has leaves that make another root than the statement names');
    }
  } catch (error) {
    return tell(leavesFile(root), `cannot be read: ${(error as Error).message}`);
  }
  const altered = isProven ? undefined : await firstAlteredLine(lines, leaves);
  if (altered) tell(altered.where, altered.says);
}

/** A day's list is written when all accounts are sealed: it may not be there yet. */
function checkList(
  directory: string,
  { date, sha256 }: { date: string; sha256: string },
  tell: (where: string, says: string) => void,
): void {
  const list = readIfThere(join(directory, listFiles(date).list));
  if (list && !list.toString('utf8').split('\n').includes(sha256)) {
    tell(`days/${date}.txt`, 'does not list the statement');
  }
}
