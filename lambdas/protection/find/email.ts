import { isWordAt, wordsBefore, type Rule } from './finding.ts';

/** Lengths in characters. RFC 5321 defines the maximums. */
const MAX_LOCAL = 64;
const MIN_DOMAIN = 4;
const MAX_DOMAIN = 255;

/** RFC 5322 allows more characters, but in running text they are mostly quotes and syntax. */
const LOCAL_SIGNS = ".+-%'";
const DOMAIN_SIGNS = '.-';
const TOP_DOMAIN = /^(?:xn--[a-z0-9-]+|\p{L}{2,}(?=[-\d]|$))/iu;
/** File extensions that look like domains, as in `logo@2x.png`. */
const FILE = /^(?:png|jpe?g|gif|svg|webp|avif|ico|css|js|ts|tsx|json|html?|xml|pdf|zip|gz)$/i;
/** A version in place of a domain, as in `react@18.2.0.min.js` or `logo@2x.dark.png`. */
const FILE_VERSION = /^\d+(?:x|\.\d+)\./;

/** The start of a bounce address, which contains the original address after a `=`. */
const BOUNCED = /(?<![\w.+-])(?:bounces?|prvs|srs\d|btv\d)[+=-][\w.+=-]*=$/i;

/**
 * Text that shows that `user@host` is not a mail address, as in `https://user:password@host` and `ssh -p 22 user@host`.
 */
const EMAIL_IN_ADDRESS =
  /:\/\/[^\s/@]*$|(?<![\w-])(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)\s(?:-\S{1,16}\s(?:\S{1,32}\s)?){0,3}$/;
/** `git@` before a host. OF_MACHINE matches the text after the host in `user@host:/srv` or `user@host:~$`. */
const GIT = /(?<![\w.+-])git@$/;
const OF_MACHINE = /:[/~]/y;

/** Finds mail addresses, in any script. */
export const findEmails: Rule = (text, _, add) => {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const last = endOfLabels(text, at + 1);
    const start = startOfLocal(text, at, text.charAt(last) === '_');
    if (start >= at) continue;
    const end = at + 1 + domainLength(text.slice(at + 1, last));
    if (end <= at + MIN_DOMAIN) continue;
    if (!isOfMachine(text, at, end) && !EMAIL_IN_ADDRESS.test(wordsBefore(text, start, MAX_LOCAL))) add(start, end);
  }
};

function isOfMachine(text: string, at: number, end: number): boolean {
  OF_MACHINE.lastIndex = end;
  return OF_MACHINE.test(text) || GIT.test(wordsBefore(text, at + 1, 'x git@'.length));
}

/**
 * Returns the start of the part before the `@`; the position of the `@` if there is no such text.
 * @param isEmphasised whether the address is between `_` characters, which mark italics in Markdown
 */
function startOfLocal(text: string, at: number, isEmphasised: boolean): number {
  const first = Math.max(0, at - MAX_LOCAL);
  let start = at;
  while (start > first && (isWordAt(text, start - 1) || LOCAL_SIGNS.includes(text.charAt(start - 1)))) start -= 1;
  // An opening quote or a dash is not part of the address.
  const opening = isEmphasised ? '_' : '';
  while (start < at && (!isWordAt(text, start) || text.charAt(start) === opening)) start += 1;
  const bounced = BOUNCED.exec(text.slice(Math.max(0, start - MAX_LOCAL), start))?.[0];
  return bounced === undefined ? start : start - bounced.length;
}

/** Whether a character may belong to a domain. `_` does not, because it is Markdown or the start of another word. */
function isOfDomain(text: string, index: number): boolean {
  const sign = text.charAt(index);
  return sign !== '_' && (isWordAt(text, index) || DOMAIN_SIGNS.includes(sign));
}

function endOfLabels(text: string, from: number): number {
  const last = Math.min(text.length, from + MAX_DOMAIN);
  let end = from;
  while (end < last && isOfDomain(text, end)) end += 1;
  return end;
}

/**
 * Returns the length of the longest domain at the start of a text; 0 if there is none, or if the text is a version. A
 * file extension (`ann@example.org.pdf`) or the next sentence (`ann@example.org.2 files`) may follow it.
 */
function domainLength(text: string): number {
  let length = 0;
  let start = 0;
  for (const label of text.split('.')) {
    if (label === '' || label.startsWith('-')) break;
    const top = start > 0 ? TOP_DOMAIN.exec(label)?.[0] : undefined;
    if (top !== undefined && !FILE.test(top)) length = start + top.length;
    start += label.length + 1;
    if (label.endsWith('-')) break;
  }
  return length < text.length && FILE_VERSION.test(text) ? 0 : length;
}
