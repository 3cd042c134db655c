/**
 * Finds phone numbers by their form. A library with every country's numbering plan would be large and slow, and would
 * miss many numbers.
 */

import { digitsOf, GAP, HYPHEN, isWordAt, lastWord, wordsBefore, type Add, type Rule } from './finding.ts';

const SEPARATOR = String.raw`[${GAP}.${HYPHEN}()]`;
/** 9 to 15 digits (15 is the maximum of E.164), with at most three separators between two digits. */
const PHONE = new RegExp(String.raw`(?<![\d])(?:\+|\()?\d(?:${SEPARATOR}{0,3}\d){8,14}(?!\d)`, 'g');
const FIRST_GROUP = /^\D?\d+/;
const MIN_PHONE_DIGITS = 9;
const MAX_DIGITS = 15;

/** Words and field names that announce a phone number, even without a country code. */
const NAMED_PHONE =
  /тел(?:\.|ефон\p{L}*)?(?!\p{L})|моб(?:\.|ильн\p{L}*)?(?!\p{L})|факс|звон|вотсап|ватсап|вацап|(?<!\p{L})(?:смс|sms)(?!\p{L})|набра|набер|набир|(?:мой|мо[её]го|е[её]|его|ваш|личный) номер|phone|(?<!\p{L})tel(?!\p{L})|mobile|(?<!\p{L})cell(?!\p{L})|(?<!\p{L})(?:call|dial|ring|text)(?!\p{L})|fax|landline|whatsapp|viber/iu;
const PHONE_NAMED_WITHIN = 32;

/** The calling codes assigned by the ITU. */
const CALLING_CODE =
  /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-689]|3[578]|42|5[09]|6[7-9]|8[058]|9[679])\d)/;
/** Number of digits after the calling code. Most countries have nine or ten; the longest numbers are German. */
const NATIONAL_DIGITS = { least: 7, most: 11 };
/** Russian and Kazakh numbers without the calling code. */
const RUSSIAN_DIGITS = /^[3-9]\d{9}$/;
const NORTH_AMERICAN_DIGITS = /^[2-9]\d{2}[2-9]\d{6}$/;
/**
 * Forms without `+`: ten digits, Russian with 8 or 7, North American (also with 1), and with the leading zero of
 * Europe.
 */
const NATIONAL = [/^[3489]\d{9}$/, /^[78][3-9]\d{9}$/, /^1?[2-9]\d{2}[2-9]\d{6}$/, /^0[1-9]\d{7,9}$/];
/** An amount that looks like a phone number, as in `+1 000 000 000`. */
const ROUND = /[ \u00a0\u2009\u202f]000$/;
const AMOUNT_OF_MONEY = /[ \u00a0]?(?:руб|р\.|₽|\$|€|%|тыс|млн|млрд|шт(?!\p{L})|(?:rub|usd|eur|pcs)(?!\p{L}))/iuy;
/** Amounts that look like a phone number, as in `8 345 12 345 67 890`. */
const AMOUNTS = /^[78][ \u00a0\u2009\u202f]{1,3}\d{3}[ \u00a0\u2009\u202f]{1,3}\d\d[ \u00a0\u2009\u202f]/;
/** Words for other numbered things, such as an order. */
const OTHER_NUMBER =
  /^(?:заказ|накладн|артикул|договор|заявк|обращени|чек|трек|сч[её]т|полис|order|invoice|ticket|sku$|serial|part$|batch|tracking)/i;
const PHONE_NUMBER = /^(?:номер|number$|no$)/i;

/** Digits in the groups of a Russian number, without the leading 8 or 7. */
const RUSSIAN_FORMS = new Set([
  '10',
  '3 7',
  '3 3 4',
  '3 3 2 2',
  '3 2 2 3',
  '3 2 3 2',
  '3 4 3',
  '3 2 5',
  '4 6',
  '4 3 3',
  '4 2 2 2',
  '5 5',
  '5 1 2 2',
]);
/** North American forms, and Russian forms with the area code in brackets. */
const PHONE_FORMS = [
  /^(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4}$/,
  /^\([3-9](?:\d{2}\) ?\d{3}|\d{3}\) ?\d{2})-\d{2}-\d{2}$/,
];

/**
 * Finds phone numbers: with a country code, in unmistakable Russian and North American forms, and in other national
 * forms after a word for a phone.
 */
export const findPhones: Rule = (text, numerals, add) => {
  for (const { start: first, written: numbers, digits } of numerals) {
    if (digits.length < MIN_PHONE_DIGITS) continue;
    const from = first > 0 && '+('.includes(text.charAt(first - 1)) ? first - 1 : first;
    findInRow(text, from, from === first ? numbers : text.charAt(from) + numbers, add);
  }
};

/**
 * Finds the phone numbers in a row of numbers that only gaps and signs separate. After another number, a form does not
 * count if amounts or ids may also have it.
 */
function findInRow(text: string, from: number, row: string, add: Add): void {
  let tried = 0;
  for (let at = 0; at < row.length;) {
    PHONE.lastIndex = at;
    const match = PHONE.exec(row);
    if (!match) return;
    const { 0: found, index } = match;
    const end = findAt(text, from + index, { found, isWithin: index < tried }, add);
    at = end === undefined ? index + FIRST_GROUP.exec(found)![0].length : end - from;
    tried = end === undefined ? Math.max(tried, index + found.length) : at;
  }
}

/**
 * Finds a phone number at a match of PHONE, or after its bracket.
 * @returns the end of the phone number; undefined without one
 */
function findAt(
  text: string,
  from: number,
  { found, isWithin }: { found: string; isWithin: boolean },
  add: Add,
): number | undefined {
  for (const written of found.startsWith('(') ? [found, found.slice(1)] : [found]) {
    const start = from + found.length - written.length;
    const end = isPartOfWord(text, start) ? undefined : endOfPhone(text, start, { written, isWithin });
    if (end === undefined) continue;
    add(start, end);
    return end;
  }
  return undefined;
}

