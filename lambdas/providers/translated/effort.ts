/** The effort that a budget of thinking amounts to, for models that know efforts alone. */
export function effortOfBudget(budgetTokens: number | null | undefined): 'low' | 'medium' | 'high' | undefined {
  if (!budgetTokens) return undefined;
  if (budgetTokens <= 4_096) return 'low';
  return budgetTokens <= 16_384 ? 'medium' : 'high';
}
