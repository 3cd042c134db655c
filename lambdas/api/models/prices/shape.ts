/** Descriptions of the prices, from the billing units. */

import * as z from 'zod';
import {
  billingUnits,
  completionParts,
  otherPriceNames,
  partPriceNames,
  priceNameOf,
  type PriceName,
} from '../../../catalog/unit-lists.ts';
import { rubText, time } from '../../../http/shapes.ts';

const aboutPrice = new Map<PriceName, string>([
  ...billingUnits.map((unit) => [priceNameOf(unit), unit.priced] as const),
  ...completionParts.flatMap(({ rest }) => (rest ? [[rest.price, rest.priced] as const] : [])),
]);

/** Returns an optional field for each name, with its description. */
function pricesShape<Name extends PriceName>(names: readonly Name[]) {
  const fields = names.map((name) => [name, rubText.optional().meta({ description: aboutPrice.get(name)! })]);
  return Object.fromEntries(fields) as Record<Name, z.ZodOptional<typeof rubText>>;
}

const tokenPrices = pricesShape(['prompt', 'completion', ...partPriceNames]);

export const pricingShape = z
  .strictObject({
    ...tokenPrices,
    ...pricesShape(otherPriceNames),
    overrides: z
      .array(
        z.strictObject({
          min_prompt_tokens: z.int().positive().meta({
            description: 'These prices apply to the whole request when its prompt has more than this many tokens.',
          }),
          ...tokenPrices,
        }),
      )
      .optional()
      .meta({ description: 'Other prices that apply to long prompts.' }),
  })
  .meta({ id: 'Pricing', description: 'Prices in RUB for a single token or unit, as decimal strings.' });
export type PricingBody = z.output<typeof pricingShape>;

const videoPricesShape = z.record(z.string(), rubText).meta({
  description: 'The prices of a second of video in roubles, by resolution: `per-video-second-768p` is that of 768p.',
});

const priceChangeShape = z.strictObject({
  valid_from: time.meta({
    description: 'The moment from which these prices apply, to requests that are sent to the provider then or later.',
  }),
  pricing: pricingShape
    .nullable()
    .optional()
    .meta({ description: 'All prices from then on; null if the endpoint has none then, and gets no requests.' }),
  pricing_skus: videoPricesShape.optional(),
});
export type PriceChangeBody = z.output<typeof priceChangeShape>;

export const priceChangesShape = z.array(priceChangeShape).optional().meta({
  description: 'The known coming changes of the prices, the next one first; absent if there are none.',
});
