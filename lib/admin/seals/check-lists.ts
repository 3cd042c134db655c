/** Checks the lists of each day's statements: what they list must be there, so that nothing can be taken away at the end of a chain. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { listFiles, sealFiles, sha256Of } from '../../../lambdas/books/seals/seal-statement.ts';
import { isTimestampOf } from '../../../lambdas/platform/timestamps.ts';
import { accountsIn, sealedDatesOf, type SealFinding } from './check-files.ts';
import { entriesOf, readIfThere } from './files.ts';

/** Digits of a SHA-256; a line that somebody put in may have more. */
const MAX_HASH_CHARS = 64;

/**
 * In memory are the hashes of one day, not of all.
 *
 * Weakness: the list of the last day is not there while that is being sealed, so nobody can tell by the files alone that the last lists
 * are gone together with all that they listed.
 * @param isWhole whether the files of all accounts are there: lists do not say whose a statement is
 */
export function checkLists(
  { directory, isWhole }: { directory: string; isWhole: boolean },
  found: (finding: SealFinding) => void,
): void {
  const listed = listedDates(directory);
  const accounts = accountsIn(directory);
  for (const date of listed) {
    const tell = (where: string, says: string) => found({ account: null, date, where, says });
    const { list, timestamp } = listFiles(date);
    const text = readIfThere(join(directory, list));
    const answer = readIfThere(join(directory, timestamp));
    if (!text) {
      tell(`days/${date}.txt`, 'is not there, and its timestamp is');
      continue;
    }
    if (answer && !isTimestampOf(answer, createHash('sha256').update(text).digest())) {
      tell(`days/${date}.txt.tsr`, 'is no timestamp of the list');
    }
    if (isWhole) checkListed({ directory, accounts, date, text: text.toString('utf8') }, tell);
  }
  if (isWhole) checkGaps({ directory, accounts, listed }, found);
}

/** Each hash of a list has its statement. */
function checkListed(
  { directory, accounts, date, text }: { directory: string; accounts: readonly string[]; date: string; text: string },
  tell: (where: string, says: string) => void,
): void {
  const statements = accounts.map((account) => readIfThere(join(directory, sealFiles(account, date).statement)));
  const known = new Set(statements.map((statement) => statement && sha256Of(statement)));
  for (const hash of text.trimEnd().split('\n')) {
    if (known.has(hash)) continue;
    tell(`days/${date}.txt`, `lists the statement ${hash.slice(0, MAX_HASH_CHARS)}, and there is none of that hash`);
  }
}

/** Days are listed one after the other: one that has a statement and no list, between others that have one, has lost it. */
function checkGaps(
  { directory, accounts, listed }: { directory: string; accounts: readonly string[]; listed: readonly string[] },
  found: (finding: SealFinding) => void,
): void {
  const [first, last] = [listed[0], listed.at(-1)];
  if (first === undefined || last === undefined) return;
  const sealed = new Set(accounts.flatMap((account) => sealedDatesOf(directory, account)));
  for (const date of [...sealed].toSorted()) {
    if (date <= first || date >= last || listed.includes(date)) continue;
    const says = 'is not there, and those of days before and after it are';
    found({ account: null, date, where: `days/${date}.txt`, says });
  }
}

/** The days that have a list, or a timestamp of one. */
function listedDates(directory: string): string[] {
  const dates = entriesOf(join(directory, 'sealed', 'days')).flatMap(
    (name) => /^(\d{4}-\d{2}-\d{2})\.txt(\.tsr)?$/.exec(name)?.[1] ?? [],
  );
  return [...new Set(dates)];
}
