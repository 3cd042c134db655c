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

/** How an answer ended. accounting/ending.ts decides the charge for each ending. */
export const endings = [
  'complete',
  'out_of_money',
  'refused_before',
  'broke_off',
  'client_left',
  'out_of_time',
] as const;
export type Ending = (typeof endings)[number];

/** Fields for the model, and for the endpoint that serves it. */
export const routeFields = {
  model: text('model'),
  modelPermaslug: text('model_permaslug'),
  endpointId: text('endpoint_id'),
  providerName: text('provider_name'),
};

/** A failed attempt at an endpoint, before the last attempt. Failed attempts are free. */
export const failedAttemptRecord = record({
  endpointId: text('endpoint_id'),
  modelPermaslug: text('model_permaslug'),
  providerName: text('provider_name'),
  /** HTTP status of the provider's response; null without a response. */
  status: orNull(count('status')),
  durationMs: count('duration_ms'),
});

/**
 * Creates a field for the count of each unit. If the previous release does not know a unit, a count of null is omitted
 * from messages, because that release would reject it.
 */
export function unitFields<Name extends string>(
  units: readonly RecordedUnit<Name>[],
): Record<Name, Field<number | null>> {
  const fields = units.map(({ record: [name, attribute], isUnreleased }) => {
    const field = orNull(count(attribute));
    return [
      name,
      isUnreleased ? unreleased({ ...field, toMessage: (value) => field.toMessage(value) ?? undefined }) : field,
    ];
  });
  return Object.fromEntries(fields) as Record<Name, Field<number | null>>;
}

/** Units of one request to a provider, or of all requests of a generation. */
const usageFields = {
  /** All prompt tokens: uncached, read from a cache, and written to a cache. */
  promptTokens: count('tokens_prompt'),
  completionTokens: count('tokens_completion'),
  ...unitFields(roundUnits),
};
const roundRecord = record(usageFields);
export type RoundUsage = RecordOf<typeof roundRecord>;

/** Maximum number of requests to a provider in one generation. A decisions request may need that many. */
export const MAX_ROUNDS = 512;

/** Maximum number of recorded failed attempts. Only videos may have more; the earliest are then not recorded. */
export const MAX_ATTEMPTS = 16;

/**
 * Maximum number of recorded names of omitted fields. At most 32 of them are unknown fields, and only a few known
 * fields can be omitted.
 */
export const MAX_LEFT_OUT = 64;

/** Units with one count for the whole generation, instead of one per request to a provider. */
const { searchRequests, ...furtherUnits } = unitFields(generationUnits);

export const outcomeRecord = record({
  cost: money('total_cost_rub'),
  /**
   * Savings by cache reads compared with uncached input, minus the additional cost of cache writes; negative if the
   * writes cost more.
   */
  cacheSaved: named('cache_discount_rub', money('cache_saved_rub')),
  /**
   * The service's own cost at the endpoint's `service_cost` prices; absent without such prices. Clients cannot read it.
   */
  serviceCost: optional(money('service_cost_rub')),
  /** Whether the gateway counted the usage because the provider did not report it. */
  estimated: flag('estimated'),
  /** Whether the charge was limited to the request's bound or to its hold. */
  capped: flag('capped'),
  cancelled: flag('cancelled'),
  /** How the answer ended; null if that is unknown, as in a checkpoint of a running answer. */
  ending: orNull(oneOf('ending', endings)),
  finishReason: orNull(text('finish_reason')),
  /** The provider's own finish reason; null if it is the same as `finishReason`. */
  nativeFinishReason: orNull(text('native_finish_reason')),
  ...routeFields,
  /** Prices of the endpoint that answered, unless it is the first candidate with the prices fixed at admission. */
  pricing: optional(pricesField('prices')),
  ...usageFields,
  /**
   * Usage of each request to the provider, if the generation needed several (for example after a search). Each request
   * was priced separately.
   */
  rounds: list('rounds', roundRecord, MAX_ROUNDS),
  searchRequests,
  searchResults: orNull(count('num_search_results')),
  /** Number of images and recordings in the answer of a chat model. Missing in older records. */
  completionMedia: unreleased(orNull(count('num_media_completion'))),
  ...furtherUnits,
  failedAttempts: list('failed_attempts', failedAttemptRecord, MAX_ATTEMPTS),
  /** HTTP status of the last attempt's response; null without a response. */
  providerStatus: orNull(count('provider_status')),
  /**
   * Kind of failure of each failed attempt, in order: first the attempts in `failedAttempts`, then the last attempt if
   * it failed or broke off. Missing in older records.
   */
  failures: unreleased(texts('attempt_failures', MAX_ATTEMPTS + 1)),
  /**
   * Names of the request's fields that the endpoint did not receive, as the client wrote them. Missing in older
   * records.
   */
  leftOut: unreleased(texts('left_out', MAX_LEFT_OUT)),
  /**
   * The gateway's own time in ms: from receipt of the request until the first provider had received the complete
   * request. Missing in older records.
   */
  overheadMs: unreleased(orNull(count('overhead_ms'))),
  /**
   * Time of providers in ms: from the end of `overheadMs` until a provider's last byte, or until the job of a video
   * ended. Missing in older records.
   */
  providerMs: unreleased(orNull(count('provider_ms'))),
  latencyMs: orNull(count('latency_ms')),
  generationTimeMs: orNull(count('generation_time_ms')),
});

/** Outcome of a generation: the facts for its price, GET /generation and the roll-up. */
export type Outcome = RecordOf<typeof outcomeRecord>;

/**
 * Returns the names of the attributes that an outcome does not have, except prices, because the prices fixed at
 * admission stay in the record.
 */
export function absentAttributes(present: Item): string[] {
  return outcomeRecord.attributes.map(({ name }) => name).filter((name) => name !== 'prices' && !(name in present));
}

/** Returns an outcome without usage and cost. */
export function emptyOutcome(of: Pick<Outcome, keyof typeof routeFields>, ending: Ending | null = null): Outcome {
  return { ...outcomeRecord.from({}), ...of, cancelled: true, ending };
}
