/** Numbers from the API without rounding. */

import { Money } from '../../lambdas/money/money.ts';

/** A number is a string if a float would show other digits. */
export type ExactNumber = number | string;

/** Parsed API response, in which amounts are exact numbers. */
export type ShownBody<Body> = Body extends Money
  ? ExactNumber
  : Body extends readonly (infer Entry)[]
    ? ShownBody<Entry>[]
    : Body extends object
      ? { [Name in keyof Body]: ShownBody<Body[Name]> }
      : Body;

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const keepExactDigits: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? source : value;

export function parseExactJson(text: string): unknown {
  return JSON.parse(text, keepExactDigits as (key: string, value: unknown) => unknown);
}

export function moneyOf(amount: ExactNumber): Money {
  return Money.parseNumber(String(amount));
}

/** Matches an amount whose comma may separate either thousands or decimals, such as 1,500. */
const AMBIGUOUS_COMMA = /^[1-9]\d{0,2},\d{3}$/;

/**
 * Parses an amount that a person typed, with a decimal comma or point; undefined if it is invalid or negative. An
 * amount with an ambiguous comma is invalid, because the wrong meaning would be a thousand times too small or large.
 */
export function typedMoney(text: string): Money | undefined {
  try {
    const digits = text.replaceAll(/[\s\u00a0\u202f_]/g, '');
    if (AMBIGUOUS_COMMA.test(digits)) return undefined;
    const money = Money.parse(digits.replace(',', '.'));
    return money.isNegative ? undefined : money;
  } catch {
    return undefined;
  }
}

export function isWrongAmount(text: string): boolean {
  return text.trim() !== '' && typedMoney(text) === undefined;
}

/** Returns a share from 0 to 1, rounded, for the length of a bar. */
export function shareOf(part: Money, whole: Money): number {
  if (whole.isZero) return 1;
  return Math.min(1, Math.max(0, Number((part.pico * 10_000n) / whole.pico) / 10_000));
}

/** Converts an amount to a rounded float, for the height of a curve. */
export function plotted(amount: Money): number {
  return Number(amount.toString());
}

const NARROW_SPACE = '\u202f';
const MINUS = '\u2212';

/** Returns all digits of an amount, with groups of three before the decimal point. */
export function groupedDigits(amount: ExactNumber | Money, language: 'en' | 'ru'): string {
  const text = amount instanceof Money ? amount.toString() : moneyOf(amount).toString();
  const [whole = '0', fraction] = text.replace('-', '').split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, NARROW_SPACE);
  const point = language === 'ru' ? ',' : '.';
  return `${text.startsWith('-') ? MINUS : ''}${grouped}${fraction === undefined ? '' : point + fraction}`;
}
