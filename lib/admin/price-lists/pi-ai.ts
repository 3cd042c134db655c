/**
 * Reads the npm package @earendil-works/pi-ai (0.82 or later). It contains one JSON file per provider, with prices in
 * USD per million tokens. Prices of 0 for both input and output, or for a cache, count as unknown.
 */

import * as z from 'zod';
import { isZeroPrice, parsePriceList, type ListedCost, type PriceList } from './price-list.ts';

export const PI_AI_DATA = 'dist/providers/data';

/** Provider ids of the catalog, by the package's ids, if they differ. */
const catalogProviderNames: Record<string, string> = { fireworks: 'fireworks-ai', together: 'togetherai' };

const piAiPricesSchema = z.object({
  input: z.string(),
  output: z.string(),
  cacheRead: z.string(),
  cacheWrite: z.string(),
});

const piAiModelSchema = z.object({
  id: z.string(),
  type: z.literal('chat'),
  name: z.string(),
  input: z.array(z.string()),
  reasoning: z.boolean(),
  cost: piAiPricesSchema.extend({
    tiers: z.array(piAiPricesSchema.extend({ inputTokensAbove: z.string() })).optional(),
  }),
  contextWindow: z.string(),
  maxTokens: z.string(),
  compat: z.object({ supportsTemperature: z.boolean().optional() }).optional(),
});

const fileSchema = z.record(z.string(), z.record(z.string(), z.unknown()));

/**
 * Converts the package's data files to a price list.
 * @param files text by the package's provider id
 */
export function readPiAi(files: ReadonlyMap<string, string>): PriceList {
  const providers = [...files].map(([provider, text]) => {
    const models = Object.values(fileSchema.parse(parsePriceList(text))).flatMap(Object.values);
    const chat = models.flatMap((model) => piAiModelSchema.safeParse(model).data ?? []);
    return [
      catalogProviderNames[provider] ?? provider,
      { models: Object.fromEntries(chat.map((one) => [one.id, piAiModel(one)])) },
    ];
  });
  return Object.fromEntries(providers) as PriceList;
}

function piAiModel({
  name,
  input,
  reasoning,
  cost,
  contextWindow,
  maxTokens,
  compat,
}: z.infer<typeof piAiModelSchema>) {
  return {
    name,
    ...(isZeroPrice(cost.input) && isZeroPrice(cost.output) ? {} : { cost: piAiCost(cost) }),
    limit: { context: contextWindow, output: maxTokens },
    modalities: { input, output: ['text'] },
    reasoning,
    // All chat models in the package support tools.
    tool_call: true,
    temperature: compat?.supportsTemperature ?? true,
  };
}

function piAiCost({ tiers, ...base }: z.infer<typeof piAiModelSchema>['cost']): ListedCost {
  const tiered = tiers?.map((tier) => ({ ...piAiPrices(tier), tier: { size: tier.inputTokensAbove } }));
  return { ...piAiPrices(base), ...(tiered ? { tiers: tiered } : {}) };
}

function piAiPrices({ input, output, cacheRead, cacheWrite }: z.infer<typeof piAiPricesSchema>) {
  return {
    input,
    output,
    ...(isZeroPrice(cacheRead) ? {} : { cache_read: cacheRead }),
    ...(isZeroPrice(cacheWrite) ? {} : { cache_write: cacheWrite }),
  };
}
