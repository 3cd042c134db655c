/** Checks the lists of each day's statements: if the files are complete, every listed statement must exist. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { listFiles, sealFiles, sha256Of } from '../../../lambdas/books/seals/seal-statement.ts';
import { isTimestampOf } from '../../../lambdas/platform/secrets/timestamps.ts';
import { accountsIn, sealedDatesOf, type SealFinding } from './check-files.ts';
import { entriesOf, readIfThere } from './files.ts';

/** Maximum length of a listed hash in a message: a forged line may be longer than a SHA-256 hash. */
const MAX_HASH_CHARS = 64;

/**
 * Checks the lists of all days.
 *
 * Weakness: files alone cannot show whether the last lists were removed together with the statements that they name.
 * @param isWhole whether the files of all accounts are present; lists do not name the account of a statement
 */
export function checkLists(
  { directory, isWhole }: { directory: string; isWhole: boolean },
  found: (finding: SealFinding) => void,
): void {
  const listed = listedDates(directory);
  const accounts = accountsIn(directory);
  for (const date of listed) {
    const report = (where: string, says: string) => found({ account: null, date, where, says });
    const { list, timestamp } = listFiles(date);
    const text = readIfThere(join(directory, list));
    const answer = readIfThere(join(directory, timestamp));
    if (!text) {
      report(`days/${date}.txt`, 'is missing, although its timestamp exists');
      continue;
    }
    if (answer && !isTimestampOf(answer, createHash('sha256').update(text).digest())) {
      report(`days/${date}.txt.tsr`, 'is not a timestamp of the list');
    }
    if (isWhole) checkListed({ directory, accounts, date, text: text.toString('utf8') }, report);
  }
  if (isWhole) checkGaps({ directory, accounts, listed }, found);
}

function checkListed(
  { directory, accounts, date, text }: { directory: string; accounts: readonly string[]; date: string; text: string },
  report: (where: string, says: string) => void,
): void {
  const statements = accounts.map((account) => readIfThere(join(directory, sealFiles(account, date).statement)));
  const known = new Set(statements.map((statement) => statement && sha256Of(statement)));
  const seen = new Set<string>();
  for (const hash of text.trimEnd().split('\n')) {
    if (seen.has(hash)) report(`days/${date}.txt`, `lists the statement ${hash.slice(0, MAX_HASH_CHARS)} twice`);
    seen.add(hash);
    if (known.has(hash)) continue;
    report(`days/${date}.txt`, `lists the statement ${hash.slice(0, MAX_HASH_CHARS)}, which does not exist`);
  }
}

/**
 * Reports sealed days without a list. Lists are written in the order of the days, so every sealed day after the first
 * list must have a list, except the last day.
 */
function checkGaps(
  { directory, accounts, listed }: { directory: string; accounts: readonly string[]; listed: readonly string[] },
  found: (finding: SealFinding) => void,
): void {
  const sealed = [...new Set(accounts.flatMap((account) => sealedDatesOf(directory, account)))].toSorted();
  // The first run of the sealing worker seals all earlier days, but writes a list only for the last of them.
  const first = listed[0] ?? '';
  for (const date of sealed.slice(0, -1)) {
    if (date < first || listed.includes(date)) continue;
    const says = 'is missing, although later days are sealed';
    found({ account: null, date, where: `days/${date}.txt`, says });
  }
}

/** Returns the days with a list or a timestamp of a list. */
function listedDates(directory: string): string[] {
  const dates = entriesOf(join(directory, 'sealed', 'days')).flatMap(
    (name) => /^(\d{4}-\d{2}-\d{2})\.txt(\.tsr)?$/.exec(name)?.[1] ?? [],
  );
  return [...new Set(dates)];
}
