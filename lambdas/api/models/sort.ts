/** Sorts lists of models. Models without the sorted value come last. Models with equal values keep their order. */

import * as z from 'zod';
import { typicalCost } from '../../catalog/default-route.ts';
import type { EndpointStatistics } from '../../catalog/endpoint-statistics.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { contextOf, type ModelOffer } from './offer.ts';

/** Returns the speed of an endpoint; undefined if too few requests were measured. */
export type SpeedOf = (endpointId: string) => SortedSpeed | undefined;
type SortedSpeed = Pick<EndpointStatistics, 'latencyMs' | 'throughput'>;

type ModelRank = number | bigint | undefined;

interface Order {
  highestFirst: boolean;
  rank: (offer: ModelOffer) => ModelRank;
}

interface MeasuredOrder {
  highestFirst: boolean;
  /** Returns the sorted value from the measured speed of the default route. */
  measured: (speed: SortedSpeed) => number | undefined;
}

/** Returns the cost of a typical request, in picoroubles; undefined for videos, whose length varies too much. */
const typicalCostOf = ({ model, endpoints }: ModelOffer) =>
  model.data.video ? undefined : typicalCost(endpoints[0]!.pricing).pico;

const orders = {
  newest: { highestFirst: true, rank: ({ model }) => Date.parse(model.data.created) },
  'pricing-low-to-high': { highestFirst: false, rank: typicalCostOf },
  'pricing-high-to-low': { highestFirst: true, rank: typicalCostOf },
  'context-high-to-low': { highestFirst: true, rank: contextOf },
  'throughput-high-to-low': { highestFirst: true, measured: ({ throughput }) => throughput?.p50 },
  'latency-low-to-high': { highestFirst: false, measured: ({ latencyMs }) => latencyMs?.p50 },
} as const satisfies Record<string, Order | MeasuredOrder>;

type Sort = keyof typeof orders;
const sorts = Object.keys(orders) as [Sort, ...Sort[]];
const unmeasuredSorts = sorts.filter((sort) => 'rank' in orders[sort]);

const useOneOf = (names: readonly string[]) => `use one of ${names.join(', ')}`;

/** Orders of OpenRouter's API for which this gateway has no data. */
const unavailableSorts: Record<string, string> = {
  'most-popular': 'the gateway does not measure the popularity of models',
  'top-weekly': 'the gateway does not measure the popularity of models',
  'intelligence-high-to-low': 'the catalog has no benchmarks',
  'coding-high-to-low': 'the catalog has no benchmarks',
  'agentic-high-to-low': 'the catalog has no benchmarks',
  'design-arena-elo-high-to-low': 'the catalog has no benchmarks',
};

export const sortParameter = z
  .enum(sorts, {
    error: ({ input }) => {
      const reason = typeof input === 'string' && Object.hasOwn(unavailableSorts, input) && unavailableSorts[input];
      return reason ? `${reason}; ${useOneOf(sorts)}` : `must be one of ${sorts.join(', ')}`;
    },
  })
  .optional()
  .meta({ description: 'The order of the list; without it, models are in the order of the catalog.' });

/** Whether the order uses measurements. */
export function isMeasured(sort: Sort | undefined): boolean {
  return sort !== undefined && 'measured' in orders[sort];
}

/**
 * Sorts models, or returns them in the same order if no order is given.
 * @param speedOf undefined without measurements
 * @throws {GatewayError} 400 for an order by measured speed without measurements
 */
export function sortedOffers(offers: readonly ModelOffer[], sort: Sort | undefined, speedOf?: SpeedOf): ModelOffer[] {
  if (!sort) return [...offers];
  const { highestFirst, rank } = orderOf(sort, speedOf);
  const ranked = offers.map((offer) => ({ offer, rank: rank(offer) }));
  return ranked.sort((a, b) => compareModelRanks(a.rank, b.rank, highestFirst)).map(({ offer }) => offer);
}

function orderOf(sort: Sort, speedOf: SpeedOf | undefined): Order {
  const order: Order | MeasuredOrder = orders[sort];
  if ('rank' in order) return order;
  if (!speedOf) {
    throw invalidRequest('sort', `speed is measured only for models that write text; ${useOneOf(unmeasuredSorts)}`);
  }
  const { highestFirst, measured } = order;
  const rank = ({ endpoints }: ModelOffer) => {
    const speed = speedOf(endpoints[0]!.id);
    return speed && measured(speed);
  };
  return { highestFirst, rank };
}

function compareModelRanks(a: ModelRank, b: ModelRank, highestFirst: boolean): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b === highestFirst ? 1 : -1;
}
