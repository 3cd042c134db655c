import { reasoningEfforts, type ReasoningEffort } from '../../catalog/quirk-values.ts';

/** Thinking budgets by effort, in tokens. */
export const budgetsOfEfforts: Partial<Record<string, number>> = { minimal: 1_024, low: 4_096, medium: 16_384 };

/** Returns the effort for a thinking budget, for models that accept only efforts. */
export function effortOfBudget(budgetTokens: number | null | undefined): 'low' | 'medium' | 'high' | undefined {
  if (!budgetTokens) return undefined;
  if (budgetTokens <= 4_096) return 'low';
  return budgetTokens <= 16_384 ? 'medium' : 'high';
}

/**
 * Returns the requested effort if it is accepted; otherwise the next lower accepted effort; otherwise the lowest
 * accepted effort. The effort "none" is never a replacement.
 */
export function nearestEffort(
  requested: ReasoningEffort,
  accepted: readonly ReasoningEffort[],
): ReasoningEffort | undefined {
  if (accepted.includes(requested)) return requested;
  const rank = reasoningEfforts.indexOf(requested);
  const thinking = reasoningEfforts.filter((effort) => effort !== 'none' && accepted.includes(effort));
  return thinking.findLast((effort) => reasoningEfforts.indexOf(effort) < rank) ?? thinking[0];
}
