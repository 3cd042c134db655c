/**
 * Rounds exact amounts to whole kopecks for documents.
 *
 * Guarantee: the sum of a document's lines is its total. Each rounding remainder is carried over to the next document,
 * so rounding changes the total of an account's successive documents by at most half a kopeck.
 */

import { Money } from '../../../lambdas/money/money.ts';

const KOPECK_PICO = 10n ** 10n;

/** Returns whole kopecks, rounded towards minus infinity. */
function floorKopecks(amount: Money): bigint {
  const { pico } = amount;
  const kopecks = pico / KOPECK_PICO;
  return pico < 0n && pico % KOPECK_PICO !== 0n ? kopecks - 1n : kopecks;
}

function kopecks(count: bigint): Money {
  return Money.fromPico(count * KOPECK_PICO);
}

/** Rounds an amount to whole kopecks, half up. */
export function toKopecks(amount: Money): Money {
  return kopecks(floorKopecks(amount.plus(Money.fromPico(KOPECK_PICO / 2n))));
}

export interface RoundedLines {
  /** Rounded amounts, in the order of the exact amounts. */
  lines: Money[];
  total: Money;
  /** Exact sum minus total, to be added to the next document; negative if the total was rounded up. */
  carriedOut: Money;
}

/**
 * Rounds lines so that their sum is the rounded exact sum. Each line is rounded down, then the lines with the largest
 * remainders are raised by a kopeck.
 * @param carriedIn remainder of earlier documents
 */
export function roundLines(exact: readonly Money[], carriedIn: Money): RoundedLines {
  const owed = Money.sum([...exact, carriedIn]);
  const total = exact.length === 0 ? Money.zero : toKopecks(owed);
  const down = exact.map(floorKopecks);
  const lost = exact.map((amount, index) => amount.minus(kopecks(down[index]!)).pico);
  let missing = floorKopecks(total) - down.reduce((sum, count) => sum + count, 0n);
  const order = exact.map((_, index) => index).toSorted((a, b) => Number(lost[b]! - lost[a]!) || a - b);
  const lines = [...down];
  // `missing` may exceed the number of lines, or be negative, if more than half a kopeck was carried in. The loops
  // handle both cases.
  for (let at = 0; missing > 0n; at += 1, missing -= 1n) lines[order[at % order.length]!]! += 1n;
  for (let at = order.length - 1; missing < 0n; at -= 1, missing += 1n) lines[order.at(at % order.length)!]! -= 1n;
  return { lines: lines.map(kopecks), total, carriedOut: owed.minus(total) };
}

/** Returns the VAT on an amount, rounded half up to kopecks. `isIncluded`: whether the amount contains the VAT. */
export function vatOf(amount: Money, { percent, isIncluded }: { percent: bigint; isIncluded: boolean }): Money {
  const divisor = isIncluded ? 100n + percent : 100n;
  // floor(tax + 1/2), where tax is amount × percent / divisor in kopecks.
  const numerator = 2n * amount.pico * percent + divisor * KOPECK_PICO;
  const denominator = 2n * divisor * KOPECK_PICO;
  const quotient = numerator / denominator;
  return kopecks(numerator < 0n && numerator % denominator !== 0n ? quotient - 1n : quotient);
}
