/**
 * Changes that settlements make for free models (models that the service pays for): to the models' budgets, and to the
 * accounts' daily counts of free requests.
 */

import { Money } from '../money/money.ts';
import { utcDate } from '../money/periods.ts';
import { generationTimeMs } from '../platform/ids.ts';
import { accountDay, placesUpdate } from '../store/counters/free-requests.ts';
import type { Outcome } from '../store/generations/outcome.ts';
import { budgetSettleUpdate, type ServiceHold } from '../store/counters/service-budgets.ts';
import type { Table } from '../store/table/table.ts';
import type { Writes } from '../store/table/transact.ts';
import { spentOfHold } from './service-spending.ts';
import type { Settlement } from './settlement.ts';

export class ServiceShares {
  readonly #budgets = new Map<string, { date: string; hold: ServiceHold; spent: Money; committed: Money }>();
  readonly #places = new Map<string, { accountId: string; atMs: number; change: number }>();

  /**
   * Replaces the held amount with the spent amount in the budgets of free models. Subtracts the request from the daily
   * count if no free model answered with tokens.
   */
  settle(settlement: Settlement): void {
    const { hold, outcome } = settlement;
    for (const serviceHold of hold.serviceHolds) {
      const spent = spentOfHold(serviceHold, outcome);
      this.#addBudget(settlement, serviceHold, { spent, committed: spent.minus(serviceHold.amount) });
    }
    if (hold.serviceHolds.length > 0 && !usesPlace(settlement, outcome)) this.#addPlace(settlement, -1);
  }

  /** Replaces the estimated spending in the budgets of free models, and corrects the daily count. */
  correct(settlement: Settlement, before: Outcome): void {
    const { hold, outcome } = settlement;
    for (const serviceHold of hold.serviceHolds) {
      const change = spentOfHold(serviceHold, outcome).minus(spentOfHold(serviceHold, before));
      this.#addBudget(settlement, serviceHold, { spent: change, committed: change });
    }
    const change = Number(usesPlace(settlement, outcome)) - Number(usesPlace(settlement, before));
    if (change !== 0) this.#addPlace(settlement, change);
  }

  writes(table: Table): Writes {
    const writes: Writes = {};
    for (const [name, { date, hold, spent, committed }] of this.#budgets) {
      if (spent.isZero && committed.isZero) continue;
      writes[name] = budgetSettleUpdate(table, date, hold, { spent, committed });
    }
    for (const [name, { accountId, atMs, change }] of this.#places) {
      if (change !== 0) writes[name] = placesUpdate(table, accountDay(accountId, atMs), change);
    }
    return writes;
  }

  #addBudget(of: Settlement, hold: ServiceHold, change: { spent: Money; committed: Money }): void {
    const date = utcDate(generationTimeMs(of.generationId)!);
    const name = serviceBudgetWriteName(date, hold);
    const { spent, committed } = this.#budgets.get(name) ?? { spent: Money.zero, committed: Money.zero };
    const sums = { spent: spent.plus(change.spent), committed: committed.plus(change.committed) };
    this.#budgets.set(name, { date, hold, ...sums });
  }

  #addPlace({ payer: { accountId }, generationId }: Settlement, change: number): void {
    const atMs = generationTimeMs(generationId)!;
    const name = placeName(accountId, utcDate(atMs));
    this.#places.set(name, { accountId, atMs, change: (this.#places.get(name)?.change ?? 0) + change });
  }
}

export function serviceItemsOf({ generationId, payer, hold }: Settlement): string[] {
  const holds = hold.serviceHolds;
  if (holds.length === 0) return [];
  const date = utcDate(generationTimeMs(generationId)!);
  return [...holds.map((one) => serviceBudgetWriteName(date, one)), placeName(payer.accountId, date)];
}

/** Returns whether a request stays in the daily count of free requests: a free model answered it with tokens. */
function usesPlace({ hold }: Settlement, { model, promptTokens, completionTokens }: Outcome): boolean {
  const isFree = hold.serviceHolds.some((one) => one.model === model);
  return isFree && promptTokens + completionTokens > 0;
}

function serviceBudgetWriteName(date: string, { model, part }: Pick<ServiceHold, 'model' | 'part'>): string {
  return `budget of ${model}, ${date}, part ${part}`;
}

function placeName(accountId: string, date: string): string {
  return `free requests of ${accountId}, ${date}`;
}
