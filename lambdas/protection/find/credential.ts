/** Secrets of programs and people: by their issuers, by their form, by where they stand, and by their name. */

import { matchesOf, wordsBefore, type Add, type Rule } from './finding.ts';
import { findIssuedKeys } from './issued-key.ts';
import { findNamedSecrets } from './named-secret.ts';
import { classesOf, isMixed, isNoReference, isPassword } from './secret.ts';

const ARMOUR = '-----BEGIN ';
const ARMOURED_KEY = /^-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
const MAX_ARMOUR = 64;
/** More than the longest key; a key without its end is taken up to here. */
const MAX_KEY = 16_384;

/** `scheme://user:password@host` and `-u user:password`. */
const IN_ADDRESS = /:\/\/[^\s:/@"'<>]{0,64}:([^\s/@"'<>]{3,256})@/g;
const IN_COMMAND = /(?<![\w-])(?:-u|--user)[ =]["']?[^\s:"']{1,64}:([^\s"']{4,128})/g;
/** Passwords in options; after a blank only of programs that log in. */
const OPTION = /(?<![\w-])-(?:p|P|a|w|storepass)(\s?)["']?([^\s"'-][^\s"']{5,63})/g;
const LOGS_IN =
  /(?:sshpass|login|mysql|mariadb|mongo|redis-cli|ldap|smbclient|keytool|lftp|psql|sqlcmd|rdesktop|freerdp|vncviewer)[^\n|;]*$/;
const COMMAND = 80;
const AUTHORIZATION =
  /(?:bearer|basic|authorization["']?\s?[:=]\s?["']?(?:token|api-?key|oauth))\s{1,4}([A-Za-z0-9._~+/-]{16,2048}={0,2})/gi;
/** `логин: anna / Vesna2030!`: a name and a password in one line. */
const ACCOUNT =
  /(?:логин|уч[её]тк[аиу]|доступы?|login|creds|credentials)(?:\s?[/&+и]\s?(?:pass(?:word)?|пароль))?(?: [a-zа-яё]{1,12}){0,3}\s?[:–—-]\s{0,2}[^\s/|:]{2,40}\s?[/|:]\s?([^\s"'`<>;,()«»]{6,64})/gi;

/** `ann@example.org / Vesna2030!`: an address and a password in one line. */
const MAIL_ACCOUNT = /@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\s?[/|:]\s?([^\s"'`<>;,()«»]{6,64})/g;

export const findCredentials: Rule = (text, numerals, add) => {
  findIssuedKeys(text, numerals, add);
  if (text.includes(ARMOUR)) findKeys(text, add);
  if (text.includes('://')) findCaptured(text, IN_ADDRESS, isNoReference, add);
  if (text.includes('-u')) findCaptured(text, IN_COMMAND, (value) => isNoReference(value) && /\D/.test(value), add);
  if (text.includes('-')) findInOptions(text, add);
  findCaptured(text, AUTHORIZATION, isMixed, add);
  findCaptured(text, ACCOUNT, isStrongPassword, add);
  if (text.includes('@')) findCaptured(text, MAIL_ACCOUNT, isStrongPassword, add);
  findNamedSecrets(text, numerals, add);
};

function isStrongPassword(value: string): boolean {
  return isPassword(value) && classesOf(value) >= 3;
}

function findInOptions(text: string, add: Add): void {
  for (const { 0: found, 1: blank, 2: value = '', index } of matchesOf(OPTION, text)) {
    const start = index + found.length - value.length;
    const isSecret =
      blank === ''
        ? found.startsWith('-p') && isNoReference(value) && classesOf(value) >= 3
        : isPassword(value) && LOGS_IN.test(wordsBefore(text, index, COMMAND));
    if (isSecret) add(start, start + value.length);
  }
}

function findKeys(text: string, add: Add): void {
  let end = 0;
  for (let start = text.indexOf(ARMOUR); start !== -1; start = text.indexOf(ARMOUR, end)) {
    end = start + ARMOUR.length;
    const opening = ARMOURED_KEY.exec(text.slice(start, start + MAX_ARMOUR))?.[0];
    if (opening === undefined) continue;
    const key = text.slice(start, start + MAX_KEY);
    const closing = opening.replace('BEGIN', 'END');
    const at = key.indexOf(closing);
    end = start + (at === -1 ? key.length : at + closing.length);
    add(start, end);
  }
}

function findCaptured(text: string, pattern: RegExp, isSecret: (value: string) => boolean, add: Add): void {
  for (const { 0: found, 1: value = '', index } of matchesOf(pattern, text)) {
    const start = index + found.lastIndexOf(value);
    if (isSecret(value)) add(start, start + value.length);
  }
}
