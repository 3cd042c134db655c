/**
 * Sums of charges by model and month. A settlement adds its charge to the monthly item of the model, under the day on
 * which the request was admitted.
 */

import { Money } from '../money/money.ts';
import { utcDate } from '../money/periods.ts';
import { generationTimeMs } from '../platform/ids.ts';
import { isMonthKept, modelMonthUpdate, monthOfDay, type ModelMonth } from '../store/days/model-months.ts';
import type { Outcome } from '../store/generations/outcome.ts';
import type { Table } from '../store/table/table.ts';
import type { Writes } from '../store/table/transact.ts';
import type { Settlement } from './settlement.ts';

export class ModelSums {
  readonly #months = new Map<string, { of: ModelMonth; spent: Map<string, Money> }>();
  readonly #atMs: number;

  /** Charges of months that are no longer stored at `atMs` are ignored. */
  constructor(atMs: number) {
    this.#atMs = atMs;
  }

  settle({ generationId, payer, outcome }: Settlement): void {
    this.#add(payer.accountId, generationId, outcome.model, outcome.cost);
  }

  /** Replaces an estimated charge with the real charge. The two charges may belong to different models. */
  correct({ generationId, payer, outcome }: Settlement, before: Outcome): void {
    this.#add(payer.accountId, generationId, before.model, before.cost.negated());
    this.#add(payer.accountId, generationId, outcome.model, outcome.cost);
  }

  /**
   * Returns the writes of all sums, in the same parts as the account's counter.
   * @param partOf returns the part of an account's counter that the settlements use; 0 if it has no parts
   */
  writes(table: Table, partOf: (accountId: string) => number): Writes {
    const writes: Writes = {};
    for (const [name, { of, spent }] of this.#months) {
      const changed = new Map([...spent].filter(([, amount]) => !amount.isZero));
      if (changed.size > 0) writes[name] = modelMonthUpdate(table, of, partOf(of.accountId), changed);
    }
    return writes;
  }

  #add(accountId: string, generationId: string, model: string, amount: Money): void {
    const date = utcDate(generationTimeMs(generationId)!);
    const of: ModelMonth = { accountId, month: monthOfDay(date), model };
    if (amount.isZero || !isMonthKept(of.month, this.#atMs)) return;
    const name = modelMonthName(of);
    const { spent } = this.#months.get(name) ?? { spent: new Map<string, Money>() };
    spent.set(date, (spent.get(date) ?? Money.zero).plus(amount));
    this.#months.set(name, { of, spent });
  }
}

export function modelItemOf({ generationId, payer, outcome }: Settlement): string {
  const month = monthOfDay(utcDate(generationTimeMs(generationId)!));
  return modelMonthName({ accountId: payer.accountId, month, model: outcome.model });
}

/**
 * Returns whether a name is the name of a model-month item of the account. If a write of this item conflicts, the
 * account's counter is busy too.
 */
export function isModelItemOf(accountId: string, name: string): boolean {
  return name.startsWith(modelMonthPrefix(accountId));
}

function modelMonthName({ accountId, month, model }: ModelMonth): string {
  return `${modelMonthPrefix(accountId)}${month} ${model}`;
}

function modelMonthPrefix(accountId: string): string {
  return `models of ${accountId}, `;
}
