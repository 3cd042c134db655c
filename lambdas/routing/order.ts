/**
 * Orders the endpoints of a request. Endpoints that the preference `order` names come first, in its order. All others
 * are ordered by health, then preferred speed, then a sufficient context, then a sufficient length of answers, then
 * support for the request's fields, then the preference `sort`, then price. A preference comes from the request, or
 * else from the model's entry in the catalog. Finally, the endpoint that has the conversation cached moves before
 * endpoints that are equal in all criteria before `sort`. It moves only if its cache saves at least as much as its
 * higher price costs.
 *
 * Endpoints with the same price share the conversations in proportion to their weights. The price of a model in the
 * catalog is the price of its default route, as long as that route is healthy.
 */

import type { Endpoint } from '../catalog/catalog.ts';
import { paidPrices, typicalCost } from '../catalog/default-route.ts';
import type { EndpointStatistics, Percentiles } from '../catalog/endpoint-statistics.ts';
import type { Pricing } from '../catalog/schema.ts';
import type { EndpointHealth } from './health.ts';
import { isNamed } from './endpoint-names.ts';
import type { Preferences } from './preferences.ts';
import type { Draw } from './sticky-routing.ts';
import { isWorthStaying, type Warmth } from './warm-prompt.ts';

type EndpointSpeed = Pick<EndpointStatistics, 'latencyMs' | 'throughput'>;

export interface EndpointSignals {
  isFailing: EndpointHealth['isFailing'];
  speedOf: (endpointId: string) => EndpointSpeed | undefined;
}

type PricedOffer = Endpoint & { pricing: Pricing };

/** Ranks of an endpoint, the most important first; lower ranks are tried earlier. */
type EndpointRank = readonly number[];

/**
 * Number of ranks that are more important than a cached prompt: the place in `order`, health, the preferred speed, and
 * the context together with the length of answers and support for the request's fields.
 */
const RANKS_ABOVE_WARMTH = 4;

/**
 * Returns the endpoints in the order in which they are tried.
 * @param items endpoints with a price, in the order of the catalog
 * @param draw determines the order of endpoints with the same price, if there is no preference `sort`
 * @param warmth the endpoint that has the prompt cached; undefined if unknown
 * @param lacking returns the number of the request's fields that an endpoint does not support, plus its lack of room
 *   for the prompt or the answer
 */
export function inOrder<Item extends { endpoint: PricedOffer }>(
  items: readonly Item[],
  preferences: Preferences,
  signals: EndpointSignals,
  draw: Draw,
  warmth?: Warmth,
  lacking: (endpoint: PricedOffer) => number = () => 0,
): Item[] {
  if (items.length < 2) return [...items];
  const places = placesByPrice(items, preferences.sort === undefined ? draw : () => 1);
  const ranked = items.map((item, index) => ({
    item,
    rank: rankOf(item.endpoint, preferences, signals, { byPrice: places[index]!, byLack: lacking(item.endpoint) }),
  }));
  const sorted = ranked.toSorted((a, b) => compareEndpointRanks(a.rank, b.rank));
  return (warmth ? keptWarm(sorted, warmth) : sorted).map(({ item }) => item);
}

interface Ranked<Item> {
  item: Item;
  rank: EndpointRank;
}

/**
 * Moves the endpoint with the cached prompt before the endpoints that are equal in all more important ranks, if its
 * cache saves enough.
 */
function keptWarm<Item extends { endpoint: PricedOffer }>(sorted: Ranked<Item>[], warmth: Warmth): Ranked<Item>[] {
  const at = sorted.findIndex(({ item }) => item.endpoint.id === warmth.prompt.endpointId);
  const warm = sorted[at];
  if (!warm) return sorted;
  const before = sorted.findIndex(({ rank }) => isAsWell(rank, warm.rank));
  const { endpoint: other } = sorted[before]!.item;
  if (before === at || !isWorthStaying(warmth, paidPrices(warm.item.endpoint), paidPrices(other))) return sorted;
  return [...sorted.slice(0, before), warm, ...sorted.slice(before, at), ...sorted.slice(at + 1)];
}

