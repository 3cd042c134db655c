/** Random events of an account. */

import fc from 'fast-check';
import type { ScopeKind } from '../../../lambdas/store/counters/counters.ts';

/** Amounts are in thousandths of a rouble. */
export type Happening =
  | { do: 'hold'; amount: number; project: string | undefined }
  | { do: 'extend' | 'give-back'; amount: number }
  | { do: 'settle'; share: number; isDeliveredTwice: boolean }
  | { do: 'estimate' | 'correct'; share: number }
  | { do: 'limit'; scope: ScopeKind; amount: number | null }
  | { do: 'pay' | 'pay-back' | 'adjust'; amount: number }
  | { do: 'give-parts' | 'gather' | 'forget-parts'; scope: ScopeKind }
  | { do: 'switch-off-and-on' | 'die' | 'return-leases' };

const amount = fc.integer({ min: 1, max: 400 });
const share = fc.integer({ min: 0, max: 100 });
const scopeKind = fc.constantFrom<ScopeKind>('key', 'workspace', 'member', 'account', 'tag:project');
/** Values of the tag `project` that have budgets. */
export const budgetedProjects = ['lake', 'core'];
const project = fc.constantFrom(undefined, undefined, undefined, ...budgetedProjects, 'sea');
const weighted = (weight: number, fields: Record<string, fc.Arbitrary<unknown>>) => ({
  weight,
  arbitrary: fc.record(fields),
});
const named = (...names: string[]) => fc.constantFrom(...names);

/** Limits cover only a few holds, because a short history can only reach low limits. */
const happening = fc.oneof(
  weighted(14, { do: named('hold'), amount, project }),
  weighted(3, { do: named('extend', 'give-back'), amount }),
  weighted(4, { do: named('settle'), share, isDeliveredTwice: fc.boolean() }),
  weighted(2, { do: named('estimate', 'correct'), share }),
  weighted(3, { do: named('limit'), scope: scopeKind, amount: fc.option(fc.integer({ min: 200, max: 1_500 })) }),
  weighted(2, { do: named('pay', 'pay-back', 'adjust'), amount: fc.integer({ min: 1, max: 3_000 }) }),
  weighted(6, { do: named('give-parts', 'give-parts', 'gather', 'forget-parts'), scope: scopeKind }),
  weighted(2, { do: named('switch-off-and-on', 'die', 'return-leases') }),
) as fc.Arbitrary<Happening>;

/** The events of one group happen concurrently; the groups follow one after another. */
export const happenings = fc.array(fc.array(happening, { minLength: 1, maxLength: 4 }), {
  minLength: 4,
  maxLength: 10,
});
