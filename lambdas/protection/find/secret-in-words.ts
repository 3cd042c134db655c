/** Finds values in sentences about a secret, without a sign such as `:`. */

import { matchesOf } from './finding.ts';
import { classesOf, isLikePassword, isNoReference, isOfWords, isPassword, isUnmistakable } from './secret.ts';

/** Number of characters after a name in which its value is searched, in one line and within two sentences. */
const MAX_SECRET_WORDS = 160;
const SENTENCES = /^[^\n{}]*?[.!?:](?=\s|$)[^\n{}]*?(?=[.?](?:\s|$)|[\n{}]|$)|^[^\n{}]*/;
const CHUNK = /[^\s"'`<>;,()«»“”„]{6,128}/g;
/** Words such as `commit` or `user`, after which a value is not a secret. */
const SECRET_OF_ANOTHER =
  /(?:^|[\s(])(?:commit|revision|rev|sha-?\d*|md5|hash|digest|checksum|etag|image|uuid|guid|id|request|trace|span|order|user|username|login|account|host|server|file|branch|version|ticket|коммит\p{L}*|хеш\p{L}*|хэш\p{L}*|заказ\p{L}*|номер\p{L}*|логин\p{L}*|юзер\p{L}*|пользовател\p{L}*|учётк\p{L}*|файл\p{L}*|хост\p{L}*|сервер\p{L}*|верси\p{L}*|тикет\p{L}*|заявк\p{L}*)\s?[:=#№]?\s?$/iu;
const TO_VALUE = /(?:сброшен|смен|измен|поменя|установ|постав|reset|changed|set)\p{L}{0,6}\s(?:на|to|as)\s$/iu;
const PREPOSITION =
  /(?:^|[\s(])(?:от|для|на|в|во|к|у|из|по|с|со|до|for|to|of|on|in|into|from|at|with|by|via|and|и|а|or|или)\s$/iu;
/** Words in a sentence about rules for passwords, in which a value is probably an example. */
const ABOUT_RULES =
  /политик|требован|минимум|не менее|символ|policy|must|should contain|at least|characters|minimum|expires?\b/i;

/** Returns the position of a secret in the sentence after its name; undefined if there is none. */
export function secretIn(rest: string, wants: 'password' | 'key'): { start: number; end: number } | undefined {
  const words = SENTENCES.exec(rest.slice(0, MAX_SECRET_WORDS))![0];
  if (!/\d|-/.test(words)) return undefined;
  const isCutOff = words.length === MAX_SECRET_WORDS;
  const speaksOfRules = ABOUT_RULES.test(words);
  let likely: { start: number; end: number } | undefined;
  for (const { 0: chunk, index } of matchesOf(CHUNK, words)) {
    if (isCutOff && index + chunk.length === words.length) break;
    // Without a sign, only values with a digit or a hyphen count.
    if (!/[\d-]/.test(chunk)) continue;
    const value = withoutStop(chunk);
    const before = words.slice(Math.max(0, index - 24), index);
    if (SECRET_OF_ANOTHER.test(before)) continue;
    const found = { start: index, end: index + value.length };
    if (isUnmistakable(value) || (wants === 'key' && isUuid(value))) return found;
    if (
      wants === 'password' &&
      !speaksOfRules &&
      (!PREPOSITION.test(before) || TO_VALUE.test(before)) &&
      isLikePassword(value)
    )
      likely ??= found;
  }
  return likely;
}

function isUuid(value: string): boolean {
  return /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(value);
}

/** A value directly after a secret's name, or after one or two other words. */
const NEXT_WORDS = /^(?: \p{L}{1,16}){0,2} \(?([^\s"'`<>;,()«»“”„]{8,64})/u;

/**
 * Returns the position of a secret after its name; undefined if there is none. A password in the form RIGHT_AFTER must
 * directly follow the name. Another value may have two words before it, but needs a digit and three kinds of
 * characters.
 */
export function secretNext(rest: string, wants: 'password' | 'key'): { start: number; end: number } | undefined {
  const word = wants === 'password' ? RIGHT_AFTER.exec(rest)?.[1] : undefined;
  if (word !== undefined && word.length >= 6) return { start: 1, end: 1 + word.length };
  const words = NEXT_WORDS.exec(rest);
  const value = words && withoutStop(words[1]!);
  if (!value || !isNoReference(value) || classesOf(value) < 3 || !/\d/.test(value)) return undefined;
  if (wants === 'password' ? !isPassword(value) : isOfWords(value)) return undefined;
  const start = words[0].length - words[1]!.length;
  return { start, end: start + value.length };
}

/** A word with a number, or letters and digits, as in `installer password lds0819,` or `password 8Kd2vq`. */
const RIGHT_AFTER =
  /^ (\p{L}{2,16}\d{3,8}|(?=\d{0,6}[A-Za-z]{0,6}[A-Z])(?=[A-Z\d]{0,6}[a-z])\w{0,5}\d\w{0,6})(?=[,.;)\n]|$)/u;

/** A value and the text up to its name: `«…» is the `, `… — это `, `… (`, `use … as the `. */
const BEFORE_NAME =
  /(?<![^\s"'`«“(])([^\s"'`<>;,()«»“”„]{6,64})(["'`»”*]{0,3}),?\s?(?:[–—-]\s?|\(|(?=(?:это|как|as|is|i\.e\.)\s))(?:(?:это|вот|как|as|is|i\.e\.|видимо|похоже|вроде|the|a|my|our|your|its|мой|ваш|наш|новый|старый|его|её|app|root|admin|pre-shared|shared)\s){0,3}$/iu;
const MAX_WORDS_BEFORE = 120;

/** Returns the position of a value before its name, as in `«…» is the password`; undefined if there is no secret. */
export function secretBefore(text: string, nameStart: number): { start: number; end: number } | undefined {
  const from = Math.max(0, nameStart - MAX_WORDS_BEFORE);
  const found = BEFORE_NAME.exec(text.slice(from, nameStart));
  if (!found) return undefined;
  const value = withoutStop(found[1]!);
  const isNamed = found[2] === '' ? isLikePassword(value) : isPassword(value);
  if (!isNamed && !isUnmistakable(value)) return undefined;
  return { start: from + found.index, end: from + found.index + value.length };
}

/** Further parameters of a URL or a form, after the value. */
const NEXT_PARAMETER = /[&#][A-Za-z][\w.[\]-]{0,40}=.*$/s;

/** An escaped line break in a JSON string, and the rest after it. */
const WRITTEN_BREAK = /\\[nrt].*$/s;

/**
 * Removes further URL parameters, escaped line breaks, bold marks, and the end of a sentence. A `!` or `?` directly
 * after the value stays.
 */
export function withoutStop(written: string): string {
  let value = written;
  if (value.includes('\\')) value = value.replace(WRITTEN_BREAK, '');
  if (/[&#]/.test(value)) value = value.replace(NEXT_PARAMETER, '');
  if (value.endsWith('**') || value.endsWith('__')) value = value.slice(0, -2);
  let end = value.length;
  while (STOPS.includes(value.charAt(end - 1)) && end > 0) end -= 1;
  const first = value.charAt(end);
  if (first !== '!' && first !== '?') return value.slice(0, end);
  return value.replace(/[.:]+$/, '');
}

const STOPS = '.!?:';
