import type { TagSettings } from '../../store/accounts/account-tags.ts';
import { readCounters, type StoredCounter } from '../../store/counters/counters.ts';
import { tagParts, tagScope } from '../../store/counters/tag-scopes.ts';
import type { Table } from '../../store/table/table.ts';
import { budgetPeriods } from '../parts/view.ts';
import type { TagBudgetBody } from './shape.ts';

/**
 * Returns the budgets of tags in the order of the tags (`name=value`), and for each tag in the order of the periods.
 */
export async function tagBudgetViews(table: Table, { accountId, budgets }: TagSettings): Promise<TagBudgetBody[]> {
  const named = budgets.map((one) => ({ ...one, ...tagParts(one.tag), scope: tagScope(accountId, one.tag) }));
  const counters = new Map<string, (id: string) => StoredCounter>();
  for (const [kind, ofKind] of Map.groupBy(named, ({ scope }) => scope.kind)) {
    const ids = ofKind.map(({ scope }) => scope.id);
    counters.set(kind, await readCounters(table, kind, ids));
  }
  return named
    .toSorted((a, b) => (a.tag < b.tag ? -1 : 1))
    .flatMap(({ name, value, scope, ...set }) =>
      budgetPeriods(set, counters.get(scope.kind)!(scope.id)).map((period) => ({ name, value, ...period })),
    );
}
