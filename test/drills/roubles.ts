/** Amounts of roubles in JSON, which are whole multiples of 10⁻¹² RUB. */

const PICO_PER_RUB = 1e12;

export function rounded(rub: number): number {
  return Math.round(rub * PICO_PER_RUB) / PICO_PER_RUB;
}

/** Returns the total cost of answers, without the error that a sum of thousands of fractions would have. */
export function rubOf(answers: readonly { costRub?: number | undefined }[]): number {
  return answers.reduce((sum, { costRub = 0 }) => sum + Math.round(costRub * PICO_PER_RUB), 0) / PICO_PER_RUB;
}
