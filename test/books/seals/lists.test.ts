import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listFiles, sealFiles, sha256Of } from '../../../lambdas/books/seals/seal-statement.ts';
import type { SealFinding } from '../../../lib/admin/seals/check-files.ts';
import { checkLists } from '../../../lib/admin/seals/check-lists.ts';
import { grantedTimestamp } from '../../support/sealing.ts';

const [MONDAY, TUESDAY, WEDNESDAY] = ['2026-11-16', '2026-11-17', '2026-11-18'] as const;
const DATES = [MONDAY, TUESDAY, WEDNESDAY];
const ACCOUNTS = ['a', 'b'];

let directory: string;
/** Writes three days of two accounts, and a list for each day. */
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-lists-'));
  for (const date of DATES) {
    for (const account of ACCOUNTS) write(sealFiles(account, date).statement, statementOf(account, date));
    write(listFiles(date).list, listOf(date));
  }
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(name: string, content: string | Buffer): void {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function remove(name: string): void {
  rmSync(join(directory, 'sealed', name), { recursive: true });
}

const statementOf = (account: string, date: string) => `statement of ${account}, ${date}`;
const hashOf = (account: string, date: string) => sha256Of(statementOf(account, date));
const listOf = (date: string) => `${ACCOUNTS.map((account) => hashOf(account, date)).join('\n')}\n`;

function found(isWhole = true): string[] {
  const findings: SealFinding[] = [];
  checkLists({ directory, isWhole }, (finding) => void findings.push(finding));
  return findings.map(({ account, date, where, says }) => `${account} ${date} ${where} ${says}`);
}

it('lists of statements report nothing if all listed files exist', () => {
  expect(found()).toEqual([]);
});

it('lists of statements report the missing last day of an account', () => {
  remove(`a/${WEDNESDAY}`);
  const hash = hashOf('a', WEDNESDAY);
  expect(found()).toEqual([
    `null ${WEDNESDAY} days/${WEDNESDAY}.txt lists the statement ${hash}, which does not exist`,
  ]);
});

it('lists of statements report each day of a missing account', () => {
  remove('b');
  expect(found()).toEqual(
    DATES.map((date) => expect.stringContaining(`days/${date}.txt lists the statement ${hashOf('b', date)}`) as string),
  );
});

it('lists of statements report all listed days without any account', () => {
  for (const account of ACCOUNTS) remove(account);
  expect(found()).toHaveLength(6);
});

it('lists of statements report nothing about other accounts if only one account was downloaded', () => {
  remove('b');
  expect(found(false)).toEqual([]);
});

const missing = (date: string) => `null ${date} days/${date}.txt is missing, although later days are sealed`;

it.each([
  ['a list between others', [TUESDAY], [TUESDAY]],
  ['the last lists', [TUESDAY, WEDNESDAY], [TUESDAY]],
  ['all lists', DATES, [MONDAY, TUESDAY]],
])('lists of statements report earlier days if %s is missing', (_what, gone, named) => {
  for (const date of gone) remove(`days/${date}.txt`);
  expect(found()).toEqual(named.map(missing));
});

it('lists of statements report a statement that is listed twice', () => {
  write(listFiles(TUESDAY).list, `${listOf(TUESDAY)}${hashOf('a', TUESDAY)}\n`);
  expect(found()).toEqual([`null ${TUESDAY} days/${TUESDAY}.txt lists the statement ${hashOf('a', TUESDAY)} twice`]);
});

it('lists of statements report nothing about days before the first list, and about a day in progress', () => {
  remove(`days/${MONDAY}.txt`);
  remove(`days/${WEDNESDAY}.txt`);
  expect(found()).toEqual([]);
});

it('lists of statements report a missing list that has a timestamp', () => {
  write(listFiles(WEDNESDAY).timestamp, grantedTimestamp(createHash('sha256').update(listOf(WEDNESDAY)).digest()));
  remove(`days/${WEDNESDAY}.txt`);
  expect(found()).toEqual([`null ${WEDNESDAY} days/${WEDNESDAY}.txt is missing, although its timestamp exists`]);
});

it.each([true, false])(
  'lists of statements report a timestamp of another list, also if one account was downloaded: %s',
  (isWhole) => {
    for (const date of DATES) {
      write(listFiles(date).timestamp, grantedTimestamp(createHash('sha256').update(listOf(MONDAY)).digest()));
    }
    expect(found(isWhole)).toEqual(
      [TUESDAY, WEDNESDAY].map((date) => `null ${date} days/${date}.txt.tsr is not a timestamp of the list`),
    );
  },
);

it('lists of statements report an invalid timestamp', () => {
  write(listFiles(MONDAY).timestamp, createHash('sha256').update(listOf(MONDAY)).digest());
  expect(found()).toEqual([`null ${MONDAY} days/${MONDAY}.txt.tsr is not a timestamp of the list`]);
});
