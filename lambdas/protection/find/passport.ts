import { cellsUnder } from './column.ts';
import { isWordAt, GAP, HYPHEN, wordsBefore, type Add, type Rule } from './finding.ts';

const NAMED_PASSPORT =
  /пасс?порт|passeport|пасп\.|загранник|загранпасп|(?<![a-zа-яё])загран(?![a-zа-яё])|(?<![a-zа-яё])п-т(?![a-zа-яё])|passport|(?<![a-zа-яё])psp(?:r?t)\.?(?![a-zа-яё])|(?<![a-zа-яё])pass\.(?= no)/gi;
/** Number of characters after a word for a passport in which the number is searched. */
const PASSPORT_WITHIN = 80;

const NUMBER_SIGN = String.raw`(?:(?:паспорта )?(?:№|[Нн]омер|ном\.|н\.|[Nn]o\.?|[Nn]umber|n°|N)(?: паспорта)?:?)`;
const SERIES_SIGN = String.raw`(?:[${GAP},]{0,2}(?:серия|сер\.)(?=[${GAP},]))?`;
const PASSPORT_FORMS = [
  // Russia: two digits and two digits of the series, then six digits.
  String.raw`\d{2}[${GAP}${HYPHEN}]?\d{2}(?:${SERIES_SIGN}[${GAP},]{0,2}${NUMBER_SIGN}[${GAP}]{0,2}|[${GAP}]?[${HYPHEN}/]?[${GAP}]?)\d{3}[${GAP}]?\d{3}`,
  // Russia, for travel abroad: two digits, then seven digits.
  String.raw`\d{2}(?:[${GAP}]?${NUMBER_SIGN}[${GAP}]?|[${GAP}]?)\d{7}`,
  // Many other countries: one to three letters, then six to eight digits.
  String.raw`[A-Z]{1,3}[${GAP}]?(?:№[${GAP}]?)?\d{6,8}`,
  // Ukrainian booklet: two Cyrillic letters, then six digits.
  String.raw`[А-ЯІЇЄҐ]{2}[${GAP}]?(?:№[${GAP}]?)?\d{6}`,
  String.raw`\d{2}[A-Z]{2}\d{5}`,
  String.raw`\d{3} \d{3} \d{3}`,
  // Germany and others: nine letters and digits, with at least two digits after the first letter.
  String.raw`[A-Z](?=[A-Z]{0,6}\d[A-Z]{0,6}\d)[0-9A-Z]{8}`,
];
const PASSPORT_NUMBER = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${PASSPORT_FORMS.join('|')})(?![\p{L}\p{N}]|[${HYPHEN}/]\d)`,
  'u',
);
/** Maximum distance in characters between a word for a passport and the number, in the same sentence. */
const MAX_PASSPORT_WORDS = 56;
const NEXT_SENTENCE = /(?<!\b(?:[Nn]o|nr|num)|(?<!\p{L})(?:гр|гос|г|им|др)|[№сc]ер|(?<!\p{L})\p{Lu})[.!?\n]\s/u;

/** Eight digits directly after a word for a passport. Elsewhere, they are usually a date. */
const EIGHT_DIGITS = /^(?:[ _]?(?:no|number|num|nr|номер))?(?: is)?[\s.:#№"'=-]{0,5}(\d{8})(?![\p{L}\d]|[-/.]\d)/iu;
/** Six digits after a word for "number", which follows a series or the word for a passport. */
const NUMBER_ALONE =
  /^(?:["']?[_ -]?|[^\n]{0,32}?(?:сери\p{L}|seri\p{L}{1,2}|\d{2}[ .]?\d{2})[^\n]{0,40}?[\s_"',;<>])(?:number|num|no|nomer|номер(?: паспорта)?)(?!\p{L})["']?[\s.:#№"'=>–—-]{0,5}(\d{6})(?![\p{L}\d]|[-/.]\d)/iu;
/** "number" before the word for a passport, as in `номер паспорта 640275`. SIX_DIGITS matches the digits. */
const NAMED_NUMBER = /(?:номер\p{L}{0,2}|number(?: of)?) $/iu;
const SIX_DIGITS = /^\p{L}{0,2}[\s.:#№"'=–—-]{1,5}(\d{3} ?\d{3})(?![\p{L}\d]|[-/.]\d)/iu;
const PASSPORT_DATE = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:19|20)\d\d$/;
/** Series and number in separate fields. Only the number identifies a person. */
const SERIES_AND_NUMBER =
  /^[^\d\n]{0,32}?(?:сери\p{L}|seri\p{L}{1,2})["']?[\s:="'–—-]{0,5}\d{2} ?\d{2}["']?(?:[,;.\s]{1,3}|\s(?:and|и)\s)["']?(?:(?:passport|паспорт\p{L}{0,2})[_ ])?(?:номер|number|num|no|nomer|№)["']?(?: паспорта)?[\s:="'–—-]{0,5}(\d{6})(?!\d)/iu;
/** Another passport number after the first one, as in `… and 2811 093356` or `; 3314 090775`. */
const ANOTHER_DOCUMENT = new RegExp(
  String.raw`^[)"'»]{0,2}(?: \p{L}{2,12})?(?: \([^()\n]{1,24}\))?(?:[,;/]|[,;]? (?:и|and|or|или|то ли|&|а также))(?:[ ,]{1,2}\p{L}{1,16}(?:'s)?[:,]?){0,4} ?["'(«]?[${GAP}]?(\d{2}[${GAP}]?(?:\d{2}[${GAP}]?\d{6}|\d{7})|[A-Z]{1,2}\d{7})(?![\p{L}\d])`,
  'iu',
);
const MAX_OTHERS = 32;
/** Things that have a technical passport, such as a device or a building. */
const OF_THING =
  /^\p{L}*\s+(?:№\s?\d+\s+)?(?:издели|прибор|качеств|безопасн|сделк|объект|труб|оборудован|двигател|дома|скважин|машин|транспорт|отход|модел|здани|помещени|проект|программ|stamp|photo|control)/iu;
