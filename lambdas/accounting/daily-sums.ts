import { Money } from '../money/money.ts';

/** Totals of some requests, however they are grouped. */
export interface DailySums {
  usage: Money;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}

export const noSums: Readonly<DailySums> = {
  usage: Money.zero,
  requests: 0,
  promptTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
};

/** Adds to the sums of a row, in place. */
export function addSums(row: DailySums, more: DailySums): void {
  row.usage = row.usage.plus(more.usage);
  row.requests += more.requests;
  row.promptTokens += more.promptTokens;
  row.completionTokens += more.completionTokens;
  row.reasoningTokens += more.reasoningTokens;
}
