/**
 * Limits of free models (models that the service pays for). Requests are counted by account and, without funding, by
 * address; their cost is held in a daily budget of the model. The transaction that records the generation does all of
 * this, so a request is counted if and only if it is admitted.
 *
 * Weakness: a request must fit into one part of the budget, so small remainders of the parts stay unused.
 */

import { BUDGET_PARTS, budgetPart } from '../../catalog/free-terms.ts';
import type { ServiceFree } from '../../catalog/schema.ts';
import type { Money } from '../../money/money.ts';
import { utcDate, windowEnd } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import {
  accountDay,
  accountMinute,
  addressDay,
  placeUpdate,
  readRequests,
  requestsFrom,
  type FreeCount,
} from '../../store/counters/free-requests.ts';
import {
  budgetHoldUpdate,
  readBudget,
  type BudgetPartSums,
  type ServiceHold,
} from '../../store/counters/service-budgets.ts';
import type { Table } from '../../store/table/table.ts';
import type { FailedCondition, Writes } from '../../store/table/transact.ts';
import { FreeMemory } from './free-memory.ts';

export interface FreeModel {
  id: string;
  terms: ServiceFree;
  isFunded: boolean;
  amount: Money;
}

export interface FreeUse {
  accountId: string;
  /** Hash of the client's network and the day; undefined if requests are not counted by network. */
  networkHash: string | undefined;
  models: FreeModel[];
  atMs: number;
}

/** Reason why a free model cannot serve a request now. */
export type FreeRefusal =
  | { kind: 'free_requests'; counted: CountKind; most: number; models: string[]; atMs: number; endsAtMs: number }
  | FreeBudgetRefusal;

interface FreeBudgetRefusal {
  kind: 'free_budget';
  isHeldOnly: boolean;
  most: number;
  models: string[];
  atMs: number;
  endsAtMs: number;
}

export type CountKind = 'day' | 'address' | 'minute';
type FreeWrite = CountKind | `budget of ${string}`;

const memory = new FreeMemory();

const countKinds: readonly CountKind[] = ['day', 'address', 'minute'];

/** Returns the budget parts in which the cost of a request is held first. */
export function firstServiceHolds({ models }: FreeUse, generationId: string): ServiceHold[] {
  const part = Number.parseInt(generationId.slice(-4), 16) % BUDGET_PARTS;
  return models.map(({ id, amount }) => ({ model: id, part, amount }));
}

/**
 * Returns a refusal that needs no call to the store; undefined if the store must decide.
 * @param isRemembered whether recent refusals count
 */
export function refusedAtOnce(use: FreeUse, isRemembered: boolean): FreeRefusal | undefined {
  for (const kind of countKinds) {
    const refused = use.models.filter((model) => maxRequestsOf(model, kind) === 0);
    if (refused.length > 0) return tooManyFreeRequests(use, kind, refused, 0);
    const count = countOf(use, kind);
    const requests = isRemembered && count && memory.requests(freeWriteName(count), nowMs());
    if (typeof requests === 'number' && requests >= minRequestsOf(use, kind)) return refusedAt(use, kind, requests);
  }
  const tooLarge = use.models.find(({ amount, terms }) => amount.exceeds(budgetPart(terms)));
  const spent = use.models.find(
    ({ id, amount }) => isRemembered && memory.hasNoRoomFor(freeBudgetWriteName(use, id), amount, nowMs()),
  );
  const refused = tooLarge ?? spent;
  return refused && outOfBudget(use, refused, false);
}

/** Returns the writes that count a request and hold its maximum service cost, with the limits as conditions. */
export function freeWrites(table: Table, use: FreeUse, holds: readonly ServiceHold[]): Writes<FreeWrite> {
  const writes: Writes<FreeWrite> = {};
  for (const kind of countKinds) {
    const count = countOf(use, kind);
    if (count) writes[kind] = placeUpdate(table, count, minRequestsOf(use, kind));
  }
  for (const hold of holds) {
    if (hold.amount.isZero) continue;
    const { terms } = modelOf(use, hold);
    writes[`budget of ${hold.model}`] = budgetHoldUpdate(table, utcDate(use.atMs), hold, budgetPart(terms));
  }
  return writes;
}

/**
 * Refuses the request, or moves its holds to other parts of the budgets.
 * @returns undefined if no condition of the free-model limits failed
 */
export async function afterFailure(
  table: Table,
  use: FreeUse,
  holds: readonly ServiceHold[],
  failed: { [Name in string]?: FailedCondition },
): Promise<{ refused: FreeRefusal } | { holds: ServiceHold[] } | undefined> {
  for (const kind of countKinds) {
    const condition = failed[kind];
    if (!condition) continue;
    const requests = requestsFrom(condition.item);
    memory.rememberRequests(freeWriteName(countOf(use, kind)!), requests, nowMs());
    return { refused: refusedAt(use, kind, requests) };
  }
  const without = holds.filter(({ model }) => failed[`budget of ${model}`]);
  if (without.length === 0) return undefined;
  const moved: ServiceHold[] = [];
  for (const hold of holds) {
    const place = without.includes(hold) ? roomiestPart(use, hold, await partsOf(table, use, hold)) : hold;
    if ('kind' in place) {
      if (!place.isHeldOnly) memory.rememberAmount(freeBudgetWriteName(use, hold.model), hold.amount, nowMs());
      return { refused: place };
    }
    moved.push(place);
  }
  return { holds: moved };
}

function partsOf(table: Table, { atMs }: FreeUse, { model }: Pick<ServiceHold, 'model'>): Promise<BudgetPartSums[]> {
  return readBudget(table, utcDate(atMs), model);
}

