import { cellsUnder } from './column.ts';
import { isWordAt, matchesOf, wordsBefore, type Rule } from './finding.ts';

const MIN_INN_DIGITS = 10;
const INN = /(?<!\d)(?:\d{12}|\d{10})(?!\d)/g;
/**
 * Matches words that announce a taxpayer number. The English word "inn" in lower case counts only directly before the
 * number.
 */
const NAMED_INN =
  /инн(?:юл|фл)?(?!\p{L})|налогоплательщик|taxpayer|tax[ _-]?id|(?<!\p{L})(?:ип(?= )|INN(?!\p{L})|inn[^\p{L}\p{N}]{0,6}$)/giu;
/** Matches the heading of a column with taxpayer numbers. */
const INN_HEADING = /(?<![\p{L}\p{N}])(?:инн|inn|tax[ _-]?id)(?![\p{L}\p{N}])/iu;
const INN_NAMED_WITHIN = 48;
const NAMED_AFTER = /^\s{0,2}[(–—-]\s{0,2}инн(?!\p{L})/iu;
const NAME_ITSELF = /инн$/i;

/**
 * Finds Russian taxpayer numbers (INN). One in ten random numbers of ten digits has a valid check digit, so a number
 * counts only if a word near it or a column heading announces a taxpayer number.
 */
export const findInns: Rule = (text, numerals, add) => {
  if (numerals.length > 0 && INN_HEADING.test(text)) {
    for (const { value, start } of cellsUnder(text, INN_HEADING)) {
      if (/^(?:\d{10}|\d{12})$/.test(value) && fitsCheckDigits(value)) add(start, start + value.length);
    }
  }
  for (const { start: from, written, digits: all } of numerals) {
    if (all.length < MIN_INN_DIGITS || (all === written && !fitsCheckDigits(all))) continue;
    for (const { 0: digits, index } of matchesOf(INN, written)) {
      const [start, end] = [from + index, from + index + digits.length];
      if (!fitsCheckDigits(digits)) continue;
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
 * Returns whether a match really announces a taxpayer number. NAMED_INN ignores letter case, so it also matches "Inn"
 * and "ип", but only the upper-case abbreviation, or `inn` as the name of a field, counts.
 */
function isName(name: string, before: string): boolean {
  if (/^ип$/i.test(name)) return name === 'ИП';
  return !/^inn/i.test(name) || name.startsWith('INN') || /(?<!\p{L})inn[^\p{L}\p{N}]{0,6}$/u.test(before);
}

const weights10 = [2, 4, 10, 3, 5, 9, 4, 6, 8];
const weights11 = [7, 2, 4, 10, 3, 5, 9, 4, 6, 8];
const weights12 = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8];

function fitsCheckDigits(digits: string): boolean {
  // The first two digits are the region, and no region is 00.
  if (digits.startsWith('00')) return false;
  if (digits.length !== 12) return digits.length === 10 && checkDigit(digits, weights10) === digits[9];
  return checkDigit(digits, weights11) === digits[10] && checkDigit(digits, weights12) === digits[11];
}

function checkDigit(digits: string, weights: number[]): string {
  let sum = 0;
  for (const [index, weight] of weights.entries()) sum += weight * (digits.charCodeAt(index) - 0x30);
  return String((sum % 11) % 10);
}
