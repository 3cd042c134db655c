import { digitsOf, GAP, HYPHEN, matchesOf, standsAlone, wordsBefore, type Rule } from './finding.ts';

const SNILS = new RegExp(
  String.raw`(?<!\d)(?:\d{11}|\d{3}[${GAP}${HYPHEN}]\d{3}[${GAP}${HYPHEN}]\d{3}[${GAP}${HYPHEN}]{1,3}\d{2})(?!\d)`,
  'g',
);
/** A number with hyphens as on the insurance card. No other known number has this form and check sum. */
const AS_ON_CARD = new RegExp(String.raw`^\d{3}[${HYPHEN}]\d{3}[${HYPHEN}]\d{3}`);
const NAMED_SNILS = /снилс|snils|страхов|пенсионн|pension/i;
const SNILS_NAMED_WITHIN = 48;
const SNILS_DIGITS = 11;

/**
 * Finds Russian insurance numbers (SNILS) with a valid check sum. Without the card's hyphens, a word before them must
 * announce an insurance number.
 */
export const findSnils: Rule = (text, numerals, add) => {
  for (const { start: from, written, digits } of numerals) {
    if (digits.length < SNILS_DIGITS || (digits.length === SNILS_DIGITS && !fitsCheckSum(digits))) continue;
    for (const { 0: found, index } of matchesOf(SNILS, written)) {
      const [start, end] = [from + index, from + index + found.length];
      if (!standsAlone(text, start, end) || !fitsCheckSum(digitsOf(found))) continue;
      if (AS_ON_CARD.test(found) || NAMED_SNILS.test(wordsBefore(text, start, SNILS_NAMED_WITHIN))) add(start, end);
    }
  }
};

/** Highest number that was issued without a check sum. Numbers up to it are not recognized. */
const LAST_WITHOUT_SUM = 1_001_998;

function fitsCheckSum(digits: string): boolean {
  if (Number(digits.slice(0, 9)) <= LAST_WITHOUT_SUM) return false;
  let sum = 0;
  for (let index = 0; index < 9; index += 1) sum += Number(digits[index]) * (9 - index);
  return (sum % 101) % 100 === Number(digits.slice(9));
}