function roomiestPart(
  use: FreeUse,
  hold: ServiceHold,
  parts: readonly BudgetPartSums[],
): ServiceHold | FreeBudgetRefusal {
  const model = modelOf(use, hold);
  const size = budgetPart(model.terms);
  const roomiest = parts.reduce((a, b) => (a.committed.exceeds(b.committed) ? b : a));
  if (!roomiest.committed.plus(hold.amount).exceeds(size)) return { ...hold, part: roomiest.part };
  const isHeldOnly = parts.some(({ spent }) => !spent.plus(hold.amount).exceeds(size));
  return outOfBudget(use, model, isHeldOnly);
}

/**
 * A limit on a free model. The remaining budget is not included, because it would reveal the spending of other
 * accounts.
 */
export type FreeRoom = {
  model: string;
  endsAtMs: number;
  admits: boolean;
} & ({ counted: CountKind; most: number; left: number } | { counted: 'budget' });

/** Predicts whether free models would serve a request. Writes nothing. */
export async function previewFreeUse(
  table: Table,
  use: FreeUse,
): Promise<{ rooms: FreeRoom[]; refused: FreeRefusal | undefined }> {
  const [counts, budgets] = await Promise.all([previewedCounts(table, use), previewedBudgets(table, use)]);
  const used = counts.find(({ kind, requests }) => requests >= minRequestsOf(use, kind));
  const refused = used
    ? refusedAt(use, used.kind, used.requests)
    : budgets.flatMap(({ place }) => ('kind' in place ? [place] : []))[0];
  return { rooms: [...counts.flatMap(({ rooms }) => rooms), ...budgets.map(({ room }) => room)], refused };
}

function previewedCounts(table: Table, use: FreeUse) {
  const counted = countKinds.flatMap((kind) => {
    const count = countOf(use, kind);
    return count ? [{ kind, count }] : [];
  });
  return Promise.all(
    counted.map(async ({ kind, count }) => {
      const requests = await readRequests(table, count);
      const rooms = use.models.flatMap((model): FreeRoom[] => {
        const most = maxRequestsOf(model, kind);
        if (most === undefined) return [];
        const left = Math.max(0, most - requests);
        return [{ model: model.id, counted: kind, most, left, endsAtMs: count.endsAtMs, admits: left > 0 }];
      });
      return { kind, requests, rooms };
    }),
  );
}

function previewedBudgets(table: Table, use: FreeUse) {
  const endsAtMs = windowEnd('daily', use.atMs)!;
  return Promise.all(
    use.models
      .filter(({ amount }) => !amount.isZero)
      .map(async ({ id, amount }) => {
        const hold = { model: id, part: 0, amount };
        const place = roomiestPart(use, hold, await partsOf(table, use, hold));
        const room: FreeRoom = { model: id, counted: 'budget', endsAtMs, admits: !('kind' in place) };
        return { place, room };
      }),
  );
}

/** Creates the refusal of a request that lost all attempts at the budget to concurrent requests. */
export function contendedBudget(use: FreeUse): FreeRefusal {
  return outOfBudget(use, use.models[0]!, true);
}

function refusedAt(use: FreeUse, kind: CountKind, requests: number): FreeRefusal {
  const refused = use.models.filter((model) => (maxRequestsOf(model, kind) ?? Infinity) <= requests);
  return tooManyFreeRequests(use, kind, refused, minRequestsOf(use, kind));
}

function tooManyFreeRequests(use: FreeUse, counted: CountKind, refused: FreeModel[], most: number): FreeRefusal {
  const models = refused.map(({ id }) => id);
  return { kind: 'free_requests', counted, most, models, atMs: use.atMs, endsAtMs: countOf(use, counted)!.endsAtMs };
}

/** The refusal states the daily limit in requests, because clients cannot read a budget in roubles. */
function outOfBudget({ atMs }: FreeUse, model: FreeModel, isHeldOnly: boolean): FreeBudgetRefusal {
  const endsAtMs = windowEnd('daily', atMs)!;
  return { kind: 'free_budget', isHeldOnly, most: maxRequestsOf(model, 'day')!, models: [model.id], atMs, endsAtMs };
}

function modelOf({ models }: FreeUse, { model }: ServiceHold): FreeModel {
  return models.find(({ id }) => id === model)!;
}

function freeWriteName({ key: { pk, sk } }: FreeCount): string {
  return `${pk}#${sk}`;
}

function freeBudgetWriteName({ atMs }: FreeUse, model: string): string {
  return `${model}#${utcDate(atMs)}`;
}

function countOf({ accountId, networkHash, atMs }: FreeUse, kind: CountKind): FreeCount | undefined {
  switch (kind) {
    case 'day':
      return accountDay(accountId, atMs);
    case 'minute':
      return accountMinute(accountId, atMs);
    case 'address':
      return networkHash === undefined ? undefined : addressDay(networkHash, atMs);
  }
}

/** Returns the model's maximum number of requests; undefined if the model has no limit of this kind. */
function maxRequestsOf({ terms, isFunded }: FreeModel, kind: CountKind): number | undefined {
  switch (kind) {
    case 'day':
      return dailyRequests(terms, isFunded);
    case 'minute':
      return terms.rpm;
    case 'address':
      return isFunded ? undefined : terms.base_ip_daily;
  }
}

export function dailyRequests({ daily_base, daily_funded }: ServiceFree, isFunded: boolean): number {
  return isFunded ? daily_funded : daily_base;
}

/**
 * Returns the lowest limit of the request's models. The counts cover all free models together, so the strictest model
 * decides.
 */
function minRequestsOf({ models }: FreeUse, kind: CountKind): number {
  return Math.min(...models.map((model) => maxRequestsOf(model, kind) ?? Infinity));
}
