import { priceUpperBound, priceUsage } from '../accounting/price.ts';
import type { TokenUsage } from '../accounting/usage.ts';
import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';
import { GatewayError } from '../platform/errors.ts';
import type { Table } from '../store/table.ts';
import { extendHold, type HoldRequest, type PlacedHold } from './hold.ts';

/**
 * Keeps a stream inside its hold. The hold pays for one step of output; before the model has written that much, another
 * step is promised, side by side with the stream. Output that no hold covers is never asked for: when an extension is
 * refused, the stream has to end.
 *
 * Guarantee: visible output is bounded by its bytes (a token has at least one), so what is settled passes the hold only
 * by tokens that were already on the wire when an extension was refused.
 * Weakness: reasoning that a provider bills without showing it cannot be watched; endpoints that do so are marked
 * `hidden_reasoning` in the catalog, and their hold covers all of max_tokens from the start.
 */
export class HoldKeeper {
  readonly #table: Table;
  readonly #request: HoldRequest;
  readonly #stepTokens: number;
  readonly #hiddenTokens: number;
  readonly #maxOutputTokens: number;
  #placed: PlacedHold;
  #pricing: Pricing;
  #promptCost: Money;
  #promptTokens: number;
  /** Output tokens that the hold pays for. */
  #coveredTokens = 0;
  #extension: Promise<void> | undefined;
  #refusal: Error | undefined;

  constructor(options: {
    table: Table;
    request: HoldRequest;
    placed: PlacedHold;
    stepTokens: number;
    hiddenTokens: number;
    maxOutputTokens: number;
    promptBound: number;
    pricing: Pricing;
  }) {
    this.#table = options.table;
    this.#request = options.request;
    this.#placed = options.placed;
    this.#stepTokens = options.stepTokens;
    this.#hiddenTokens = options.hiddenTokens;
    this.#maxOutputTokens = options.maxOutputTokens;
    this.#pricing = options.pricing;
    this.#promptTokens = options.promptBound;
    this.#promptCost = priceUpperBound({ promptTokens: options.promptBound, outputTokens: 0 }, options.pricing);
    this.#recompute();
  }

  get placed(): PlacedHold {
    return this.#placed;
  }

  /** The endpoint that answers; its prices may be lower than those the hold was made for. */
  answeredBy(pricing: Pricing): void {
    this.#pricing = pricing;
    this.#promptCost = priceUpperBound({ promptTokens: this.#promptTokens, outputTokens: 0 }, pricing);
    this.#recompute();
  }

  /** The provider has counted the prompt: what was held for its bound and not needed now pays for output. */
  promptCounted(usage: TokenUsage): void {
    this.#promptCost = priceUsage({ ...usage, outputTokens: 0, reasoningTokens: 0 }, this.#pricing).total;
    this.#recompute();
  }

  /**
   * Sees to it that the hold covers what has been written and a quarter of a step more; waits only when it does not
   * even cover what has been written.
   * @returns why the stream has to end, or undefined.
   */
  cover(outputBytes: number): Error | undefined | Promise<Error | undefined> {
    if (this.#placed.scopes.length === 0) return undefined;
    const margin = Math.ceil(this.#stepTokens / 4);
    if (this.#needed(outputBytes + margin) <= this.#coveredTokens) return undefined;
    if (this.#needed(outputBytes) <= this.#coveredTokens) {
      // In good time: a failure of the store is tried again with the next batch.
      if (!this.#refusal) this.#extension ??= this.#extend().then(() => undefined);
      return undefined;
    }
    return this.#waitForCover(outputBytes);
  }

  /** Resolves when no extension is under way. */
  async settled(): Promise<PlacedHold> {
    await this.#extension;
    return this.#placed;
  }

  #needed(outputBytes: number): number {
    return Math.min(outputBytes + this.#hiddenTokens, this.#maxOutputTokens);
  }

  async #waitForCover(outputBytes: number): Promise<Error | undefined> {
    await this.#extension;
    while (this.#needed(outputBytes) > this.#coveredTokens) {
      if (this.#refusal) return this.#refusal;
      const failure = await this.#extend();
      if (failure) return failure;
    }
    return undefined;
  }

  /** @returns why the step was not added; only a refusal for good is remembered. */
  async #extend(): Promise<Error | undefined> {
    const price = this.#outputPrice();
    const tokens = Math.max(1, Math.min(this.#stepTokens, this.#maxOutputTokens - this.#coveredTokens));
    let result = await this.#addToHold(price.times(tokens));
    if (!result.extended) {
      // Less than a step may be left: the stream may use that, too.
      const fitting = Math.min(tokens - 1, price.unitsIn(remainingOf(result.reason)));
      if (fitting > 0) result = await this.#addToHold(price.times(fitting));
    }
    this.#extension = undefined;
    if (result.extended) {
      this.#placed = result.placed;
      this.#recompute();
      return undefined;
    }
    if (result.reason instanceof GatewayError) this.#refusal = result.reason;
    return result.reason;
  }

  #addToHold(amount: Money): ReturnType<typeof extendHold> {
    return extendHold(this.#table, this.#placed, { ...this.#request, amount });
  }

  #recompute(): void {
    const left = this.#placed.hold.amount.minus(this.#promptCost);
    this.#coveredTokens = left.isNegative ? 0 : this.#outputPrice().unitsIn(left);
    if (this.#outputPrice().isZero) this.#coveredTokens = Infinity;
  }

  /** The dearest price that one token of output can have behind this prompt. */
  #outputPrice(): Money {
    const promptTokens = this.#promptTokens;
    return priceUpperBound({ promptTokens, outputTokens: 1 }, this.#pricing).minus(
      priceUpperBound({ promptTokens, outputTokens: 0 }, this.#pricing),
    );
  }
}

/** What the refusing scope has left, as the refusal tells it. */
function remainingOf(reason: Error): Money {
  const told = reason instanceof GatewayError ? reason.metadata['remaining_rub'] : undefined;
  return typeof told === 'string' ? Money.parse(told) : Money.zero;
}
