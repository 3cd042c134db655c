import { isWordAt, wordsBefore, type Rule } from './finding.ts';

/** Of RFC 5321. */
const MAX_LOCAL = 64;
const MAX_DOMAIN = 255;

/** Beside letters and digits: what local parts have. RFC 5322 allows more, which in texts is mostly quotes and syntax. */
const LOCAL_SIGNS = ".+-%'";
const DOMAIN_SIGNS = '.-';
const DOMAIN = /^(?!.*(?:\.\.|\.-|-\.)).*\.(?:\p{L}{2,}|xn--[a-z0-9-]+)$/iu;
/** `logo@2x.png` is a file. */
const FILE = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|js|ts|tsx|json|html?|xml|pdf|zip|gz)$/i;

/** `https://user:password@host`, `ssh -p 22 user@host`: nobody's mail. */
const IN_ADDRESS =
  /:\/\/[^\s/@]*$|(?<![\w-])(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)\s(?:-\S{1,16}\s(?:\S{1,32}\s)?){0,3}$/;
/** `git@host`, `user@host:/srv`, `user@host:~$`. */
const GIT = /(?<![\w.+-])git@$/;
const OF_MACHINE = /:[/~]/y;

/** Addresses of mail, in any script. */
export const findEmails: Rule = (text, _, add) => {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const start = startOfLocal(text, at);
    const end = start < at ? endOfDomain(text, at + 1) : at;
    const domain = text.slice(at + 1, end);
    if (domain.length <= 3 || !DOMAIN.test(domain) || FILE.test(domain)) continue;
    if (!isOfMachine(text, at, end) && !IN_ADDRESS.test(wordsBefore(text, start, MAX_LOCAL))) add(start, end);
  }
};

function isOfMachine(text: string, at: number, end: number): boolean {
  OF_MACHINE.lastIndex = end;
  return OF_MACHINE.test(text) || GIT.test(wordsBefore(text, at + 1, 'x git@'.length));
}

function startOfLocal(text: string, at: number): number {
  const first = Math.max(0, at - MAX_LOCAL);
  let start = at;
  while (start > first && (isWordAt(text, start - 1) || LOCAL_SIGNS.includes(text.charAt(start - 1)))) start -= 1;
  // An opening quote or a dash before it is not part of it.
  while (start < at && !isWordAt(text, start)) start += 1;
  return start;
}

function endOfDomain(text: string, from: number): number {
  const last = Math.min(text.length, from + MAX_DOMAIN);
  let end = from;
  while (end < last && (isWordAt(text, end) || DOMAIN_SIGNS.includes(text.charAt(end)))) end += 1;
  // The end of a sentence.
  while (end > from && !isWordAt(text, end - 1)) end -= 1;
  return end;
}
