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

export const endings = [
  'complete',
  'out_of_money',
  'refused_before',
  'broke_off',
  'client_left',
  'out_of_time',
] as const;
export type Ending = (typeof endings)[number];

export const routeFields = {
  model: text('model'),
  modelPermaslug: text('model_permaslug'),
  endpointId: text('endpoint_id'),
  providerName: text('provider_name'),
};

/** A failed attempt before the last attempt. It is free. */
export const failedAttemptRecord = record({
  endpointId: text('endpoint_id'),
  modelPermaslug: text('model_permaslug'),
  providerName: text('provider_name'),
  /** HTTP status of the provider's response; null without a response. */
  status: orNull(count('status')),
  durationMs: count('duration_ms'),
});

/**
 * Returns the record's fields for these units. A count of null is omitted from messages if the previous release does
 * not know the unit.
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

const usageFields = {
  /** All prompt tokens: uncached, read from a cache, and written to a cache. */
  promptTokens: count('tokens_prompt'),
  completionTokens: count('tokens_completion'),
  ...unitFields(roundUnits),
};
const roundRecord = record(usageFields);
export type RoundUsage = RecordOf<typeof roundRecord>;

/** Maximum number of requests to a provider in one generation. */
export const MAX_ROUNDS = 512;

/** Maximum number of recorded failed attempts. */
export const MAX_ATTEMPTS = 16;

export const MAX_LEFT_OUT = 64;

/** Units with one count for the whole generation, instead of one per request to a provider. */
const { searchRequests, ...furtherUnits } = unitFields(generationUnits);

export const outcomeRecord = record({
  cost: money('total_cost_rub'),
  /** Amount saved by caching; negative if cache writes cost more than cache reads saved. */
  cacheSaved: named('cache_discount_rub', money('cache_saved_rub')),
  /** The service's own cost at the endpoint's `service_cost` prices. Do not show it to clients. */
  serviceCost: optional(money('service_cost_rub')),
  /** Whether the gateway counted usage that the provider did not report. */
  estimated: flag('estimated'),
  /** Whether the charge was limited to the request's bound or to its hold. */
  capped: flag('capped'),
  cancelled: flag('cancelled'),
  /** Way in which the answer ended; null if unknown, as in a checkpoint of a running answer. */
  ending: orNull(oneOf('ending', endings)),
  finishReason: orNull(text('finish_reason')),
  /** The provider's own finish reason; null if it is the same as `finishReason`. */
  nativeFinishReason: orNull(text('native_finish_reason')),
  ...routeFields,
  /** Prices of the answer; absent if the prices fixed at admission apply. */
  pricing: optional(pricesField('prices')),
  ...usageFields,
  /** Usage of each separately priced request to the provider, if there were several. */
  rounds: list('rounds', roundRecord, MAX_ROUNDS),
  searchRequests,
  searchResults: orNull(count('num_search_results')),
  /** Number of media items in the answer, such as images; missing in older records. */
  completionMedia: unreleased(orNull(count('num_media_completion'))),
  ...furtherUnits,
  failedAttempts: list('failed_attempts', failedAttemptRecord, MAX_ATTEMPTS),
  /** HTTP status of the last attempt's response; null without a response. */
  providerStatus: orNull(count('provider_status')),
  /**
   * Kinds of the failures of `failedAttempts`, and after them the kind of the last attempt's failure, if it failed or
   * broke off.
   */
  failures: unreleased(texts('attempt_failures', MAX_ATTEMPTS + 1)),
  /** Fields of the request that the endpoint did not receive, as the client wrote them. */
  leftOut: unreleased(texts('left_out', MAX_LEFT_OUT)),
  /** Time from receipt of the request until the first provider had received the complete request. */
  overheadMs: unreleased(orNull(count('overhead_ms'))),
  /** Time from the end of `overheadMs` until a provider's last byte, or until the job of a video ended. */
  providerMs: unreleased(orNull(count('provider_ms'))),
  latencyMs: orNull(count('latency_ms')),
  generationTimeMs: orNull(count('generation_time_ms')),
});

export type Outcome = RecordOf<typeof outcomeRecord>;

/**
 * Returns the names of attributes that an outcome lacks. Omits prices, because the prices fixed at admission stay in
 * the record.
 */
export function absentAttributes(present: Item): string[] {
  return outcomeRecord.attributes.map(({ name }) => name).filter((name) => name !== 'prices' && !(name in present));
}

export function emptyOutcome(of: Pick<Outcome, keyof typeof routeFields>, ending: Ending | null = null): Outcome {
  return { ...outcomeRecord.from({}), ...of, cancelled: true, ending };
}
