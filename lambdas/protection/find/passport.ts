import { isWordAt, GAP, HYPHEN, type Rule } from './finding.ts';

const NAMED = /паспорт|загранник|passport/gi;
/** From the word to the end of the number. */
const WITHIN = 80;

const NUMBER_SIGN = String.raw`(?:№|номер|no\.?|n°)`;
const FORMS = [
  // Russian: two digits and two, then six.
  String.raw`\d{2}[${GAP}]?\d{2}(?:[${GAP},]{0,2}${NUMBER_SIGN}[${GAP}]{0,2}|[${GAP}${HYPHEN}]?)\d{6}`,
  // Russian for abroad: two digits, then seven.
  String.raw`\d{2}(?:[${GAP}]?${NUMBER_SIGN}[${GAP}]?|[${GAP}]?)\d{7}`,
  // Most others: letters and digits, or nine characters.
  String.raw`[A-Z]{1,3}[${GAP}]?\d{6,8}`,
  String.raw`\d{2}[A-Z]{2}\d{5}`,
  // German and others: nine letters and digits, with two digits at least.
  String.raw`[A-Z](?=[A-Z]{0,6}\d[A-Z]{0,6}\d)[0-9A-Z]{8}`,
];
const NUMBER = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${FORMS.join('|')})(?![\p{L}\p{N}]|[${HYPHEN}/]\d)`, 'u');
/** Between the word and its number: a few words of the same sentence. */
const MAX_WORDS = 56;
const NEXT_SENTENCE = /(?<!\b(?:no|nr|num)|[№сc]ер)[.!?;\n]\s/iu;

/** Numbers of passports: they have no check digit that people write, so the word must stand before them. */
export const findPassports: Rule = function* (text) {
  let done = 0;
  for (const { 0: word, index } of text.matchAll(NAMED)) {
    const from = index + word.length;
    if (from < done) continue;
    const number = NUMBER.exec(text.slice(from, from + WITHIN));
    if (!number) continue;
    const start = from + number.index;
    const end = start + number[0].length;
    // Cut off by the end of what was looked at.
    if (isWordAt(text, end) || number.index > MAX_WORDS || NEXT_SENTENCE.test(text.slice(from, start))) continue;
    done = end;
    yield { start, end };
  }
};
