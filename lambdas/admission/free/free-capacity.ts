import { budgetPart, BUDGET_PARTS, maxFreeRequestCost } from '../../catalog/free-terms.ts';
import type { ModelData } from '../../catalog/schema.ts';
import { utcDate } from '../../money/periods.ts';
import { refreshed } from '../../platform/concurrency/refreshing-value.ts';
import type { BudgetPartSums } from '../../store/counters/service-budgets.ts';

/** Which free models have used up what the service spends on them today, as far as this process knows. */
export interface FreeCapacity {
  /** False where it is not known. */
  isLimited: (model: Pick<ModelData, 'id' | 'service_free' | 'endpoints'>) => boolean;
  /** Reads it again, every five seconds at most. Never rejects. */
  refresh: () => Promise<void>;
}

const CAPACITY_REFRESH_MS = 5_000;
/** When the table does not answer, an older reading says nothing about now. */
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

/** No part of the budget has room for the largest request that the terms allow; what is held for others counts. */
function isUsedUp(model: Pick<ModelData, 'id' | 'service_free' | 'endpoints'>, sums: BudgetPartSums[]): boolean {
  const { id, service_free: terms } = model;
  const dearest = maxFreeRequestCost(model);
  if (!terms || dearest.isZero) return false;
  const size = budgetPart(terms);
  const full = sums.filter((part) => part.model === id && part.committed.plus(dearest).exceeds(size));
  return full.length === BUDGET_PARTS;
}
