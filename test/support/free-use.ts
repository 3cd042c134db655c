import type { FreeUse } from '../../lambdas/admission/free/free-tier.ts';
import type { HoldRequest } from '../../lambdas/admission/hold.ts';
import type { ServiceFree } from '../../lambdas/catalog/schema.ts';
import { Money } from '../../lambdas/money/money.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import { accountDay, readRequests } from '../../lambdas/store/counters/free-requests.ts';
import { readBudget } from '../../lambdas/store/counters/service-budgets.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { holdRequest, rub, type Spender } from './spending.ts';

const freeTerms: ServiceFree = {
  daily_base: 50,
  daily_funded: 1_000,
  base_ip_daily: 10_000,
  rpm: 10_000,
  funded_balance_threshold_rub: rub('100'),
  funded_topup_threshold_rub: rub('500'),
  daily_budget_rub: rub('8000'),
  input_token_limit: 1_000,
  output_token_limit: 1_000,
};

/** Returns a hold request that costs the client nothing, and the operator at most `amount`. */
export function freeRequest(
  spender: Spender,
  model: { id: string; terms?: Partial<ServiceFree>; amount?: Money; networkHash?: string },
  more: { atMs?: number } = {},
): HoldRequest {
  const request = holdRequest({ ...spender, scopes: [] }, Money.zero, more);
  const { id, terms, amount = rub('1'), networkHash } = model;
  const free: FreeUse = {
    accountId: spender.payer.accountId,
    networkHash,
    models: [{ id, terms: { ...freeTerms, ...terms }, isFunded: false, amount }],
    atMs: request.generation.createdAtMs,
  };
  return { ...request, generation: { ...request.generation, model: id }, free };
}

/** Returns the number of requests of an account that are counted on the UTC day of `atMs`. */
export function countedRequests(table: Table, { payer }: Spender, atMs = Date.now()): Promise<number> {
  return readRequests(table, accountDay(payer.accountId, atMs));
}

/** Returns "<spent> of <committed>" for the budget of a model on the UTC day of `atMs`. */
export async function budgetOf(table: Table, model: string, atMs = Date.now()): Promise<string> {
  const parts = await readBudget(table, utcDate(atMs), model);
  return `${Money.sum(parts.map(({ spent }) => spent))} of ${Money.sum(parts.map(({ committed }) => committed))}`;
}
