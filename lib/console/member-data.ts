import { Money } from '../../lambdas/money/money.ts';
import { utcDate, windowsAt } from '../../lambdas/money/periods.ts';
import type { ShownActivity, ShownMember, ShownRequest } from './answers.ts';
import { moneyOf } from './exact-numbers.ts';

interface ModelSpending {
  model: string;
  requests: number;
  cost: Money;
}

export function mondayAt(atMs: number): string {
  return windowsAt(atMs).weekly.split('_')[1]!;
}

/**
 * Returns a member's spending in the current week by model, most expensive first: the sums of completed days, and the
 * requests of today.
 * @param today requests of today
 */
export function weekByModel(
  { activity, readAtMs }: { activity: readonly ShownActivity[]; readAtMs: number },
  member: Pick<ShownMember, 'id' | 'workspace_id'>,
  today: readonly ShownRequest[],
): ModelSpending[] {
  const { id, workspace_id } = member;
  const monday = mondayAt(readAtMs);
  const spending = new Map<string, ModelSpending>();
  const add = (model: string, requests: number, cost: Money) => {
    const known = spending.get(model) ?? { model, requests: 0, cost: Money.zero };
    spending.set(model, { model, requests: known.requests + requests, cost: known.cost.plus(cost) });
  };
  const days = activity.filter(
    (row) =>
      row.workspace_id === workspace_id && row.user_id === id && row.date >= monday && row.date < utcDate(readAtMs),
  );
  for (const { model, requests, usage } of days) add(model, requests, moneyOf(usage));
  for (const { model, total_cost } of today)
    if (model !== null && total_cost !== null) add(model, 1, moneyOf(total_cost));
  return [...spending.values()].toSorted((a, b) => b.cost.compare(a.cost));
}
