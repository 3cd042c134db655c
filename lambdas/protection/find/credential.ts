/**
 * Secrets of programs and people: what begins as its issuer says, keys in armour, and values that stand where a password
 * or a key is named. What the last are made of decides: a word, a variable or a call is no secret.
 */

import type { Rule } from './finding.ts';

/** Beginnings that issuers document, and the least that follows. */
const ISSUED = [
  // Anthropic, OpenAI, OpenRouter, DeepSeek and others
  String.raw`sk-[A-Za-z0-9_-]{20,}`,
  // Stripe
  String.raw`(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}`,
  String.raw`whsec_[A-Za-z0-9+/=]{20,}`,
  // AWS
  String.raw`(?:AKIA|ASIA)[A-Z0-9]{16}`,
  // GitHub, GitLab
  String.raw`gh[pousr]_[A-Za-z0-9]{30,}`,
  String.raw`github_pat_[A-Za-z0-9_]{40,}`,
  String.raw`gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_.-]{18,}`,
  // Slack
  String.raw`xox[abeoprs]-[A-Za-z0-9-]{20,}`,
  String.raw`xapp-[A-Za-z0-9-]{20,}`,
  String.raw`https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,}`,
  // Google
  String.raw`AIza[A-Za-z0-9_-]{30,}`,
  String.raw`GOCSPX-[A-Za-z0-9_-]{20,}`,
  String.raw`ya29\.[A-Za-z0-9_-]{20,}`,
  String.raw`1//0[A-Za-z0-9_-]{25,}`,
  // Yandex: API keys, OAuth, IAM
  String.raw`AQVN[A-Za-z0-9_-]{30,}`,
  String.raw`y[0-3]_[A-Za-z0-9_-]{30,}`,
  String.raw`t1\.[A-Za-z0-9_-]{20,}={0,2}\.[A-Za-z0-9_-]{20,}={0,2}`,
  // Telegram's bots
  String.raw`\d{8,10}:AA[A-Za-z0-9_-]{30,}`,
  // SendGrid, npm, PyPI, Hugging Face, Docker, DigitalOcean, Groq, xAI, Perplexity, Fireworks
  String.raw`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}`,
  String.raw`npm_[A-Za-z0-9]{30,}`,
  String.raw`pypi-[A-Za-z0-9_-]{40,}`,
  String.raw`hf_[A-Za-z0-9]{30,}`,
  String.raw`dckr_pat_[A-Za-z0-9_-]{20,}`,
  String.raw`do[opr]_v1_[a-f0-9]{60,}`,
  String.raw`(?:gsk|xai|pplx|fw)[_-][A-Za-z0-9]{30,}`,
  // JSON Web Tokens
  String.raw`eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`,
];
/** Where none of these stands, the longer pattern need not be tried. */
const BEGINNING =
  /sk[-_]|[rp]k_|whsec_|A(?:KI|SI|Iz|QV)|gh[pousr]_|github_|gl[a-z]{2,3}-|xox|xapp|hooks\.sl|GOCS|ya29|1\/\/0|y[0-3]_|t1\.|:AA|SG\.|npm_|pypi-|hf_|dckr|do[opr]_|gsk_|xai-|pplx-|fw_|eyJ/;
const ISSUED_SECRET = new RegExp(String.raw`(?<![A-Za-z0-9_])(?:${ISSUED.join('|')})`, 'g');

const ARMOUR = '-----BEGIN ';
const ARMOURED_KEY = /^-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
const MAX_ARMOUR = 64;
/** More than the longest key; a key without its end is taken up to here. */
const MAX_KEY = 16_384;

/** `scheme://user:password@host` and `-u user:password`. */
const IN_ADDRESS = /:\/\/[^\s:/@"'<>]{0,64}:([^\s/@"'<>]{3,256})@/g;
const IN_COMMAND = /(?<![\w-])(?:-u|--user)[ =]["']?[^\s:"']{1,64}:([^\s"']{4,128})/g;
const OPTION = /(?<![\w-])-p["']?([^\s"'-][^\s"']{5,63})/g;
const AUTHORIZATION = /(?:bearer|basic)\s{1,4}([A-Za-z0-9._~+/-]{16,2048}={0,2})/gi;

/** Names of secrets. What is before them (`DB_`, `мой `) does not matter, nor what ends them (`_2`, ` от вайфая`). */
const NAME = /pass|pwd|парол|token|secret|key|credential|токен|секрет|ключ/gi;
/** The whole name, from where a short one was found. */
const PASSWORD = /^(?:pass(?:word|wd|phrase|code)?s?(?!\p{L})|pwd(?!\p{L})|парол(?:ь|я|ем|и)(?!\p{L}))/iu;
const TOKEN = /^(?:token|secret|credentials?|токен|секрет|ключ)(?!\p{L})/iu;
const KEY = /(?:api|access|secret|private|account|auth|encryption|signing|shared|master)[-_ ]?$/i;
/** In `compass` no secret is named. */
const GOES_ON = /[a-zа-яё]$/;

