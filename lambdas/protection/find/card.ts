import { digitsOf, GAP, HYPHEN, isWordAt, matchesOf, wordsBefore, type Rule } from './finding.ts';

/**
 * 13 to 19 digits without gaps, or groups of 4-4-4-4 digits (perhaps with three more), 4-6-5 digits (American Express)
 * or 4-6-4 digits (Diners).
 */
const CARD = new RegExp(
  String.raw`(?<!\d)(?:\d{13,19}|\d{4}([${GAP}.${HYPHEN}])(?:\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{6}\1\d{4,5}))(?!\d)`,
  'g',
);
/** Length of sixteen digits with three gaps. CARD may match three more digits that do not belong to the card. */
const FOUR_FOURS = 19;
const MIN_CARD_DIGITS = 13;

/** Numbers of 13 or 17 to 19 digits are more often bar codes or ids, so they count only after a word for a card. */
const RARE_LENGTHS = /^(?:\d{13}|\d{17,19})$/;
const NAMED_CARD =
  /карт|(?<!\p{L})пан(?!\p{L})|card|(?<!\p{L})pan(?!\p{L})|visa|mastercard|maestro|маэстро|unionpay|сбер|мир(?!\p{L})/iu;
const CARD_NAMED_WITHIN = 48;

/** Finds payment cards, by known prefixes and lengths, and by the check digit (ISO/IEC 7812). */
export const findCards: Rule = (text, numerals, add) => {
  for (const { start: from, written: numbers, digits } of numerals) {
    if (digits.length < MIN_CARD_DIGITS || (numbers === digits && !isCard(digits))) continue;
    for (const { 0: found, index } of matchesOf(CARD, numbers)) {
      const start = from + index;
      if (isWordAt(text, start - 1) || isPartOfNumber(text, start)) continue;
      for (const written of [found, found.slice(0, FOUR_FOURS)]) {
        const end = start + written.length;
        if (isWordAt(text, end) || !isCard(digitsOf(written))) continue;
        if (RARE_LENGTHS.test(written) && !NAMED_CARD.test(wordsBefore(text, start, CARD_NAMED_WITHIN))) continue;
        add(start, end);
        break;
      }
    }
  }
};

/** Whether the digits may be the fraction of a number (`3.1415926535897932`), or a phone number (`+4915112345678`). */
function isPartOfNumber(text: string, start: number): boolean {
  return /\+$|\d[.,]$/.test(text.slice(Math.max(0, start - 2), start));
}

function isCard(digits: string): boolean {
  return (
    issuers.some(([pattern, lengths]) => lengths.includes(digits.length) && pattern.test(digits)) && fitsLuhn(digits)
  );
}

const LONG = [16, 17, 18, 19];

/** Prefixes of issuers, with the lengths of their card numbers. */
const issuers: [RegExp, number[]][] = [
  // Visa
  [/^4/, [13, 16, 19]],
  // Mastercard
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  // Mir
  [/^220[0-4]/, LONG],
  // American Express
  [/^3[47]/, [15]],
  // Diners Club
  [/^3(?:0[0-5]|095|[689])/, [14, 16]],
  // JCB
  [/^35(?:2[89]|[3-8])/, LONG],
  // Discover, UnionPay, Maestro and RuPay
  [/^6(?:011|2|4[4-9]|5|0|3|7|8|9)/, LONG],
  [/^(?:50|5[6-9])/, LONG],
  // UzCard, Humo, Belkart and Troy
  [/^(?:8600|9860|9112|9792)/, [16]],
];

function fitsLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 0x30;
    const weighed = index % 2 === 1 ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0 && !/^(\d)\1*$/.test(digits);
}
