/**
 * Finds values next to a word, or below a heading, that announces a password, a token or a key. The value must also
 * look like a secret.
 */

import { cellsUnder } from './column.ts';
import type { Rule } from './finding.ts';
import { secretBefore, secretIn, secretNext, withoutStop } from './secret-in-words.ts';
import { classesOf, isKey, isOfWords, isPassword, isQuotedPassword } from './secret.ts';

/** Names of secrets; prefixes (`DB_`, `мой `) and suffixes (`_2`, ` от вайфая`) may surround them. */
const SECRET_NAME =
  /pass|pasword|(?<![a-z])parol(?!e)|pwd|psw|(?<![a-z\d])pw(?![a-z])|парол|пасс|кодов[а-яё]{1,3} слов|token|secret|key|credential|psk|session_?id|(?<=[?&])sig(?==)|(?<![a-z])sid(?==)|токен|секрет|ключ/gi;
/** The whole name of a password, at the position that SECRET_NAME has found. */
const PASSWORD =
  /^(?:pas{1,2}(?:word|wd|phrase|code)?s?(?!\p{L})|parol[yia']?(?!\p{L})|(?:pwd|psw|pw|psk)(?!\p{L})|парол(?:[ьяеюи]\p{L}{0,2})?(?!\p{L})|парольчик\p{L}{0,2}|кодов\p{L}{1,3} слов\p{L}{0,2}(?!\p{L})|пасс(?:ворд)?(?!\p{L}))/iu;
const TOKEN = /^(?:token|secret|credentials?|session_?id|sig|sid|(?:токен|секрет|ключ)(?:а|ом|у|е)?)(?!\p{L})/iu;
const KEY = /(?:api|access|secret|private|account|auth|encryption|signing|shared|master)[-_ ]?$/i;
/** Text before `key` that names a wireless network, so that `key` means a password. */
const OF_NETWORK = /(?:ssid|wi-?fi|wpa\d?|network|вайфай)[^\n]{0,40}$/i;
/** Text before `pass` that makes it part of another word, such as `compass`. `requirepass` names a secret. */
const OTHER_WORD = /(?:com|by|sur|tres|under|over|im|lam)$/i;
/**
 * `login/` before the name of a password, as in `login/password: anna / Vesna2030!`. The value then begins with the
 * user name.
 */
const AFTER_LOGIN = /(?:логин|login|user(?:name)?|юзер)\s?\/\s?$/i;
/** The rest of a name whose value is not a secret, as in `password_reset_url`, `token type` or `private_key_id`. */
const ABOUT =
  /^["'`\])]{0,2}[ _.-](?![\p{L}_.-]*\d)(?:reset(?! to )|policy|min|max|len|hash|file|field|change(?!d? (?:from|to) )|expir|updated|created|age|ur[il]|link|strength|score|encod|algorithm|hint|rules?|manager|id|name|count|type|endpoint|path|ttl|limit|rate|budget|usage|version|prefix|alias|arn|fingerprint|size|rotation|validat|require)/iu;

/** The text between a name and its value: the end of the name, a few words, and a sign such as `:` or a verb. */
const SIGN =
  /^[\p{N}_]{0,3}\\?["'`\])]{0,2}\*{0,2}(?: ?\([^()\n]{1,40}\))?[ \p{L}\d._-]{0,40}?(?:\s?\*{0,2}(?:=>|:=|->|→|[:=>])|\s[–—-]\s|\s(?:is|was|to|from|был|была|будет|теперь|стал|на)\s(?:now |set to |changed to |теперь )?)(?:\*\*|__)?\s{0,3}(?:\*\*|__)?/u;
const LATER_SIGN = /^[\p{L}\d ]{1,40}(?:\s?[:=]|\s[–—-])\s/u;
/** An owner between a name and its value, as in `Password for ann@example.org: …`. */
const OWNER =
  /^(?:[ \p{L}-]{0,40} )?\(?[\p{L}\d._%+-]{1,64}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){1,4}\)?(?=[\s:=–—-])/u;
const QUOTED = /^(?:\\?(["'`])((?:(?!\1)[^\n\\]|\\(?!\1[,}\s])[^\n]){1,256})\\?\1|[«“„]([^\n»”“]{1,256})[»”“])/;
const BARE = /^(?:[^\s"'`<>;,)«»“”„\\]|\\(?![nrt"'])){1,256}/;
/** The rest of a value that continues after the examined text. */
const SECRET_REST = /[^\s"'`<>;,)«»“”„]*/y;
/** The text between a name and its value in the next field, as in `name: DB_PASSWORD`, `value: …`. */
const NEXT_FIELD = /^[\p{L}\p{N}_]{0,16}["']?\s{0,2}(?:\\n|[\n,])\s{0,12}["']?value["']?\s?[:=]\s?/u;
/** One or two words before a value, as in `is still` or `: use`. */
const ADVERBS = /^(?:\p{L}{1,12} ){1,2}/u;
/** The text between a name and a value in quotes. No sign such as `:` is needed there. */
const BEFORE_QUOTES = /^(?: \p{L}{1,16}){0,2}\s{1,3}(?=["'`«“„])/u;
const SECRET_HEADING = /(?<!\p{L})(?:пароль|пароли|password|passwd)(?!\p{L})/iu;
const LOOK_AHEAD = 320;
const MAX_BEFORE_SECRET = 48;
/** A second value, as in `passwords: … and …` or `changed from … to …`. */
const ANOTHER_SECRET =
  /^(["'`»”*]{0,2}(?:,(?:\sа)?|\s?\/|\s(?:and|or|to|и|или|на|а))\s["'`«“*]{0,2})([^\s"'`<>;,()«»“”„]{6,64})/u;

export const findNamedSecrets: Rule = (text, _, add) => {
  if (SECRET_HEADING.test(text)) {
    for (const { value, start } of cellsUnder(text, SECRET_HEADING))
      if (isPassword(value)) add(start, start + value.length);
  }
  let done = 0;
  for (const { index } of text.matchAll(SECRET_NAME)) {
    if (index < done) continue;
    const rest = text.slice(index, index + LOOK_AHEAD);
    const name = nameAt(rest, text.slice(Math.max(0, index - MAX_BEFORE_SECRET), index));
    const earlier = name && secretBefore(text, index);
    if (earlier && earlier.start >= done) {
      done = index + name.length;
      add(earlier.start, earlier.end);
      continue;
    }
    const found = name && valueAfter(rest.slice(name.length), name.isSecret);
    if (!found) continue;
    const start = index + name.length + found.start;
    done = index + name.length + found.end;
    if (done === index + LOOK_AHEAD) done = endOfValue(text, done);
    add(start, done);
    const another = ANOTHER_SECRET.exec(text.slice(done, done + LOOK_AHEAD));
    const value = withoutStop(another?.[2] ?? '');
    if (!another || !isPassword(value) || classesOf(value) < 3) continue;
    add(done + another[1]!.length, done + another[1]!.length + value.length);
  }
};

/**
 * Returns the length of a secret's name at the start of a text, and the test for its value; undefined if no name is
 * there.
 */
function nameAt(rest: string, before: string): { length: number; isSecret: (value: string) => boolean } | undefined {
  const password = PASSWORD.exec(rest)?.[0];
  if (password !== undefined) {
    const isOther = (password.length <= 4 && OTHER_WORD.test(before)) || AFTER_LOGIN.test(before);
    return isOther ? undefined : { length: password.length, isSecret: isPassword };
  }
  const token = TOKEN.exec(rest)?.[0];
  if (token !== undefined) return { length: token.length, isSecret: isKey };
  if (!/^key(?!\p{L})/iu.test(rest)) return undefined;
  if (KEY.test(before)) return { length: 3, isSecret: isKey };
  return OF_NETWORK.test(before) ? { length: 3, isSecret: isPassword } : undefined;
}

function endOfValue(text: string, from: number): number {
  SECRET_REST.lastIndex = from;
  return from + SECRET_REST.exec(text)![0].length;
}

/** Returns the position of the value after a name; undefined if there is no secret. */
function valueAfter(rest: string, isSecret: (value: string) => boolean): { start: number; end: number } | undefined {
  if (ABOUT.test(rest)) return undefined;
  const owner = rest.includes('@') ? OWNER.exec(rest)?.[0].length : undefined;
  if (owner !== undefined) return shifted(valueAfter(rest.slice(owner), isSecret), owner);
  const sign = (NEXT_FIELD.exec(rest) ?? SIGN.exec(rest) ?? BEFORE_QUOTES.exec(rest))?.[0];
  const given =
    sign === undefined ? undefined : (givenIn(rest, sign.length, isSecret) ?? givenLater(rest, sign.length, isSecret));
  const wants = isSecret === isPassword ? 'password' : 'key';
  return given ?? secretNext(rest, wants) ?? secretIn(rest, wants);
}

function shifted(
  value: { start: number; end: number } | undefined,
  by: number,
): { start: number; end: number } | undefined {
  return value && { start: value.start + by, end: value.end + by };
}

/** Reads a value after some words and a second sign, as in `пароль на открытие — …`. */
function givenLater(
  rest: string,
  from: number,
  isSecret: (value: string) => boolean,
): { start: number; end: number } | undefined {
  const sign = LATER_SIGN.exec(rest.slice(from))?.[0];
  return sign === undefined ? undefined : givenIn(rest, from + sign.length, isSecret);
}

function givenIn(
  rest: string,
  from: number,
  isSecret: (value: string) => boolean,
): { start: number; end: number } | undefined {
  const after = rest.slice(from);
  const adverbs = ADVERBS.exec(after)?.[0];
  if (adverbs !== undefined) return givenAfter(rest, from + adverbs.length);
  const [, , straight, curved] = QUOTED.exec(after) ?? [];
  const quoted = straight ?? curved;
  const bare = quoted === undefined ? BARE.exec(after)?.[0] : undefined;
  const value = quoted ?? (bare === undefined ? undefined : withoutStop(bare));
  if (value === undefined || !(isSecret(value) || (quoted !== undefined && isQuotedPassword(value)))) return undefined;
  const start = from + (quoted === undefined ? 0 : after.indexOf(quoted));
  return { start, end: start + withoutClosing(value).length };
}

/** Removes escaped line breaks, and the closing brackets of an object, from the end of a value. */
function withoutClosing(value: string): string {
  return /[}nrt]$/.test(value) ? value.replace(/(?:\\[nrt])+$|(?<=[^{]{6})\}+$/, '') : value;
}

/** Reads a value after one or two words, as in `password is still …`, unless it consists of words. */
function givenAfter(rest: string, from: number): { start: number; end: number } | undefined {
  const value = withoutStop(BARE.exec(rest.slice(from))?.[0] ?? '');
  const isSecret = isPassword(value) && classesOf(value) >= 3 && !isOfWords(value);
  return isSecret ? { start: from, end: from + value.length } : undefined;
}
