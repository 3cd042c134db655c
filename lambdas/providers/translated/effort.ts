/** The effort that a thinking budget stands for, on models that take an effort and no budget. */
export function effortOfBudget(budgetTokens: number | null | undefined): 'low' | 'medium' | 'high' | undefined {
  if (!budgetTokens) return undefined;
  if (budgetTokens <= 4_096) return 'low';
  return budgetTokens <= 16_384 ? 'medium' : 'high';
}
