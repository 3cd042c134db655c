import { generationUnits, roundUnits, type RecordedUnit } from '../../catalog/unit-lists.ts';
import { pricesField } from './prices.ts';
import {
  count,
  flag,
  list,
  money,
  named,
  oneOf,
  optional,
  orNull,
  record,
  text,
  texts,
  unreleased,
  type Field,
  type RecordOf,
} from '../table/record.ts';
import type { Item } from '../table/table.ts';

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

/** The model, and the endpoint that was asked for it. */
export const routeFields = {
  model: text('model'),
  modelPermaslug: text('model_permaslug'),
  endpointId: text('endpoint_id'),
  providerName: text('provider_name'),
};

/** An attempt at another endpoint, before the one that answered or was the last. It costs nothing. */
export const failedAttemptRecord = record({
  endpointId: text('endpoint_id'),
  modelPermaslug: text('model_permaslug'),
  providerName: text('provider_name'),
  /** Of the provider's answer; null where it gave none. */
  status: orNull(count('status')),
  durationMs: count('duration_ms'),
});

/** A field for the count of each unit. A message leaves out an unknown count that the last release does not know: it would refuse a round with it. */
function unitFields<Name extends string>(units: readonly RecordedUnit<Name>[]): Record<Name, Field<number | null>> {
  const fields = units.map(({ record: [name, attribute], isUnreleased }) => {
    const field = orNull(count(attribute));
    return [name, isUnreleased ? unreleased({ ...field, toMessage: (value) => value ?? undefined }) : field];
  });
  return Object.fromEntries(fields) as Record<Name, Field<number | null>>;
}

/** Units of one request to a provider, or of all that belong to a generation. */
const usageFields = {
  /** Everything the model read: uncached, read from a cache, and written to one. */
  promptTokens: count('tokens_prompt'),
  completionTokens: count('tokens_completion'),
  ...unitFields(roundUnits),
};
const roundRecord = record(usageFields);
export type RoundUsage = RecordOf<typeof roundRecord>;

/** As many as one request for decisions may take. */
export const MAX_ROUNDS = 512;

/** More than are ever made for one request. */
export const MAX_ATTEMPTS = 16;

/** Names of more fields than are ever left out of one request: unknown ones are told by 32 names, and those that tune are few. */
export const MAX_LEFT_OUT = 64;

/** Units that belong to the generation, and to none of its rounds. */
const { searchRequests, ...furtherUnits } = unitFields(generationUnits);

export const outcomeRecord = record({
  cost: money('total_cost_rub'),
  /** The saving by reading caches against uncached input, less the cost of writing them; negative where that was more. */
  cacheSaved: named('cache_discount_rub', money('cache_saved_rub')),
  /** What the answer costs the service, at the endpoint's purchase prices; where it has none, it is not known. Clients do not see it. */
  serviceCost: optional(money('service_cost_rub')),
  /** True when usage was counted by us because the provider never reported it. */
  estimated: flag('estimated'),
  /** The provider reported more than the request could come to: it is charged at the bound. */
  capped: flag('capped'),
  cancelled: flag('cancelled'),
  /** How the answer ended; null in a checkpoint, while it goes on. */
  ending: orNull(oneOf('ending', endings)),
  finishReason: orNull(text('finish_reason')),
  /** In the provider's own word; null where that is the same. */
  nativeFinishReason: orNull(text('native_finish_reason')),
  ...routeFields,
  /** Prices of the endpoint that answered, where they are not those that were frozen at admission. */
  pricing: optional(pricesField('prices')),
  ...usageFields,
  /** The same of each request to the provider, where searches or questions led to several: each was priced by itself. */
  rounds: list('rounds', roundRecord, MAX_ROUNDS),
  searchRequests,
  /** The results that the searches found. */
  searchResults: orNull(count('num_search_results')),
  ...furtherUnits,
  failedAttempts: list('failed_attempts', failedAttemptRecord, MAX_ATTEMPTS),
  /** HTTP status of the last attempt's answer; null where there was none. */
  providerStatus: orNull(count('provider_status')),
  /**
   * The failure of each attempt that failed, in one word, in order: first those of `failedAttempts`, then that of the last one, if
   * it failed or broke off. Older records do not say.
   */
  failures: unreleased(texts('attempt_failures', MAX_ATTEMPTS + 1)),
  /** Fields of the request that the endpoint was not sent, by the names that the client reads. Older records do not say. */
  leftOut: unreleased(texts('left_out', MAX_LEFT_OUT)),
  /** From the request until the first provider had all of it: the gateway's own time. Older records do not say. */
  overheadMs: unreleased(orNull(count('overhead_ms'))),
  /** From then until the last that a provider sent. Older records do not say. */
  providerMs: unreleased(orNull(count('provider_ms'))),
  latencyMs: orNull(count('latency_ms')),
  generationTimeMs: orNull(count('generation_time_ms')),
});

/** What a generation came to: everything that its price, GET /generation and the roll-up need. */
export type Outcome = RecordOf<typeof outcomeRecord>;

/** Names of the attributes that an outcome does not have; a price that was frozen at admission stays. */
export function absentAttributes(present: Item): string[] {
  return outcomeRecord.attributes.map(({ name }) => name).filter((name) => name !== 'prices' && !(name in present));
}

/** The outcome of a generation that costs nothing, so far or for good: nothing was used, and nothing is known. */
export function emptyOutcome(of: Pick<Outcome, keyof typeof routeFields>, ending: Ending | null = null): Outcome {
  return { ...outcomeRecord.from({}), ...of, cancelled: true, ending };
}
