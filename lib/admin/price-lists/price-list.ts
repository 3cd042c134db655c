/** Common format of price lists: USD per million tokens, with every number as decimal text. */

import * as z from 'zod';

export const decimal = z.string().regex(/^\d+(\.\d+)?$/, 'must be a plain decimal number');

const prices = {
  input: decimal,
  output: decimal,
  cache_read: decimal.optional(),
  cache_write: decimal.optional(),
  /** Price of writing a cache entry that lives for an hour. */
  cache_write_1h: decimal.optional(),
  reasoning: decimal.optional(),
};

export const costSchema = z.object({
  ...prices,
  /** Prices for prompts with more than `size` tokens. */
  tiers: z
    .array(
      z.object({
        ...prices,
        input: decimal.optional(),
        output: decimal.optional(),
        tier: z.object({ size: z.string() }),
      }),
    )
    .optional(),
});
export type ListedCost = z.infer<typeof costSchema>;

export const listedModelSchema = z.object({
  name: z.string(),
  cost: costSchema.optional(),
  limit: z.object({ context: z.string(), output: z.string() }),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }),
  reasoning: z.boolean().optional(),
  tool_call: z.boolean().optional(),
  temperature: z.boolean().optional(),
  structured_output: z.boolean().optional(),
  release_date: z.string().optional(),
  knowledge: z.string().optional(),
});
export type ListedModel = z.infer<typeof listedModelSchema>;

/**
 * Price list by provider, then by the provider's name for the model. Only selected entries are validated completely.
 */
export const priceListSchema = z.record(
  z.string(),
  z.object({ models: z.record(z.string(), z.record(z.string(), z.unknown())) }),
);
export type PriceList = z.infer<typeof priceListSchema>;

export interface ListedName {
  provider: string;
  model: string;
}

/**
 * Merges the entries of a model in several lists. Each fact comes from the oldest list that contains it, so that an
 * import does not change facts; prices come from the newest list that has prices for the model.
 * @param lists oldest first
 * @returns undefined if no list contains the model
 */
export function findListed(lists: readonly PriceList[], { provider, model }: ListedName): object | undefined {
  const found = lists.flatMap((list): Record<string, unknown>[] => {
    const listed = list[provider]?.models[model];
    return listed ? [listed] : [];
  });
  if (found.length === 0) return undefined;
  const cost = found.findLast((one) => one['cost'] !== undefined)?.['cost'];
  const described: object = Object.assign({}, ...found.toReversed());
  return cost === undefined ? described : { ...described, cost };
}

/** Parses JSON, with every number as its source text. */
export function parsePriceList(text: string): unknown {
  return JSON.parse(text, keepSourceText);
}

function keepSourceText(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? context!.source : value;
}

export function isZeroPrice(price: string | undefined): boolean {
  return price !== undefined && /^0*(?:\.0*)?$/.test(price);
}