/**
 * Returns the end of the phone number at a position, or undefined. The last one or two digit groups might not belong to
 * it.
 */
function endOfPhone(
  text: string,
  start: number,
  { written: found, isWithin }: { written: string; isWithin: boolean },
): number | undefined {
  let written = found;
  for (let left = MAX_FOLLOWING; left >= 0 && written !== ''; left -= 1, written = withoutLastGroup(written)) {
    const end = start + written.length;
    const isLonger = isWordAt(text, end) && text.charAt(end) !== '_';
    const form = isLonger ? undefined : formOf(written);
    if (form === undefined || isAmount(text, end)) continue;
    if (isWithin && (form === 'national' ? /\D/.test(written) : AMOUNTS.test(written))) continue;
    if (form === 'international' || isNamedPhone(form, wordsBefore(text, start, PHONE_NAMED_WITHIN))) return end;
  }
  return undefined;
}

/**
 * Whether a word or other digits directly precede the number, as in `12:8 903 …`. A word for a phone and `_` do not
 * count.
 */
function isPartOfWord(text: string, start: number): boolean {
  return (
    (isWordAt(text, start - 1) && text.charAt(start - 1) !== '_' && !GLUED.test(wordsBefore(text, start, 12))) ||
    ('.,:/'.includes(text.charAt(start - 1)) && /\d/.test(text.charAt(start - 2)))
  );
}

/** Whether a currency or a unit after the digits makes them an amount, as in `+1 234 567 890 ₽`. */
function isAmount(text: string, end: number): boolean {
  AMOUNT_OF_MONEY.lastIndex = end;
  return AMOUNT_OF_MONEY.test(text);
}

/** A word for a phone directly before its number, as in `тел8926…` or `Телефон8 926 …`. */
const GLUED = /(?:тел|телефон|номер|моб|phone|tel)_?$/i;

/** Maximum number of digit groups after a phone number, such as an extension or an hour. */
const MAX_FOLLOWING = 2;

function withoutLastGroup(written: string): string {
  let end = written.length;
  while (end > 0 && isDigitAt(written, end - 1)) end -= 1;
  while (end > 0 && !isDigitAt(written, end - 1)) end -= 1;
  return written.slice(0, end);
}

function isDigitAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0x30 && code <= 0x39;
}

/**
 * `international`: it has a country code. `known`: only phone numbers have this form. `national`: a phone number only
 * after a word that announces one.
 */
type PhoneForm = 'international' | 'known' | 'national';

function formOf(written: string): PhoneForm | undefined {
  const digits = digitsOf(written);
  if (digits.length < MIN_PHONE_DIGITS || digits.length > MAX_DIGITS) return undefined;
  if (written.startsWith('+')) return isInternational(digits) && isWhole(written) ? 'international' : undefined;
  const hasPlausibleLength = digits.length === 10 || digits.length === 11 || digits.startsWith('0');
  if (!hasPlausibleLength || !isBalanced(written)) return undefined;
  if (isRussian(written, digits) || PHONE_FORMS.some((form) => form.test(written))) return 'known';
  return isNational(digits) ? 'national' : undefined;
}

function isWhole(written: string): boolean {
  return isBalanced(written) && !ROUND.test(written);
}

function isNamedPhone(form: PhoneForm, before: string): boolean {
  return !isOtherNumber(before) && (form === 'known' || NAMED_PHONE.test(before));
}

/** Whether the digits are the number of another thing, as in `order 8 903 …` or `заказ номер: 8 903 …`. */
function isOtherNumber(before: string): boolean {
  const last = lastWord(before, before.length);
  if (!last) return false;
  const word = PHONE_NUMBER.test(last.word) ? lastWord(before, last.start)?.word : last.word;
  return word !== undefined && OTHER_NUMBER.test(word);
}

function isInternational(digits: string): boolean {
  const code = CALLING_CODE.exec(digits)?.[0];
  if (code === undefined) return false;
  const national = digits.slice(code.length);
  if (code === '7') return RUSSIAN_DIGITS.test(national);
  if (code === '1') return NORTH_AMERICAN_DIGITS.test(national);
  return national.length >= NATIONAL_DIGITS.least && national.length <= NATIONAL_DIGITS.most;
}

/** Whether digits without `+` have the form of a phone number. In Europe, `00` replaces `+`. */
function isNational(digits: string): boolean {
  return digits.startsWith('00') ? isInternational(digits.slice(2)) : NATIONAL.some((plan) => plan.test(digits));
}

/**
 * Whether a number has a form of Russia (`8 903 …`, `8 (4852) …`) or Belarus (`8 029 …`). Without gaps, only mobile
 * numbers and 800 numbers count, because almost any number begins with the code of a city.
 */
function isRussian(written: string, digits: string): boolean {
  if (digits.length !== 11 || !/^(?:[78][3-9]|80(?:17|25|29|33|44))/.test(digits)) return false;
  const form = digitGroups(written);
  if (!RUSSIAN_FORMS.has(form)) return false;
  return form !== '10' || digits[1] === '9' || /^[78]800/.test(digits);
}

/** Returns the numbers of digits in the groups, without the first digit, as in RUSSIAN_FORMS. */
function digitGroups(written: string): string {
  const [first, ...others] = written.match(/\d+/g)!.map(({ length }) => length);
  return (first === 1 ? others : [first! - 1, ...others]).join(' ');
}

function isBalanced(written: string): boolean {
  const hasBrackets = written.includes('(') || written.includes(')');
  return !hasBrackets || written.split('(').length === written.split(')').length;
}