/** Words for other numbered things, such as an order or a visa, before the number. */
const OF_OTHER =
  /(?:запис[ьи](?!\p{L})|заказ|виз[ыеу](?!\p{L})|брон|билет|рейс|заявк|договор|счёт|счет|полис|обращени|талон|order|booking|reservation|visa|flight|ticket|invoice|appointment|reference)\p{L}*[\s:]*(?:№|no\.?|number|is)?[\s:]*$/iu;
const TECHNICAL =
  /(?:тех(?:ническ\p{L}*)?|кадастров\p{L}*|санитарн\p{L}*|энергетическ\p{L}*|ветеринарн\p{L}*|вет)[\s-]?$/iu;

/** A number directly before a word for a passport, as in `4509 123458 (паспорт)`. */
const NUMBER_BEFORE =
  /(?<![\p{L}\d])(\d{2}[ -]?\d{2} ?(?:№ ?)?\d{6}|\d{9}|[A-Z]{1,2}\d{6,8}) ?[,"'»]{0,2} ?(?:[(–—-] ?(?:это |мой |моего |(?:is|that's) (?:my |the |a )?)?|(?:это|is my|is the|that's my) )(?:\p{L}{2,12} )?$/u;
const PASSPORT_HEADING = /(?:паспорт|passport)/i;
const WHOLE_NUMBER = new RegExp(String.raw`^(?:${PASSPORT_FORMS.join('|')})$`, 'u');

/** Finds passport numbers that a word or a column heading announces, because they have no check digit. */
export const findPassports: Rule = (text, _, add) => {
  if (PASSPORT_HEADING.test(text)) {
    for (const { value, start } of cellsUnder(text, PASSPORT_HEADING)) {
      if (WHOLE_NUMBER.test(value)) add(start, start + value.length);
    }
  }
  let done = 0;
  for (const { 0: word, index } of text.matchAll(NAMED_PASSPORT)) {
    const from = index + word.length;
    if (from < done) continue;
    const before = wordsBefore(text, index, 48);
    const earlier = NUMBER_BEFORE.exec(before);
    if (earlier) {
      const start = index - earlier[0].length;
      add(start, start + earlier[1]!.length);
      continue;
    }
    const after = text.slice(from, from + PASSPORT_WITHIN);
    const number = numberIn(after, before);
    if (!number || OF_THING.test(after) || TECHNICAL.test(before)) continue;
    if (OF_OTHER.test(after.slice(0, number.start))) continue;
    const start = from + number.start;
    const end = from + number.end;
    // A number that continues after the examined text does not count.
    if (isWordAt(text, end) || number.start > MAX_PASSPORT_WORDS || NEXT_SENTENCE.test(text.slice(from, start)))
      continue;
    add(start, end);
    done = addOthers(text, end, add);
  }
};

function numberIn(after: string, before: string): { start: number; end: number } | undefined {
  if (!/\d/.test(after)) return undefined;
  const number = PASSPORT_NUMBER.exec(after);
  if (number) return { start: number.index, end: number.index + number[0].length };
  const six = NAMED_NUMBER.test(before) ? SIX_DIGITS.exec(after) : null;
  const [found, digits] =
    six ?? SERIES_AND_NUMBER.exec(after) ?? NUMBER_ALONE.exec(after) ?? EIGHT_DIGITS.exec(after) ?? [];
  if (found === undefined || digits === undefined || PASSPORT_DATE.test(digits)) return undefined;
  return { start: found.length - digits.length, end: found.length };
}

/**
 * Adds other passport numbers that directly follow a number.
 * @returns the end of the last one; `from` if there is none
 */
function addOthers(text: string, from: number, add: Add): number {
  let end = from;
  for (let left = MAX_OTHERS; left > 0; left -= 1) {
    const other = ANOTHER_DOCUMENT.exec(text.slice(end, end + PASSPORT_WITHIN));
    if (!other) break;
    end += other[0].length;
    add(end - other[1]!.length, end);
  }
  return end;
}
