/** Values that stand where a password, a token or a key is named. What they are made of decides. */

import { cellsUnder } from './column.ts';
import { matchesOf, type Rule } from './finding.ts';
import { classesOf, isKey, isMixed, isNoReference, isOfWords, isPassword, isStrong } from './secret.ts';

/** Names of secrets. What is before them (`DB_`, `мой `) does not matter, nor what ends them (`_2`, ` от вайфая`). */
const NAME =
  /pass|pwd|psw|(?<![a-z])pw(?![a-z])|парол|пасс|token|secret|key|credential|psk|session_?id|(?<=[?&])sig(?==)|(?<![a-z])sid(?==)|токен|секрет|ключ/gi;
/** The whole name, from where a short one was found. */
const PASSWORD =
  /^(?:pass(?:word|wd|phrase|code)?s?(?!\p{L})|(?:pwd|psw|pw)(?!\p{L})|парол(?:ь|я|ем|и|ю)(?!\p{L})|пасс(?:ворд)?(?!\p{L}))/iu;
const TOKEN = /^(?:token|secret|credentials?|psk|session_?id|sig|sid|(?:токен|секрет|ключ)(?:а|ом|у|е)?)(?!\p{L})/iu;
const KEY = /(?:api|access|secret|private|account|auth|encryption|signing|shared|master)[-_ ]?$/i;
/** In `compass` no secret is named; in `requirepass` one is. */
const OTHER_WORD = /(?:com|by|sur|tres|under|over|im|lam)$/i;
/** What is said of a secret: `password_reset_url`, `token type`, `private_key_id`. */
const ABOUT =
  /^["'`\])]{0,2}[ _.-](?:reset|policy|min|max|len|hash|file|field|change(?!d? (?:from|to) )|expir|updated|created|age|ur[il]|link|strength|score|encod|algorithm|hint|rules?|manager|id|name|count|type|endpoint|path|ttl|limit|rate|budget|usage|version|prefix|alias|arn|fingerprint|size|rotation|validat|require)/i;

/** From a name to its value: what closes the name, a few words, and a sign or a verb. */
const SIGN =
  /^[\p{N}_]{0,3}\\?["'`\])]{0,2}\*{0,2}(?: ?\([^()\n]{1,40}\))?[ \p{L}\d._-]{0,40}?(?:\s?\*{0,2}(?:=>|:=|->|→|[:=>])|\s[–—-]\s|\s(?:is|was|to|from|был|была|будет|теперь|стал|на)\s(?:now |set to |changed to |теперь )?)(?:\*\*|__)?\s{0,3}(?:\*\*|__)?/u;
/** `Password for ann@example.org: …`: whose it is stands between a name and its value. */
const OWNER =
  /^(?:[ \p{L}-]{0,40} )?\(?[\p{L}\d._%+-]{1,64}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){1,4}\)?(?=[\s:=–—-])/u;
const QUOTED = /^(?:\\?(["'`])((?:(?!\1)[^\n\\]|\\(?!\1[,}\s])[^\n]){1,256})\\?\1|[«“„]([^\n»”“]{1,256})[»”“])/;
const BARE = /^[^\s"'`<>;,)«»“”„]{1,256}/;
/** What goes on beyond that is the same value. */
const REST = /[^\s"'`<>;,)«»“”„]*/y;
/** `name: DB_PASSWORD`, and the value in the next field. */
const NEXT_FIELD = /^[\p{L}\p{N}_]{0,16}["']?\s{0,2}(?:\\n|[\n,])\s{0,12}["']?value["']?\s?[:=]\s?/u;
/** `is still`, `: use`. */
const ADVERBS = /^(?:\p{L}{1,12} ){1,2}/u;
/** A value in quotes needs no sign. */
const BEFORE_QUOTES = /^(?: \p{L}{1,16}){0,2}\s{1,3}(?=["'`«“„])/u;
/** At most two words between a name and a value without a sign. */
const NEXT_WORDS = /^(?: \p{L}{1,16}){0,2} \(?([^\s"'`<>;,()«»“”„]{8,64})/u;
/** Where a sentence that speaks of a secret ends, and what may be one in it. */
const SENTENCE = /^[^\n;]*?(?=[.!?;\n]\s|\n|;|$)/;
const CHUNK = /[^\s"'`<>;,()«»“”„]{8,64}/g;
/** A column whose heading has this holds such values. */
const HEADING = /(?<!\p{L})(?:пароль|пароли|password|passwd)(?!\p{L})/iu;
const MAX_SENTENCE = 80;
const LOOK_AHEAD = 320;
/** `passwords: … and …`, `changed from … to …`. */
const ANOTHER = /^(["'`»”*]{0,2}(?:,|\s?\/|\s(?:and|or|to|и|или|на))\s["'`«“*]{0,2})([^\s"'`<>;,()«»“”„]{6,64})/u;
/** `«…» is the password`. */
const BEFORE_NAME =
  /["'`«“]([^\s"'`»”]{6,64})["'`»”] ?(?:[–—-] ?|is )(?:это |the |your |my |мой |ваш |новый )?(?:парол|pass)/gi;

export const findNamedSecrets: Rule = (text, _, add) => {
  if (HEADING.test(text)) {
    for (const { value, start } of cellsUnder(text, HEADING)) if (isPassword(value)) add(start, start + value.length);
  }
  let done = 0;
  for (const { index } of text.matchAll(NAME)) {
    if (index < done) continue;
    const rest = text.slice(index, index + LOOK_AHEAD);
    const name = nameAt(rest, text.slice(Math.max(0, index - 12), index));
    const found = name && valueAfter(rest.slice(name.length), name.isSecret);
    if (!found) continue;
    const start = index + name.length + found.start;
    done = index + name.length + found.end;
    if (done === index + LOOK_AHEAD) done = endOfValue(text, done);
    add(start, done);
    const another = ANOTHER.exec(text.slice(done, done + LOOK_AHEAD));
    const value = withoutStop(another?.[2] ?? '');
    if (!another || !isPassword(value) || classesOf(value) < 3) continue;
    add(done + another[1]!.length, done + another[1]!.length + value.length);
  }
  if (text.includes('парол') || text.includes('pass')) {
    for (const { 0: found, 1: value = '', index } of matchesOf(BEFORE_NAME, text)) {
      if (isPassword(value)) add(index + found.indexOf(value), index + found.indexOf(value) + value.length);
    }
  }
};

/** The name of a secret, and what its value is like. */
function nameAt(rest: string, before: string): { length: number; isSecret: (value: string) => boolean } | undefined {
  const password = PASSWORD.exec(rest)?.[0];
  if (password !== undefined) {
    const isOther = password.length <= 4 && OTHER_WORD.test(before);
    return isOther ? undefined : { length: password.length, isSecret: isPassword };
  }
  const token = TOKEN.exec(rest)?.[0];
  if (token !== undefined) return { length: token.length, isSecret: isKey };
  return /^key(?!\p{L})/iu.test(rest) && KEY.test(before) ? { length: 3, isSecret: isKey } : undefined;
}

function endOfValue(text: string, from: number): number {
  REST.lastIndex = from;
  return from + REST.exec(text)![0].length;
}

/** The value that a name is given, where it is a secret. */
function valueAfter(rest: string, isSecret: (value: string) => boolean): { start: number; end: number } | undefined {
  if (ABOUT.test(rest)) return undefined;
  const owner = OWNER.exec(rest)?.[0].length;
  if (owner !== undefined) return shifted(valueAfter(rest.slice(owner), isSecret), owner);
  const sign = (NEXT_FIELD.exec(rest) ?? SIGN.exec(rest) ?? BEFORE_QUOTES.exec(rest))?.[0];
  const given = sign === undefined ? nextIn(rest, isSecret) : givenIn(rest, sign.length, isSecret);
  return given ?? strongIn(rest);
}

function shifted(
  value: { start: number; end: number } | undefined,
  by: number,
): { start: number; end: number } | undefined {
  return value && { start: value.start + by, end: value.end + by };
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
  if (value === undefined || !isSecret(value)) return undefined;
  const start = from + (quoted === undefined ? 0 : after.indexOf(quoted));
  return { start, end: start + value.length };
}

/** After words that say nothing of it, only what is no word itself. */
function givenAfter(rest: string, from: number): { start: number; end: number } | undefined {
  const value = withoutStop(BARE.exec(rest.slice(from))?.[0] ?? '');
  const isSecret = isPassword(value) && classesOf(value) >= 3 && !isOfWords(value);
  return isSecret ? { start: from, end: from + value.length } : undefined;
}

/** Without a sign: a password of three kinds of characters, or a key that is no word. */
function nextIn(rest: string, isSecret: (value: string) => boolean): { start: number; end: number } | undefined {
  const words = NEXT_WORDS.exec(rest);
  const value = words && withoutStop(words[1]!);
  if (!value || !isNoReference(value) || classesOf(value) < 3) return undefined;
  const isLikely =
    isSecret === isPassword ? /\d/.test(value) && isPassword(value) : isMixed(value) && !isOfWords(value);
  if (!isLikely) return undefined;
  const start = words[0].length - words[1]!.length;
  return { start, end: start + value.length };
}

/** In the sentence that names a secret, what can be nothing else. */
function strongIn(rest: string): { start: number; end: number } | undefined {
  const sentence = SENTENCE.exec(rest.slice(0, MAX_SENTENCE))?.[0] ?? '';
  if (!/\d/.test(sentence)) return undefined;
  for (const { 0: chunk, index } of sentence.matchAll(CHUNK)) {
    // Cut off by the end of what was looked at.
    if (index + chunk.length === MAX_SENTENCE) return undefined;
    const value = withoutStop(chunk);
    if (isStrong(value)) return { start: index, end: index + value.length };
  }
  return undefined;
}

/** Parameters of an address, or of a form, that follow the value of one. */
const NEXT_PARAMETER = /[&#][A-Za-z][\w.[\]-]{0,40}=.*$/s;

/** The end of a sentence is no part of a value, nor is another parameter, nor what makes it bold. */
function withoutStop(written: string): string {
  const value = written.replace(NEXT_PARAMETER, '').replace(/(?:\*\*|__)$/, '');
  return value.replace(/[.!?:]+$/, (stop) =>
    stop.startsWith('!') || stop.startsWith('?') ? stop.replace(/[.:]+$/, '') : '',
  );
}