/** Whether two endpoints are equal in all ranks that are more important than a cached prompt. */
function isAsWell(a: EndpointRank, b: EndpointRank): boolean {
  return a.slice(0, RANKS_ABOVE_WARMTH).every((place, index) => place === b[index]);
}

function rankOf(
  endpoint: PricedOffer,
  preferences: Preferences,
  signals: EndpointSignals,
  { byPrice, byLack }: { byPrice: number; byLack: number },
): EndpointRank {
  const { order = [], sort } = preferences;
  const named = order.findIndex((name) => isNamed(endpoint, name));
  // An endpoint that `order` names comes first, even if it is failing.
  if (named !== -1) return [named, 0, 0, 0, 0, byPrice];
  const speed = signals.speedOf(endpoint.id);
  return [
    Infinity,
    Number(signals.isFailing(endpoint.id)),
    Number(isTooSlow(speed, preferences)),
    byLack,
    placeBySpeed(speed, sort),
    byPrice,
  ];
}

function compareEndpointRanks(a: EndpointRank, b: EndpointRank): number {
  for (const [index, place] of a.entries()) {
    // Equal ranks are not subtracted, because Infinity minus Infinity is NaN.
    if (place !== b[index]) return place - b[index]!;
  }
  return 0;
}

/**
 * Returns the rank by the speed that the preference `sort` names; 0 for other sorts. Unmeasured endpoints come last.
 */
function placeBySpeed(speed: EndpointSpeed | undefined, sort: Preferences['sort']): number {
  if (sort === 'latency') return speed?.latencyMs?.p50 ?? Infinity;
  if (sort === 'throughput') return speed?.throughput ? -speed.throughput.p50 : Infinity;
  return 0;
}

/** Returns whether an endpoint is slower than the preferred speed. An unmeasured endpoint is not. */
function isTooSlow(
  speed: EndpointSpeed | undefined,
  { preferred_max_latency, preferred_min_throughput }: Preferences,
): boolean {
  const { latencyMs, throughput } = speed ?? {};
  const slow = cutoffs(preferred_max_latency).some(([name, seconds]) => latencyMs && latencyMs[name] > seconds * 1_000);
  return slow || cutoffs(preferred_min_throughput).some(([name, least]) => throughput && throughput[name] < least);
}

/** Returns the limits of a preference by percentile. A single number is the limit for the median. */
function cutoffs(cutoff: Preferences['preferred_max_latency']): [keyof Percentiles, number][] {
  if (cutoff === undefined) return [];
  if (typeof cutoff === 'number') return [['p50', cutoff]];
  return (['p50', 'p75', 'p90', 'p99'] as const).flatMap((name): [keyof Percentiles, number][] =>
    cutoff[name] ? [[name, cutoff[name]]] : [],
  );
}

/**
 * Returns the rank of each endpoint by the cost of a typical request. Endpoints with different prices and the same cost
 * keep the order of the catalog.
 */
function placesByPrice(items: readonly { endpoint: PricedOffer }[], draw: Draw): number[] {
  const offers = items.map(({ endpoint }, index) => {
    const { id, data } = endpoint;
    const pricing = paidPrices(endpoint);
    return { index, id, pricing, cost: typicalCost(pricing), weight: data.weight ?? 1 };
  });
  const isSame = (a: (typeof offers)[number], b: (typeof offers)[number]) =>
    a.cost.equals(b.cost) && isSamePricing(a.pricing, b.pricing);
  const grouped = offers.map((offer) => ({ ...offer, group: offers.findIndex((other) => isSame(offer, other)) }));
  // Among endpoints with equal prices, the probability that an endpoint comes first is proportional to its weight.
  const drawn = ({ id, weight }: (typeof offers)[number]) => draw(id) ** (1 / weight);
  const sorted = grouped.toSorted((a, b) => a.cost.compare(b.cost) || a.group - b.group || drawn(b) - drawn(a));
  const places: number[] = [];
  for (const [place, { index }] of sorted.entries()) places[index] = place;
  return places;
}

/**
 * Returns whether all prices are equal. An equal cost of a typical request is not enough, because endpoints may charge
 * for different units.
 */
function isSamePricing(a: Pricing, b: Pricing): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
