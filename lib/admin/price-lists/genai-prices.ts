/** Reads the npm package @pydantic/genai-prices: prices in USD per million tokens, with tiers, in its code. */

import * as z from 'zod';
import type { ListedCost, PriceList } from './price-list.ts';

export const GENAI_PRICES_CODE = 'dist/index.js';

/** The package's provider ids, by provider id of the catalog. */
const providerNames = {
  'amazon-bedrock': 'aws',
  anthropic: 'anthropic',
  azure: 'azure',
  baseten: 'baseten',
  cerebras: 'cerebras',
  cohere: 'cohere',
  deepseek: 'deepseek',
  'fireworks-ai': 'fireworks',
  google: 'google',
  'google-vertex': 'google',
  'google-vertex-anthropic': 'google',
  groq: 'groq',
  minimax: 'minimax',
  mistral: 'mistral',
  moonshotai: 'moonshotai',
  openai: 'openai',
  openrouter: 'openrouter',
  togetherai: 'together',
  xai: 'x-ai',
  zai: 'zai',
};

const priceSchema = z
  .number()
  .or(z.object({ base: z.number(), tiers: z.array(z.object({ start: z.int(), price: z.number() })) }));
type Price = z.infer<typeof priceSchema>;

/** The package's price names, by price name of the common format. */
const priceNames = {
  input: 'input_mtok',
  output: 'output_mtok',
  cache_read: 'cache_read_mtok',
  cache_write: 'cache_write_mtok',
  cache_write_1h: 'cache_write_1h_mtok',
} as const;
type PriceName = keyof typeof priceNames;

const genaiPricesSchema = z.object({
  input_mtok: priceSchema.optional(),
  output_mtok: priceSchema.optional(),
  cache_read_mtok: priceSchema.optional(),
  cache_write_mtok: priceSchema.optional(),
  cache_write_1h_mtok: priceSchema.optional(),
});
type Prices = z.infer<typeof genaiPricesSchema>;

const constraintSchema = z.object({ start_date: z.string().optional(), start_time: z.string().optional() });

const genaiModelSchema = z.object({
  id: z.string(),
  name: z.string().optional(),
  match: z.unknown(),
  prices: z
    .array(z.object({ constraint: constraintSchema.optional(), prices: genaiPricesSchema }))
    .or(genaiPricesSchema),
});

const providerSchema = z.object({ models: z.array(genaiModelSchema) });

export interface GenaiPrices {
  findProvider: (wanted: { providerId: string }) => unknown;
}

/**
 * Converts the package's data to a price list.
 * @param day as YYYY-MM-DD; prices that start later are ignored
 */
export function readGenaiPrices({ findProvider }: GenaiPrices, day: string): PriceList {
  const list: PriceList = {};
  for (const [provider, providerId] of Object.entries(providerNames)) {
    const { models } = providerSchema.parse(findProvider({ providerId }) ?? { models: [] });
    // If two models have the same name, the first one applies.
    const priced = models.toReversed().flatMap((model) => {
      const cost = genaiCost(pricesOn(day, model.prices));
      const { id, name } = model;
      return cost ? exactModelNames(model.match, id).map((key) => [key, { ...(name ? { name } : {}), cost }]) : [];
    });
    list[provider] = { models: Object.fromEntries(priced) as PriceList[string]['models'] };
  }
  return list;
}

/**
 * Returns the names that certainly belong to a model: its id, and the texts in rules `equals` and `starts_with`. Longer
 * names with such a beginning may later belong to another model.
 */
function exactModelNames(match: unknown, id: string): string[] {
  const found = z
    .object({ equals: z.string() })
    .or(z.object({ starts_with: z.string() }))
    .safeParse(match).data;
  const inner = z.object({ or: z.array(z.unknown()) }).safeParse(match).data?.or ?? [];
  return [id, ...(found ? Object.values(found) : []), ...inner.flatMap((one) => exactModelNames(one, id))];
}

/** Returns the prices on a day. If they depend on the hour, the prices with the highest input price apply. */
function pricesOn(day: string, prices: z.infer<typeof genaiModelSchema>['prices']): Prices {
  if (!Array.isArray(prices)) return prices;
  const begun = prices.filter(({ constraint }) => (constraint?.start_date ?? day) <= day);
  const latest = begun.findLastIndex(({ constraint }) => constraint?.start_time === undefined);
  const current = begun.slice(Math.max(latest, 0)).map((one) => one.prices);
  return current.toSorted((one, other) => basePrice(one.input_mtok) - basePrice(other.input_mtok)).at(-1) ?? {};
}

function basePrice(price: Price | undefined): number {
  return typeof price === 'object' ? price.base : (price ?? 0);
}

function tiersOf(price: Price | undefined): { start: number; price: number }[] {
  return typeof price === 'object' ? price.tiers : [];
}

/** Returns the cost; undefined unless the model has prices of both input and output tokens. */
function genaiCost(prices: Prices): ListedCost | undefined {
  const { input_mtok: input, output_mtok: output } = prices;
  if (input === undefined || output === undefined) return undefined;
  const sizes = new Set(Object.values(prices).flatMap((price) => tiersOf(price).map(({ start }) => start)));
  const tiers = [...sizes]
    .toSorted((one, other) => one - other)
    .map((size) => ({
      ...pricesByName(
        prices,
        (price) => tiersOf(price).findLast(({ start }) => start <= size)?.price ?? basePrice(price),
      ),
      tier: { size: String(size) },
    }));
  const base = {
    ...pricesByName(prices, basePrice),
    input: decimalText(basePrice(input)),
    output: decimalText(basePrice(output)),
  };
  return { ...base, ...(tiers.length > 0 ? { tiers } : {}) };
}

function pricesByName(prices: Prices, amount: (price: Price) => number): Partial<Record<PriceName, string>> {
  const known = Object.entries(priceNames).flatMap(([name, theirs]) => {
    const price = prices[theirs];
    return price === undefined ? [] : [[name, decimalText(amount(price))]];
  });
  return Object.fromEntries(known) as Partial<Record<PriceName, string>>;
}

/** Returns a number as decimal text. The shortest text that represents the number is the price in the package. */
function decimalText(amount: number): string {
  const text = String(amount);
  return text.includes('e') ? amount.toFixed(15).replace(/\.?0+$/, '') : text;
}
