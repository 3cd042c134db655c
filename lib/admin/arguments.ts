import { InvalidArgumentError } from 'commander';
import { obeys, type TextRule } from '../../lambdas/management/rules.ts';
import { Money } from '../../lambdas/money/money.ts';

/** Readers of command-line arguments; what they refuse is told with an example of what they take. */
export function limitOf(text: string): Money | null {
  return text === 'none' ? null : Money.parse(text);
}

export function parseAmount(text: string): string {
  try {
    if (!Money.parse(text).isNegative) return text;
  } catch {
    // Told below.
  }
  throw new InvalidArgumentError('Use roubles as a plain number, for example 1500 or 0.5.');
}

export function parsePositive(text: string): string {
  parseAmount(text);
  if (Money.parse(text).isZero) throw new InvalidArgumentError('Use an amount above 0.');
  return text;
}

export function parseLimit(text: string): string {
  return text === 'none' ? text : parseAmount(text);
}

export function parseTime(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError('Use an ISO time, for example 2027-01-01T00:00:00Z.');
  return new Date(at).toISOString();
}

/** The parser of a text that a rule of the API is about. */
export function textBy(rule: TextRule): (text: string) => string {
  return (text) => {
    const given = rule.trimmed ? text.trim() : text;
    if (!obeys(rule, given)) throw new InvalidArgumentError(`It ${rule.says}.`);
    return given;
  };
}
