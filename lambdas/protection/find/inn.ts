import { isInn } from '../../platform/inn.ts';
import { cellsUnder } from './column.ts';
import { isWordAt, matchesOf, wordsBefore, type Rule } from './finding.ts';

const MIN_INN_DIGITS = 10;
const INN = /(?<!\d)(?:\d{12}|\d{10})(?!\d)/g;
/** Words that announce a taxpayer number. The lower-case word "inn" counts only directly before the number. */
const NAMED_INN =
  /инн(?:юл|фл)?(?!\p{L})|налогоплательщик|taxpayer|tax[ _-]?id|(?<!\p{L})(?:ип(?= )|INN(?!\p{L})|inn[^\p{L}\p{N}]{0,6}$)/giu;
const INN_HEADING = /(?<![\p{L}\p{N}])(?:инн|inn|tax[ _-]?id)(?![\p{L}\p{N}])/iu;
const INN_NAMED_WITHIN = 48;
const NAMED_AFTER = /^\s{0,2}[(–—-]\s{0,2}инн(?!\p{L})/iu;
const NAME_ITSELF = /инн$/i;

/**
 * Finds Russian taxpayer numbers (INN), if a word or a column heading announces them. One in ten random numbers of ten
 * digits has a valid check digit.
 */
export const findInns: Rule = (text, numerals, add) => {
  if (numerals.length > 0 && INN_HEADING.test(text)) {
    for (const { value, start } of cellsUnder(text, INN_HEADING)) {
      if (isInn(value)) add(start, start + value.length);
    }
  }
  for (const { start: from, written, digits: all } of numerals) {
    if (all.length < MIN_INN_DIGITS || (all === written && !isInn(all))) continue;
    for (const { 0: digits, index } of matchesOf(INN, written)) {
      const [start, end] = [from + index, from + index + digits.length];
      if (!isInn(digits)) continue;
      const before = wordsBefore(text, start, INN_NAMED_WITHIN);
      if ((isWordAt(text, start - 1) && !NAME_ITSELF.test(before)) || isWordAt(text, end)) continue;
      if (isNamedInn(before) || NAMED_AFTER.test(text.slice(end, end + 10))) add(start, end);
    }
  }
};

function isNamedInn(before: string): boolean {
  return matchesOf(NAMED_INN, before).some(({ 0: name }) => isName(name, before));
}

/**
 * Whether a match of NAMED_INN counts. The pattern ignores letter case, but `ип` and `inn` count only as "ИП", as
 * "INN", and as `inn` directly before the number.
 */
function isName(name: string, before: string): boolean {
  if (/^ип$/i.test(name)) return name === 'ИП';
  return !/^inn/i.test(name) || name.startsWith('INN') || /(?<!\p{L})inn[^\p{L}\p{N}]{0,6}$/u.test(before);
}
