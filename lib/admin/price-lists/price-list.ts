/** The shape of a price list, whoever published it: USD per million tokens, every number as decimal text. */

import * as z from 'zod';

export const decimal = z.string().regex(/^\d+(\.\d+)?$/, 'must be a plain decimal number');

const prices = {
  input: decimal,
  output: decimal,
  cache_read: decimal.optional(),
  cache_write: decimal.optional(),
  /** Of a cache that is kept for an hour. */
  cache_write_1h: decimal.optional(),
  reasoning: decimal.optional(),
};

export const costSchema = z.object({
  ...prices,
  /** Prices of prompts of more than `size` tokens. */
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

/** By provider and by the name that the provider has for the model. What nobody selects is never checked. */
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
 * Merges the entries of lists on a model, the oldest list first: the first that has it describes it, because its facts do not
 * change, and the last that has prices tells them.
 * @returns undefined where no list has it
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

/** JSON with every number as its source text. */
export function parsePriceList(text: string): unknown {
  return JSON.parse(text, keepSourceText);
}

function keepSourceText(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? context!.source : value;
}
