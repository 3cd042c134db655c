/** How much a model is to think, by efforts and by budgets. */

import { reasoningEfforts, type ReasoningEffort } from '../../catalog/quirk-values.ts';

/** Budgets of efforts, in tokens; higher efforts have as much as there is. */
export const budgetsOfEfforts: Partial<Record<string, number>> = { minimal: 1_024, low: 4_096, medium: 16_384 };

/** The effort that a budget of thinking amounts to, for models that know efforts alone. */
export function effortOfBudget(budgetTokens: number | null | undefined): 'low' | 'medium' | 'high' | undefined {
  if (!budgetTokens) return undefined;
  if (budgetTokens <= 4_096) return 'low';
  return budgetTokens <= 16_384 ? 'medium' : 'high';
}

/** The one asked for, else the next one below it that thinks at all, else the next one above it. */
export function nearestEffort(asked: ReasoningEffort, taken: readonly ReasoningEffort[]): ReasoningEffort | undefined {
  if (taken.includes(asked)) return asked;
  const rank = reasoningEfforts.indexOf(asked);
  const thinking = reasoningEfforts.filter((effort) => effort !== 'none' && taken.includes(effort));
  return thinking.findLast((effort) => reasoningEfforts.indexOf(effort) < rank) ?? thinking[0];
}
