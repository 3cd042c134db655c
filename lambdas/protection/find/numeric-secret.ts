import { isWordAt, matchesOf, type Add } from './finding.ts';

const PIN_NAME =
  /(?<![\p{L}\d])(?:pin|puk|пин|пук)(?:[- ]?(?:code|код)\p{L}{0,2})?(?!\p{L})|passcode|пасс?код|код-пароль|код\p{L}{0,2} доступа|(?:access|door|gate|alarm|entry) code(?!\p{L})/giu;
/** A cheap test of the text in lower case. A text that does not match is not searched further. */
const MAYBE = /(?<![a-z])(?:pin|puk)(?![abd-z])|passcode| code|(?<![а-яё])(?:пин|пук)|пасс?код|код-п|код.{0,2} дост/;
/** Maximum distance in characters between a name and its digits, in one sentence. */
const PIN_WITHIN = 72;
const SENTENCE = /^[^\n;{}]*?(?=[.!?](?:\s|$)|[\n;{}]|$)/;
const PIN_DIGITS =
  /(?<![\p{L}\d.,/:#№+-])(?:(?:[A-Z]{1,3}-)?\d{4,10}(?:[#*]\d{1,6})?|\d(?=[A-Za-z\d]*[A-Z])[A-Za-z\d]{5,9})(?![\p{L}\d]|[.,/:-]\d)/gu;
/** Words directly before digits that are not a PIN, such as a year or the number of a room. */
const PIN_OF_ANOTHER =
  /(?:\b(?:in|since|until|by|before|after|ext\.?|room|page|flat|card|number|no\.?|year|connector|port)|(?<!\p{L})(?:в|с|до|после|доб\.?|кв\.?|комнат\p{L}|кабинет\p{L}?|карт\p{L}|номер\p{L}?|договор\p{L}?|год\p{L}?|порт\p{L}?))\s$/iu;
/** Digits as in `pin 18`, which means a pin of a chip or a plug. */
const OF_PART = /^\s?#?\d{1,3}(?!\d)/;
/** The text before the old value, as in `changed from 1946 to 7302`. TO matches the new value after it. */
const CHANGED = /(?:from|с)\s$/iu;
const TO = /^\s(?:to|на)\s(\d{4,10})(?![\p{L}\d])/iu;

/**
 * Finds PINs, PUKs of SIM cards, and codes of doors and alarms, by a word before them.
 * @param lower the text in lower case
 */
export function findNumericSecrets(text: string, lower: string, add: Add): void {
  if (!MAYBE.test(lower)) return;
  let done = 0;
  for (const { 0: name, index } of matchesOf(PIN_NAME, text)) {
    const from = index + name.length;
    if (from < done) continue;
    const sentence = SENTENCE.exec(text.slice(from, from + PIN_WITHIN))![0];
    if (OF_PART.test(sentence)) continue;
    for (const { 0: found, index: at } of matchesOf(PIN_DIGITS, sentence)) {
      const before = sentence.slice(0, at);
      const to = CHANGED.test(before) ? TO.exec(sentence.slice(at + found.length)) : null;
      // Whether the value continues after the examined text.
      const isCutOff = at + found.length === PIN_WITHIN && isWordAt(text, from + PIN_WITHIN);
      if (isCutOff || (!to && PIN_OF_ANOTHER.test(before))) continue;
      done = from + at + found.length;
      add(from + at, done);
      if (to) add(done + to[0].length - to[1]!.length, done + to[0].length);
      break;
    }
  }
}
