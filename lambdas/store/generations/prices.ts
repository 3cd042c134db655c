import * as z from 'zod';
import type { Pricing } from '../../catalog/schema.ts';
import { Money } from '../../money/money.ts';
import { attribute, type Field } from '../table/record.ts';
import { moneyAttribute, moneyFrom, type Item } from '../table/table.ts';

/** Prices of units in RUB, stored as exact numbers. */
export function pricesField(name: string): Field<Pricing> {
  return attribute(name, {
    toAttribute: (pricing) => mapPrices(pricing, moneyAttribute),
    fromAttribute: (stored) => pricesFrom(stored as Item),
    toMessage: (pricing) => mapPrices(pricing, String),
    message: () => z.record(z.string(), z.unknown()).transform(pricesFrom),
  });
}

function mapPrices(values: object, write: (amount: Money) => unknown): Item {
  const written: Item = {};
  for (const [name, value] of Object.entries(values)) {
    if (value instanceof Money) written[name] = write(value);
    else if (Array.isArray(value)) written[name] = value.map((tier: object) => mapPrices(tier, write));
    else if (value !== undefined) written[name] = value;
  }
  return written;
}

function pricesFrom(stored: Item): Pricing {
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => {
      if (Array.isArray(value)) return [name, value.map((tier: Item) => pricesFrom(tier))];
      return [name, name === 'min_prompt_tokens' ? Number(value) : moneyFrom(value)];
    }),
  ) as Pricing;
}