/** From a name to its value: what closes the name, a few words, and a sign or a verb. */
const SIGN = /^[\p{N}_]{0,3}["'`\])]{0,2}[ \p{L}\d._-]{0,40}?(?:\s?(?:=>|:=|[:=>])|\s[–—-]\s|\sis\s)\s{0,3}/u;
const QUOTED = /^(?:(["'`])((?:(?!\1)[^\n\\]){1,256})\1|[«“„]([^\n»”“]{1,256})[»”“])/;
const BARE = /^[^\s"'`<>;,)«»“”„]{1,256}/;
/** What goes on beyond that is the same value. */
const REST = /[^\s"'`<>;,)«»“”„]*/y;
/** A value in quotes needs no sign. */
const BEFORE_QUOTES = /^\s{1,3}(?=["'`«“„])/;
/** At most two words between a name and a value without a sign. */
const NEXT_WORDS = /^(?: \p{L}{1,16}){0,2} \(?([^\s"'`<>;,()«»“”„]{8,64})/u;
const LOOK_AHEAD = 320;

export const findCredentials: Rule = function* (text) {
  if (BEGINNING.test(text)) {
    for (const { 0: found, index: start } of text.matchAll(ISSUED_SECRET)) {
      if (isMixed(found)) yield { start, end: start + found.replace(/[.-]+$/, '').length };
    }
  }
  if (text.includes(ARMOUR)) yield* findKeys(text);
  if (text.includes('://')) yield* captured(text, IN_ADDRESS, isNoReference);
  yield* captured(text, IN_COMMAND, (value) => isNoReference(value) && /\D/.test(value));
  yield* captured(text, OPTION, (value) => isNoReference(value) && classesOf(value) >= 3);
  yield* captured(text, AUTHORIZATION, isMixed);
  yield* findNamed(text);
};

function* findKeys(text: string): ReturnType<Rule> {
  let end = 0;
  for (let start = text.indexOf(ARMOUR); start !== -1; start = text.indexOf(ARMOUR, end)) {
    end = start + ARMOUR.length;
    const opening = ARMOURED_KEY.exec(text.slice(start, start + MAX_ARMOUR))?.[0];
    if (opening === undefined) continue;
    const key = text.slice(start, start + MAX_KEY);
    const closing = opening.replace('BEGIN', 'END');
    const at = key.indexOf(closing);
    end = start + (at === -1 ? key.length : at + closing.length);
    yield { start, end };
  }
}

function* captured(text: string, pattern: RegExp, isSecret: (value: string) => boolean): ReturnType<Rule> {
  for (const { 0: found, 1: value = '', index } of text.matchAll(pattern)) {
    const start = index + found.lastIndexOf(value);
    if (isSecret(value)) yield { start, end: start + value.length };
  }
}

function* findNamed(text: string): ReturnType<Rule> {
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
    yield { start, end: done };
  }
}

/** The name of a secret, and what its value is like. */
function nameAt(rest: string, before: string): { length: number; isSecret: (value: string) => boolean } | undefined {
  const password = PASSWORD.exec(rest)?.[0];
  if (password !== undefined) {
    const isShort = password.length === 4 && GOES_ON.test(before);
    return isShort ? undefined : { length: password.length, isSecret: isPassword };
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
  const sign = (SIGN.exec(rest) ?? BEFORE_QUOTES.exec(rest))?.[0];
  if (sign === undefined) {
    const words = NEXT_WORDS.exec(rest);
    const value = words && withoutStop(words[1]!);
    if (!value || !isMixed(value) || classesOf(value) < 3) return undefined;
    const start = words[0].length - words[1]!.length;
    return { start, end: start + value.length };
  }
  const after = rest.slice(sign.length);
  const [, , straight, curved] = QUOTED.exec(after) ?? [];
  const quoted = straight ?? curved;
  const bare = quoted === undefined ? BARE.exec(after)?.[0] : undefined;
  const value = quoted ?? (bare === undefined ? undefined : withoutStop(bare));
  if (value === undefined || !isSecret(value)) return undefined;
  const start = sign.length + (quoted === undefined ? 0 : 1);
  return { start, end: start + value.length };
}

/** The end of a sentence is no part of a value. */
function withoutStop(value: string): string {
  return value.replace(/[.!?:]+$/, (stop) =>
    stop.startsWith('!') || stop.startsWith('?') ? stop.replace(/[.:]+$/, '') : '',
  );
}

/** Calls and what a shell or a template puts in: `${X}`, `$(cat x)`, `<token>`, `os.environ[…]`, `***`, another name. */
const EXPRESSION = /^[$<{[(%*]|[([{]|\*{3}|^[\w-]+=(?!=*$)/;
/** Names without a digit: `settings.key`, `YOUR_API_KEY`, `alias/main`; and what stands for something: `sk-...`. */
const REFERENCE =
  /^[A-Za-z_][\w-]*(?:(?:\.|::|->)[A-Za-z_][\w-]*)+$|^[A-Z]+(?:_[A-Z]+)+$|^your[-_]|^alias\/|\.\.\.|…|x{5}/i;

function isNoReference(value: string): boolean {
  return !EXPRESSION.test(value) && (/\d/.test(value) || !REFERENCE.test(value));
}

/** Six characters that are not one word, or digits alone. */
function isPassword(value: string): boolean {
  if (value.length < 6 || !isNoReference(value)) return false;
  return /^\d{6,}$/.test(value) || classesOf(value) >= 3 || (/\d/.test(value) && classesOf(value) >= 2);
}

/** Long and without order, or short and made of everything. */
function isKey(value: string): boolean {
  if (!isNoReference(value) || /^[\d.,:/-]+$/.test(value)) return false;
  return value.length >= 16 ? isMixed(value) : value.length >= 8 && /\d/.test(value) && classesOf(value) >= 3;
}

/** Letters and digits through each other, as in no word, name or date. */
function isMixed(value: string): boolean {
  const changes = value.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0;
  return (
    changes >= 3 ||
    (changes >= 1 && /[a-z]/.test(value) && /[A-Z]/.test(value)) ||
    (value.length >= 32 && /[a-z][A-Z]/.test(value))
  );
}

/** How many of small letters, capitals, digits and signs are in it. */
function classesOf(value: string): number {
  return [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d\s]/u].filter((kind) => kind.test(value)).length;
}
