/**
 * The order in which endpoints are tried: those that the request names, in its order; then those that are not failing
 * before those that are; among them those that reach the preferred speed, those that take every field of the request, and then by what the
 * request sorts by. An endpoint
 * that has the conversation in its cache comes before others that are as well, while that is worth more than their price.
 *
 * Without a wish, the cheapest comes first, and conversations are spread over endpoints of exactly the same price by weight:
 * so the price that the catalog shows of a model is that of its default route, while that route is healthy.
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

/** How the endpoints are doing, as far as this process knows. */
export interface EndpointSignals {
  isFailing: EndpointHealth['isFailing'];
  /** Undefined where nothing is known. */
  speedOf: (endpointId: string) => EndpointSpeed | undefined;
}

type PricedOffer = Endpoint & { pricing: Pricing };

/** The place of an endpoint in each respect, the weightiest first; smaller is earlier. */
type EndpointRank = readonly number[];

/** The request's own order, health, the preferred speed, and what the endpoint takes of the request. */
const RANKS_ABOVE_WARMTH = 4;

/**
 * @param endpoints with a price, in the order of the catalog
 * @param draw which of several endpoints of the same price comes first
 * @param warmth where the prompt is cached; undefined where that is not known
 * @param lacking how many fields of the request an endpoint would be asked without
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

/** Moves the endpoint that has the prompt in its cache before those that are wished for, well and quick as it is. */
function keptWarm<Item extends { endpoint: PricedOffer }>(sorted: Ranked<Item>[], warmth: Warmth): Ranked<Item>[] {
  const at = sorted.findIndex(({ item }) => item.endpoint.id === warmth.prompt.endpointId);
  const warm = sorted[at];
  if (!warm) return sorted;
  const before = sorted.findIndex(({ rank }) => isAsWell(rank, warm.rank));
  const { endpoint: other } = sorted[before]!.item;
  if (before === at || !isWorthStaying(warmth, paidPrices(warm.item.endpoint), paidPrices(other))) return sorted;
  return [...sorted.slice(0, before), warm, ...sorted.slice(before, at), ...sorted.slice(at + 1)];
}

/** Equal in all that counts more than a warm cache. */
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
  // Whoever names an endpoint wants it first, however it is doing.
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
    // Infinity minus Infinity is no number.
    if (place !== b[index]) return place - b[index]!;
  }
  return 0;
}

/** What is not measured comes after what is. */
function placeBySpeed(speed: EndpointSpeed | undefined, sort: Preferences['sort']): number {
  if (sort === 'latency') return speed?.latencyMs?.p50 ?? Infinity;
  if (sort === 'throughput') return speed?.throughput ? -speed.throughput.p50 : Infinity;
  return 0;
}

/** Measured to miss one of the preferred values; what is not measured may reach them. */
function isTooSlow(
  speed: EndpointSpeed | undefined,
  { preferred_max_latency, preferred_min_throughput }: Preferences,
): boolean {
  const { latencyMs, throughput } = speed ?? {};
  const slow = cutoffs(preferred_max_latency).some(([name, seconds]) => latencyMs && latencyMs[name] > seconds * 1_000);
  return slow || cutoffs(preferred_min_throughput).some(([name, least]) => throughput && throughput[name] < least);
}

/** A single number is meant for the median. */
function cutoffs(cutoff: Preferences['preferred_max_latency']): [keyof Percentiles, number][] {
  if (cutoff === undefined) return [];
  if (typeof cutoff === 'number') return [['p50', cutoff]];
  return (['p50', 'p75', 'p90', 'p99'] as const).flatMap((name): [keyof Percentiles, number][] =>
    cutoff[name] ? [[name, cutoff[name]]] : [],
  );
}

/**
 * The place of each endpoint by what a usual request costs; equals keep the order of the catalog.
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
  // The largest of such draws is that of an endpoint as often as its share of the weights says.
  const drawn = ({ id, weight }: (typeof offers)[number]) => draw(id) ** (1 / weight);
  const sorted = grouped.toSorted((a, b) => a.cost.compare(b.cost) || a.group - b.group || drawn(b) - drawn(a));
  const places: number[] = [];
  for (const [place, { index }] of sorted.entries()) places[index] = place;
  return places;
}

/** Two offers with the same price of a usual request may still charge for different things. */
function isSamePricing(a: Pricing, b: Pricing): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
