/**
 * From exact amounts to those of papers.
 *
 * Guarantee: what all papers of an account say together differs from what it was charged by half a kopeck at most, for ever, because what
 * one of them is short of goes into the next; and the lines of a paper come to its total.
 */

import { Money } from '../../../lambdas/money/money.ts';

const KOPECK_PICO = 10n ** 10n;

/** The whole kopecks below an amount, towards less. */
function floored(amount: Money): bigint {
  const { pico } = amount;
  const kopecks = pico / KOPECK_PICO;
  return pico < 0n && pico % KOPECK_PICO !== 0n ? kopecks - 1n : kopecks;
}

function kopecks(count: bigint): Money {
  return Money.fromPico(count * KOPECK_PICO);
}

/** To whole kopecks, half of one upwards. */
export function toKopecks(amount: Money): Money {
  return kopecks(floored(amount.plus(Money.fromPico(KOPECK_PICO / 2n))));
}

export interface RoundedLines {
  /** In the order of the exact ones. */
  lines: Money[];
  total: Money;
  /** The amount that the total is short of; below zero where it says too much. */
  carriedOut: Money;
}

/**
 * Rounds lines so that they come to their rounded sum: each down, and those that lose most by it up again until the sum is right.
 * @param carriedIn what earlier papers were short of
 */
export function roundLines(exact: readonly Money[], carriedIn: Money): RoundedLines {
  const owed = Money.sum([...exact, carriedIn]);
  const total = exact.length === 0 ? Money.zero : toKopecks(owed);
  const down = exact.map(floored);
  const lost = exact.map((amount, index) => amount.minus(kopecks(down[index]!)).pico);
  let missing = floored(total) - down.reduce((sum, count) => sum + count, 0n);
  const order = exact.map((_, index) => index).toSorted((a, b) => Number(lost[b]! - lost[a]!) || a - b);
  const lines = [...down];
  // What was carried may ask for one more than there are lines, or for one less.
  for (let at = 0; missing > 0n; at += 1, missing -= 1n) lines[order[at % order.length]!]! += 1n;
  for (let at = order.length - 1; missing < 0n; at -= 1, missing += 1n) lines[order.at(at % order.length)!]! -= 1n;
  return { lines: lines.map(kopecks), total, carriedOut: owed.minus(total) };
}

/** The tax of a line, to whole kopecks: a part of it where it is contained, else what is added to it. */
export function vatOf(amount: Money, { percent, isIncluded }: { percent: bigint; isIncluded: boolean }): Money {
  const divisor = isIncluded ? 100n + percent : 100n;
  // Half up: twice the amount and one divisor, over two divisors.
  const numerator = 2n * amount.pico * percent + divisor * KOPECK_PICO;
  const denominator = 2n * divisor * KOPECK_PICO;
  const quotient = numerator / denominator;
  return kopecks(numerator < 0n && numerator % denominator !== 0n ? quotient - 1n : quotient);
}
