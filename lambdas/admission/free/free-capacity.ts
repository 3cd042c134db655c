import { budgetPart, BUDGET_PARTS, maxFreeRequestCost } from '../../catalog/free-terms.ts';
import type { ModelData } from '../../catalog/schema.ts';
import { utcDate } from '../../money/periods.ts';
import { refreshed } from '../../platform/concurrency/refreshing-value.ts';
import type { BudgetPartSums } from '../../store/counters/service-budgets.ts';

/** Finds free models whose service budget (the amount that the service pays for a model in a UTC day) is used up. */
export interface FreeCapacity {
  isLimited: (model: Pick<ModelData, 'id' | 'service_free' | 'endpoints'>) => boolean;
  /** Reads the budgets again if the last reading is at least five seconds old. Never rejects. */
  refresh: () => Promise<void>;
}

const CAPACITY_REFRESH_MS = 5_000;
/** Maximum age in ms of a reading that is still used. */
const MAX_CAPACITY_AGE_MS = 60_000;

interface CapacityReading {
  date: string;
  atMs: number;
  sums: BudgetPartSums[];
}

export function openFreeCapacity(read: (date: string) => Promise<BudgetPartSums[]>, nowMs: () => number): FreeCapacity {
  const reading = refreshed(
    async (): Promise<CapacityReading> => {
      const atMs = nowMs();
      const date = utcDate(atMs);
      return { date, atMs, sums: await read(date) };
    },
    { name: 'budgets of free models', everyMs: CAPACITY_REFRESH_MS, nowMs },
  );
  return {
    isLimited(model) {
      const known = reading.value();
      const atMs = nowMs();
      if (!known || known.date !== utcDate(atMs) || atMs - known.atMs >= MAX_CAPACITY_AGE_MS) return false;
      return isUsedUp(model, known.sums);
    },
    refresh: () => reading.refresh(),
  };
}

/** Returns whether no part of the model's budget has room for its most expensive request. Holds count as used. */
function isUsedUp(model: Pick<ModelData, 'id' | 'service_free' | 'endpoints'>, sums: BudgetPartSums[]): boolean {
  const { id, service_free: terms } = model;
  const maxCost = maxFreeRequestCost(model);
  if (!terms || maxCost.isZero) return false;
  const size = budgetPart(terms);
  const full = sums.filter((part) => part.model === id && part.committed.plus(maxCost).exceeds(size));
  return full.length === BUDGET_PARTS;
}
