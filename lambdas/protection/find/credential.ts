import { matchesOf, wordsBefore, type Add, type Rule } from './finding.ts';
import { findIssuedKeys } from './issued-key.ts';
import { findNamedSecrets } from './named-secret.ts';
import { findNumericSecrets } from './numeric-secret.ts';
import { findSecretArguments } from './secret-argument.ts';
import { classesOf, isMixed, isNoReference, isPassword } from './secret.ts';

const ARMOUR = '-----BEGIN ';
const ARMOURED_KEY = /^-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
const MAX_ARMOUR = 64;
/** Maximum length in characters; a key without its END line is matched up to this length. */
const MAX_KEY = 16_384;

/** The password in `scheme://user:password@host`, or, with IN_COMMAND, in `-u user:password`. */
const CREDENTIAL_IN_ADDRESS = /:\/\/[^\s:/@"'<>]{0,64}:([^\s/@"'<>]{3,256})@/g;
const IN_COMMAND = /(?<![\w-])(?:-u|--user)[ =]["']?[^\s:"']{1,64}:([^\s"']{4,128})/g;
const AUTHORIZATION_VALUE =
  /(?:bearer|basic|authorization["']?\s?[:=]\s?["']?(?:token|api-?key|oauth))\s{1,4}([A-Za-z0-9._~+/-]{16,2048}={0,2})/gi;
/** A user name and a password in one line, as in `логин: anna / Vesna2030!`. */
const ACCOUNT =
  /(?:логин|уч[её]тк[аиу]|доступы?|login|creds|credentials)(?:\s?[/&+и]\s?(?:pass(?:word)?|пароль))?(?: [a-zа-яё]{1,12}){0,3}\s?[:–—-]\s{0,2}[^\s/|:]{2,40}\s?[/|:]\s?([^\s"'`<>;,()«»]{6,64})/gi;

/** The part before `@` in a URL with a user name. */
const IN_URL = /:\/\/\S*$/;
const MAX_USER = 320;
/** A mail address and a password in one line, as in `ann@example.org / Vesna2030!`. */
const MAIL_ACCOUNT = /@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\s?[/|:]\s?([^\s"'`<>;,()«»]{6,64})/g;
/** The seed phrase of a wallet: 12 to 24 words. */
const SEED =
  /(?:(?:seed|recovery|mnemonic|backup|secret)[ -]phrase|(?:сид|мнемоническ\p{L}{2}|секретн\p{L}{2})[ -]?фраз\p{L})[^\n:=–—-]{0,60}[:=–—-]\s?["'«]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])/giu;
/** A passphrase after its label: words that end with a number, or any words in quotes. */
const PHRASE =
  /(?:(?:парольн|секретн|кодов)\p{L}{2} фраз\p{L}|фраза-пароль|passphrase)[^\n:=–—«"?]{0,60}(?:[:=?]|\s[–—]|(?=[«"]))\s{0,2}(?:[«"]((?:[\p{L}\d-]{1,16} ){2,11}[\p{L}\d-]{1,16})[»"]|((?:[\p{Ll}-]{1,16} ){2,11}\d{1,6})(?![\p{L}\d]))/giu;
/**
 * A user name and a password after both labels, as in `login/password: print_ok / t1pograf1ya`. The password may then
 * be weaker than after one label.
 */
const NAMED_ACCOUNT =
  /(?:логин|login|user(?:name)?|юзер)\s?[/&+и]\s?(?:pass(?:word)?|пароль?)(?: [\p{L}\d]{1,16}){0,4}\s?[:–—-]\s{0,2}[^\s/|:]{2,40}\s?[/|:]\s?([^\s"'`<>;,()«»]{6,64})/giu;

export const findCredentials: Rule = (text, numerals, add) => {
  const lower = text.toLowerCase();
  findIssuedKeys(text, numerals, add);
  if (text.includes(ARMOUR)) findKeys(text, add);
  if (text.includes('://')) findCaptured(text, CREDENTIAL_IN_ADDRESS, isWritten, add);
  if (text.includes('-u')) findCaptured(text, IN_COMMAND, (value) => isNoReference(value) && /\D/.test(value), add);
  findSecretArguments(text, lower, add);
  if (/bearer|basic|authorization/.test(lower)) findCaptured(text, AUTHORIZATION_VALUE, isMixed, add);
  if (/логин|уч[её]тк|доступ|login|cred|юзер|user/.test(lower)) {
    findCaptured(text, ACCOUNT, isStrongPassword, add);
    findCaptured(text, NAMED_ACCOUNT, isPassword, add);
  }
  if (/phrase|фраз/.test(lower)) {
    findCaptured(text, SEED, isAny, add);
    findCaptured(text, PHRASE, isAny, add);
  }
  if (text.includes('@')) findBehindMail(text, add);
  findNamedSecrets(text, numerals, add);
  findNumericSecrets(text, lower, add);
};

function isAny(): boolean {
  return true;
}

/** Whether a value may be a password, and is not a placeholder as in `scheme://USER:PASSWORD@host`. */
function isWritten(value: string): boolean {
  return isNoReference(value) && !/^(?:password|passwd|pass|pwd|secret|token|пароль)$/i.test(value);
}

function findBehindMail(text: string, add: Add): void {
  for (const { 0: found, 1: value = '', index } of matchesOf(MAIL_ACCOUNT, text)) {
    // In a URL, a port or a path follows the host after `user@`, not a password.
    if (!isStrongPassword(value) || IN_URL.test(wordsBefore(text, index, MAX_USER))) continue;
    add(index + found.length - value.length, index + found.length);
  }
}

function isStrongPassword(value: string): boolean {
  return isPassword(value) && classesOf(value) >= 3;
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
  for (const { 0: found, 1: first, 2: second, index } of matchesOf(pattern, text)) {
    const value = first ?? second ?? '';
    const start = index + found.lastIndexOf(value);
    if (isSecret(value)) add(start, start + value.length);
  }
}
