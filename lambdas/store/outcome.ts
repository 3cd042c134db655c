import { z } from 'zod';
import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';
import { moneyAttribute, moneyFrom, numberFrom, type Item } from './table.ts';

/**
 * What a generation came to: everything that its price, GET /generation and the roll-up need. Each field is listed once,
 * in `fields` below, with its name and its form; the item and the message to settlement are both made of that list.
 */
export interface Outcome {
  cost: Money;
  cacheDiscount: Money;
  /** True when usage was counted by us because the provider never told it. */
  estimated: boolean;
  /** The provider told more than the request could come to: it is charged at the bound. */
  capped: boolean;
  cancelled: boolean;
  /** How the answer ended; null on records of earlier versions. */
  ending: Ending | null;
  finishReason: string | null;
  model: string;
  modelPermaslug: string;
  endpointId: string;
  providerName: string;
  /** Prices of the endpoint that answered, where they are not those that were frozen at admission. */
  pricing: Pricing | undefined;
  /** Everything the model read: uncached, read from a cache, and written to one. */
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number | null;
  /** Of the prompt: read from a cache. */
  cachedTokens: number | null;
  /** Of the prompt: written to a cache of five minutes, and of one hour. */
  cacheWrite5mTokens: number | null;
  cacheWrite1hTokens: number | null;
  /** Images that the endpoint charges by the piece. */
  pricedImages: number | null;
  /** Searches that are charged; `searchResults` is what they found. */
  searchRequests: number | null;
  searchResults: number | null;
  latencyMs: number | null;
  generationTimeMs: number | null;
}

/** How an answer ended. Who pays what then is decided in accounting/ending.ts. */
export const endings = [
  'complete',
  'out_of_money',
  'refused_before',
  'broke_off',
  'client_left',
  'out_of_time',
] as const;
export type Ending = (typeof endings)[number];

/** One form of a field: as an attribute, and as a part of a message. */
interface Form<Value> {
  toItem: (value: Value) => unknown;
  fromItem: (stored: unknown) => Value;
  toMessage: (value: Value) => unknown;
  message: z.ZodType<Value>;
}

const decimal = z.string().transform((text, context) => {
  try {
    return Money.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'not a decimal amount' });
    return z.NEVER;
  }
});
const whole = z.int().nonnegative();

const money: Form<Money> = {
  toItem: moneyAttribute,
  fromItem: moneyFrom,
  toMessage: (value) => value.toString(),
  message: decimal,
};
const flag: Form<boolean> = same(z.boolean().default(false), (stored) => stored === true);
const text: Form<string> = same(z.string(), (stored) => stored as string);
const count: Form<number> = same(whole, numberFrom);
/** Null is not stored: an attribute that is absent was not told. */
const optionalText: Form<string | null> = optional(z.string(), (stored) => stored as string);
const optionalCount: Form<number | null> = optional(whole, Number);
const optionalEnding: Form<Ending | null> = optional(z.enum(endings), (stored) => stored as Ending);
const prices: Form<Pricing | undefined> = {
  toItem: (value) => value && pricesAttribute(value),
  fromItem: (stored) => (stored === undefined ? undefined : pricesFrom(stored as Item)),
  toMessage: (value) => value && pricesText(value),
  message: z
    .record(z.string(), z.unknown())
    .optional()
    .transform((value) => value && pricesFrom(value)),
};

const fields: { [Field in keyof Outcome]: { name: string; form: Form<Outcome[Field]> } } = {
  cost: { name: 'total_cost_rub', form: money },
  cacheDiscount: { name: 'cache_discount_rub', form: money },
  estimated: { name: 'estimated', form: flag },
  capped: { name: 'capped', form: flag },
  cancelled: { name: 'cancelled', form: flag },
  ending: { name: 'ending', form: optionalEnding },
  finishReason: { name: 'finish_reason', form: optionalText },
  model: { name: 'model', form: text },
  modelPermaslug: { name: 'model_permaslug', form: text },
  endpointId: { name: 'endpoint_id', form: text },
  providerName: { name: 'provider_name', form: text },
  pricing: { name: 'prices', form: prices },
  promptTokens: { name: 'tokens_prompt', form: count },
  completionTokens: { name: 'tokens_completion', form: count },
  reasoningTokens: { name: 'native_tokens_reasoning', form: optionalCount },
  cachedTokens: { name: 'native_tokens_cached', form: optionalCount },
  cacheWrite5mTokens: { name: 'cache_write_tokens', form: optionalCount },
  cacheWrite1hTokens: { name: 'cache_write_1h_tokens', form: optionalCount },
  pricedImages: { name: 'priced_images', form: optionalCount },
  searchRequests: { name: 'num_search_requests', form: optionalCount },
  searchResults: { name: 'num_search_results', form: optionalCount },
  latencyMs: { name: 'latency_ms', form: optionalCount },
  generationTimeMs: { name: 'generation_time_ms', form: optionalCount },
};

