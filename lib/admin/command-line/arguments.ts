import { InvalidArgumentError } from 'commander';
import { obeys, type TextRule } from '../../../lambdas/platform/text-rule.ts';
import { MAX_AMOUNT } from '../../../lambdas/money/bounds.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { isDay, isoTimeMs } from '../../shared/iso-time.ts';

/** Returns a parser for texts that must obey a rule. */
export function textBy(rule: TextRule): (text: string) => string {
  return (text) => {
    const given = rule.trimmed ? text.trim() : text;
    if (!obeys(rule, given)) throw new InvalidArgumentError(`It ${rule.says}.`);
    return given;
  };
}

export function parseAmount(text: string): Money {
  try {
    const amount = Money.parse(text);
    if (!amount.isNegative && !amount.exceeds(MAX_AMOUNT)) return amount;
  } catch {}
  throw new InvalidArgumentError('Use roubles as a plain number up to 10^15, for example 1500 or 0.5.');
}

export function parsePositive(text: string): Money {
  const amount = parseAmount(text);
  if (amount.isZero) throw new InvalidArgumentError('Use an amount above 0.');
  return amount;
}

/** Parses the base URL of a gateway, without trailing slashes. If the URL is only a host, appends /v1. */
export function parseBaseUrl(text: string): string {
  const isWhole = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/["'\s`$?#]/.test(text);
  const trimmed = text.replace(/\/+$/, '');
  if (isWhole && trimmed.endsWith('/v1')) return trimmed;
  if (isWhole && new URL(trimmed).pathname === '/') return `${trimmed}/v1`;
  throw new InvalidArgumentError('Use an address that ends with /v1, such as https://gateway.example.com/v1.');
}

/**
 * Parses a model id. The accepted ids have no quotes, spaces or line breaks, so they can be inserted into configuration
 * texts.
 */
export function parseModelId(text: string): string {
  if (/^[\w./:@~-]{1,200}$/.test(text)) return text;
  throw new InvalidArgumentError('Use the id of a model, such as sandbox/claude.');
}

export function parseSigned(text: string): Money {
  return text.startsWith('-') ? parsePositive(text.slice(1)).negated() : parsePositive(text);
}

/**
 * "none" removes a limit. It stays "none" until `limitOption`, because Commander treats null as a missing argument.
 */
export type LimitArgument = Money | 'none';

export function parseLimit(text: string): LimitArgument {
  return text === 'none' ? text : parseAmount(text);
}

export function limitOption(given: LimitArgument): Money | null {
  return given === 'none' ? null : given;
}

/** Parses a time, and returns it in UTC. */
export function parseTime(text: string): string {
  const at = isoTimeMs(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError('Use an ISO time, for example 2027-01-01T00:00:00Z.');
  return new Date(at).toISOString();
}

/** Parses a time in the future, and returns it in UTC. */
export function parseFuture(text: string): string {
  const time = parseTime(text);
  if (Date.parse(time) <= nowMs()) throw new InvalidArgumentError('Use a time in the future.');
  return time;
}

export function parseBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Use true or false.');
  return text === 'true';
}

export function parseDate(text: string): string {
  if (isDay(text)) return text;
  throw new InvalidArgumentError('Use a day, for example 2026-11-20.');
}

export function wholeNumberUpTo(most: number): (text: string) => number {
  return (text) => {
    const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Infinity;
    if (number > most) throw new InvalidArgumentError(`Use a whole number from 1 to ${most}.`);
    return number;
  };
}

export const parseCount = wholeNumberUpTo(9_999);
