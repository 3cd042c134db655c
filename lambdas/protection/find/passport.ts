import { cellsUnder } from './column.ts';
import { isWordAt, GAP, HYPHEN, wordsBefore, type Rule } from './finding.ts';

const NAMED = /паспорт|пасп\.|загранник|загранпасп|passport/gi;
/** From the word to the end of the number. */
const WITHIN = 80;

const NUMBER_SIGN = String.raw`(?:(?:паспорта )?(?:№|номер|ном\.|н\.|no\.?|n°|N)(?: паспорта)?)`;
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

/** Eight digits are mostly a date, and a number only right after the word. */
const EIGHT_DIGITS = /^(?:[ _]?(?:no|number|num|nr|номер))?[\s.:#№"'=-]{0,5}(\d{8})(?![\p{L}\d]|[-/.]\d)/iu;
const DATE = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:19|20)\d\d$/;
/** In fields of their own: the number is what leads to a person. */
const SERIES_AND_NUMBER =
  /^[^\d\n]{0,32}?(?:сери\p{L}|series)["']?[\s:="']{0,5}\d{2} ?\d{2}["']?[,;\s]{1,3}["']?(?:(?:passport|паспорт\p{L}{0,2})[_ ])?(?:номер|number|num|no|№)["']?[\s:="']{0,5}(\d{6})(?!\d)/iu;
/** Things have passports too. */
const OF_THING =
  /^\p{L}*\s+(?:№\s?\d+\s+)?(?:издели|прибор|качеств|безопасн|сделк|объект|труб|оборудован|двигател|дома|скважин|машин|транспорт|отход|модел|здани|помещени|проект|программ|stamp|photo|control)/iu;
const TECHNICAL =
  /(?:тех(?:ническ\p{L}*)?|кадастров\p{L}*|санитарн\p{L}*|энергетическ\p{L}*|ветеринарн\p{L}*|вет)[\s-]?$/iu;

/** `4509 123458 (паспорт)`. */
const NUMBER_BEFORE =
  /(?<![\p{L}\d])(\d{2} ?\d{2} ?(?:№ ?)?\d{6}) ?(?:[(–—-] ?(?:это |мой |моего |is (?:my |the |a )?)?|(?:это|is my|is the) )$/u;
/** A column whose heading has this holds such values. */
const HEADING = /(?:паспорт|passport)/i;
const WHOLE_NUMBER = new RegExp(String.raw`^(?:${FORMS.join('|')})$`, 'u');

/** Numbers of passports: they have no check digit that people write, so the word must stand before them. */
export const findPassports: Rule = (text, _, add) => {
  if (HEADING.test(text)) {
    for (const { value, start } of cellsUnder(text, HEADING)) {
      if (WHOLE_NUMBER.test(value)) add(start, start + value.length);
    }
  }
  let done = 0;
  for (const { 0: word, index } of text.matchAll(NAMED)) {
    const from = index + word.length;
    if (from < done) continue;
    const earlier = NUMBER_BEFORE.exec(wordsBefore(text, index, 32));
    if (earlier) {
      const start = index - earlier[0].length;
      add(start, start + earlier[1]!.length);
      continue;
    }
    const after = text.slice(from, from + WITHIN);
    const number = numberIn(after);
    if (!number || OF_THING.test(after) || TECHNICAL.test(wordsBefore(text, index, 16))) continue;
    const start = from + number.start;
    const end = from + number.end;
    // Cut off by the end of what was looked at.
    if (isWordAt(text, end) || number.start > MAX_WORDS || NEXT_SENTENCE.test(text.slice(from, start))) continue;
    done = end;
    add(start, end);
  }
};

function numberIn(after: string): { start: number; end: number } | undefined {
  if (!/\d/.test(after)) return undefined;
  const number = NUMBER.exec(after);
  if (number) return { start: number.index, end: number.index + number[0].length };
  const [found, digits] = SERIES_AND_NUMBER.exec(after) ?? EIGHT_DIGITS.exec(after) ?? [];
  if (found === undefined || digits === undefined || DATE.test(digits)) return undefined;
  return { start: found.length - digits.length, end: found.length };
}
