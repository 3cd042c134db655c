/** Checks the lists of each day's statements: what they list must be there, so that nothing can be taken away at the end of a chain. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { listFiles, sealFiles, sha256Of } from '../../../lambdas/books/seals/seal-statement.ts';
import { isTimestampOf } from '../../../lambdas/platform/secrets/timestamps.ts';
import { accountsIn, sealedDatesOf, type SealFinding } from './check-files.ts';
import { entriesOf, readIfThere } from './files.ts';

/** Digits of a SHA-256; a line that somebody put in may have more. */
const MAX_HASH_CHARS = 64;

/**
 * In memory are the hashes of one day, not of all.
 *
 * Weakness: the last sealed day has no list while it is being sealed. Files alone do not show that the last lists are gone together
 * with all statements that they listed.
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
  const seen = new Set<string>();
  for (const hash of text.trimEnd().split('\n')) {
    if (seen.has(hash)) tell(`days/${date}.txt`, `lists the statement ${hash.slice(0, MAX_HASH_CHARS)} twice`);
    seen.add(hash);
    if (known.has(hash)) continue;
    tell(`days/${date}.txt`, `lists the statement ${hash.slice(0, MAX_HASH_CHARS)}, and there is none of that hash`);
  }
}

/** Days are listed one after the other: a day with a statement, before the last sealed day, has lost its list if it has none. */
function checkGaps(
  { directory, accounts, listed }: { directory: string; accounts: readonly string[]; listed: readonly string[] },
  found: (finding: SealFinding) => void,
): void {
  const sealed = [...new Set(accounts.flatMap((account) => sealedDatesOf(directory, account)))].toSorted();
  // Days before the first list were sealed by the first run, which lists its last day alone.
  const first = listed[0] ?? '';
  for (const date of sealed.slice(0, -1)) {
    if (date < first || listed.includes(date)) continue;
    const says = 'is not there, and later days are sealed';
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
