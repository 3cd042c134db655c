import type { NumberValueImpl } from '@aws-sdk/util-dynamodb';
import { Money } from '../../money/money.ts';
import { intervals, type Interval } from '../../money/periods.ts';
import { attribute, type Field } from '../table/record.ts';
import { moneyAttribute, moneyFrom } from '../table/table.ts';

/** Spending limits by period. An absent period is not limited. */
export type Limits = Partial<Record<Interval, Money>>;

export function limitsAttribute(limits: Limits): Record<string, NumberValueImpl> {
  const attribute: Record<string, NumberValueImpl> = {};
  for (const interval of intervals) {
    const limit = limits[interval];
    if (limit) attribute[interval] = moneyAttribute(limit);
  }
  return attribute;
}

export function limitsField(name: string): Field<Limits> {
  return attribute(name, { toAttribute: limitsAttribute, fromAttribute: limitsFrom });
}

export function limitsFrom(attribute: unknown): Limits {
  const limits: Limits = {};
  const stored = (attribute ?? {}) as Record<string, unknown>;
  for (const interval of intervals) {
    if (stored[interval] !== undefined) limits[interval] = moneyFrom(stored[interval]);
  }
  return limits;
}

export type LimitTimes = Partial<Record<Interval, { created: string; updated: string }>>;

/** Times at which each limit was created and last changed. The times of limits from older releases are missing. */
export const limitTimesField: Field<LimitTimes> = attribute('limit_times', {
  fromAttribute: (stored) => (stored ?? {}) as LimitTimes,
});

/** Returns whether spending alone leaves no room for an amount. False for an amount above half of the limit. */
export function lacksRoomFor(amount: Money, { spent, limit }: { spent: Money; limit: Money }): boolean {
  return spent.plus(amount).exceeds(limit) && !amount.times(2).exceeds(limit);
}

export function isLimited(limits: Limits): boolean {
  return intervals.some((interval) => limits[interval] !== undefined);
}
