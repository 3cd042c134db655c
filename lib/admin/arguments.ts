import { InvalidArgumentError } from 'commander';
import { MEMBER_ID, MEMBER_ID_RULE } from '../../lambdas/management/members.ts';
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

export function parseSlug(text: string): string {
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text) || text.length > 50) {
    throw new InvalidArgumentError('Use lower-case letters, digits and single dashes, at most 50 characters.');
  }
  return text;
}

export function parseTime(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError('Use an ISO time, for example 2027-01-01T00:00:00Z.');
  return new Date(at).toISOString();
}

export function parseName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 100) throw new InvalidArgumentError('Use a name of 1 to 100 characters.');
  return name;
}

export function parseMemberId(text: string): string {
  if (!MEMBER_ID.test(text)) throw new InvalidArgumentError(`It ${MEMBER_ID_RULE}.`);
  return text;
}
