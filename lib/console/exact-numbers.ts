/**
 * Numbers of the API as they came. An amount is never computed with as a float: it is shown with the digits of its text, and where two
 * are set side by side, they are Money.
 */

import { Money } from '../../lambdas/money/money.ts';

/** A number of the API: its text, where a float would print other digits. */
export type ExactNumber = number | string;

/** What an answer of the API is once it was read: amounts are numbers as they came. */
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

/** Reads JSON so that each number still prints the digits that it came with. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, keepExactDigits as (key: string, value: unknown) => unknown);
}

export function moneyOf(amount: ExactNumber): Money {
  return Money.parseNumber(String(amount));
}

/** What a person typed as an amount, with a comma or a point; undefined where it is none. */
export function typedMoney(text: string): Money | undefined {
  try {
    const money = Money.parse(text.replaceAll(/[\s\u00a0\u202f_]/g, '').replace(',', '.'));
    return money.isNegative ? undefined : money;
  } catch {
    return undefined;
  }
}

/** A share between 0 and 1, for the length of a bar alone. */
export function shareOf(part: Money, whole: Money): number {
  if (whole.isZero) return 1;
  return Math.min(1, Math.max(0, Number((part.pico * 10_000n) / whole.pico) / 10_000));
}

/** For the height of a curve alone. */
export function plotted(amount: Money): number {
  return Number(amount.toString());
}

const NARROW_SPACE = '\u202f';
const MINUS = '\u2212';

/** All digits of an amount, in groups of three before the point. */
export function groupedDigits(amount: ExactNumber | Money, language: 'en' | 'ru'): string {
  const text = amount instanceof Money ? amount.toString() : moneyOf(amount).toString();
  const [whole = '0', fraction] = text.replace('-', '').split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, NARROW_SPACE);
  const point = language === 'ru' ? ',' : '.';
  return `${text.startsWith('-') ? MINUS : ''}${grouped}${fraction === undefined ? '' : point + fraction}`;
}