/** The fields as pairs, typed for walking: what belongs to one field is only ever used with that field. */
const entries = Object.entries(fields) as [keyof Outcome, { name: string; form: Form<unknown> }][];

/** The attributes of an outcome; what is not known has none. */
export function outcomeAttributes(outcome: Outcome): Item {
  const item: Item = {};
  for (const [field, { name, form }] of entries) {
    const value = form.toItem(outcome[field]);
    if (value !== undefined) item[name] = value;
  }
  return item;
}

/** Names of the attributes that an outcome does not have; a price that was frozen at admission stays. */
export function absentAttributes(outcome: Outcome): string[] {
  const present = outcomeAttributes(outcome);
  return entries.map(([, { name }]) => name).filter((name) => name !== fields.pricing.name && !(name in present));
}

export function outcomeFrom(item: Item): Outcome {
  return Object.fromEntries(entries.map(([field, { name, form }]) => [field, form.fromItem(item[name])])) as never;
}

/** The outcome as a part of a message, amounts as decimal text. */
export function outcomeMessage(outcome: Outcome): Record<string, unknown> {
  return Object.fromEntries(entries.map(([field, { name, form }]) => [name, form.toMessage(outcome[field])]));
}

/** Reads `outcomeMessage`. */
export const outcomeSchema: z.ZodType<Outcome> = z
  .strictObject(Object.fromEntries(entries.map(([, { name, form }]) => [name, form.message])))
  .transform(
    (message) => Object.fromEntries(entries.map(([field, { name }]) => [field, message[name]])) as never as Outcome,
  );

/** The outcome of a generation that costs nothing, so far or for good. */
export function emptyOutcome(
  of: Pick<Outcome, 'model' | 'modelPermaslug' | 'endpointId' | 'providerName'>,
  ending: Ending | null = null,
): Outcome {
  return {
    ...of,
    cost: Money.zero,
    cacheDiscount: Money.zero,
    estimated: false,
    capped: false,
    cancelled: true,
    ending,
    finishReason: null,
    pricing: undefined,
    promptTokens: 0,
    completionTokens: 0,
    reasoningTokens: null,
    cachedTokens: null,
    cacheWrite5mTokens: null,
    cacheWrite1hTokens: null,
    pricedImages: null,
    searchRequests: null,
    searchResults: null,
    latencyMs: null,
    generationTimeMs: null,
  };
}

/** Prices as exact Numbers in RUB per unit, so that a reviewer can multiply an export by hand. */
export function pricesAttribute(pricing: Pricing): Item {
  return mapPrices(pricing, moneyAttribute);
}

function pricesText(pricing: Pricing): Item {
  return mapPrices(pricing, (amount) => amount.toString());
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

/** Reads prices from an item or a message; both carry amounts as decimal text. */
function pricesFrom(stored: Item): Pricing {
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => {
      if (Array.isArray(value)) return [name, value.map((tier: Item) => pricesFrom(tier))];
      return [name, name === 'min_prompt_tokens' ? Number(value) : moneyFrom(value)];
    }),
  ) as Pricing;
}

function same<Value>(message: z.ZodType<Value>, fromItem: (stored: unknown) => Value): Form<Value> {
  return { toItem: (value) => value, fromItem, toMessage: (value) => value, message };
}

function optional<Value>(message: z.ZodType<Value>, fromItem: (stored: unknown) => Value): Form<Value | null> {
  return {
    toItem: (value) => value ?? undefined,
    fromItem: (stored) => (stored === undefined || stored === null ? null : fromItem(stored)),
    toMessage: (value) => value,
    message: message.nullable().default(null),
  };
}
