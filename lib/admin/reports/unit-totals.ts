import type { Meter } from '../../../lambdas/catalog/unit-lists.ts';
import type { BookedGeneration } from '../../../lambdas/books/statement.ts';
import { GatewayError } from '../../../lambdas/platform/errors.ts';
import { tagsJson, type RequestTags } from '../../../lambdas/store/generations/request-tags.ts';
import { Money } from '../../../lambdas/money/money.ts';

/**
 * Units of a meter (for example input tokens) of one payer, day, price and set of tags. A row without a meter is a
 * reduction of charges.
 */
export interface UnitTotal {
  day: string;
  workspaceId: string;
  keyHash: string;
  memberId: string;
  tags: RequestTags;
  model: string;
  providerName: string;
  endpointId: string;
  catalogVersion: string;
  modelPermaslug: string;
  tierAboveTokens: number | undefined;
  meter: Meter | undefined;
  price: Money;
  quantity: bigint;
  cost: Money;
}

/** Maximum number of rows. It bounds memory. */
const MAX_UNIT_TOTALS = 500_000;

/** Adds up the units of generations by payer, reported tags and price. */
export class UnitTotals {
  readonly #reported: readonly string[];
  readonly #totals = new Map<string, UnitTotal>();

  constructor(reported: readonly string[]) {
    this.#reported = reported;
  }

  /**
   * Adds one generation.
   * @throws {GatewayError} 400 if there are more rows than one file may have
   */
  add({ generation, day, lines }: BookedGeneration): void {
    const { payer, outcome, catalogVersion = '' } = generation;
    const { model, providerName, endpointId, modelPermaslug } = outcome;
    const { workspaceId, keyHash, memberId = '' } = payer;
    const whose = {
      day,
      workspaceId,
      keyHash,
      memberId,
      tags: this.#reportedTags(generation.tags),
      model,
      providerName,
      endpointId,
      catalogVersion,
      modelPermaslug,
    };
    for (const { units, cut, tierAboveTokens } of lines) {
      for (const { meter, quantity, price } of units) {
        this.#addTo({ ...whose, tierAboveTokens, meter, price }, quantity, price.times(quantity));
      }
      if (!cut.isZero) {
        this.#addTo({ ...whose, tierAboveTokens: undefined, meter: undefined, price: Money.zero }, 0, cut);
      }
    }
  }

  #reportedTags(tags: RequestTags = {}): RequestTags {
    return Object.fromEntries(Object.entries(tags).filter(([name]) => this.#reported.includes(name)));
  }

  #addTo(of: Omit<UnitTotal, 'quantity' | 'cost'>, quantity: number, cost: Money): void {
    const name = Object.values({ ...of, tags: tagsJson(of.tags) })
      .map(String)
      .join('\n');
    let total = this.#totals.get(name);
    if (!total) {
      if (this.#totals.size === MAX_UNIT_TOTALS) {
        throw new GatewayError(
          'invalid_request',
          'There are too many prices and payers for one file. Choose fewer days.',
        );
      }
      total = { ...of, quantity: 0n, cost: Money.zero };
      this.#totals.set(name, total);
    }
    total.quantity += BigInt(quantity);
    total.cost = total.cost.plus(cost);
  }

  /** Returns the rows, sorted by their fields. */
  all(): UnitTotal[] {
    return [...this.#totals].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, total]) => total);
  }
}
