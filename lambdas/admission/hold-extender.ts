import { setTimeout as sleep } from 'node:timers/promises';
import { outputUpperBound, priceUpperBound, priceUsage } from '../accounting/price.ts';
import { noParts, type TokenUsage } from '../accounting/usage.ts';
import { Money } from '../money/money.ts';
import type { GatewayError } from '../platform/errors.ts';
import type { Table } from '../store/table/table.ts';
import {
  extendHold,
  shrinkHold,
  type HoldRefusal,
  type HoldRequest,
  type HoldResult,
  type PlacedHold,
} from './hold.ts';
import { isHeldByOthers, outOfMoneyError, roomOf } from './refusal.ts';
import { coveredTokens, firstStep, type Quote } from './spending-plan.ts';

/** Each step pays for twice as much output as the one before, up to this many times the first, if others have room. */
const MAX_STEP_FACTOR = 32;
/** A stream that is out of money waits this long for what other requests in flight release. */
const HOLD_PATIENCE_MS = 2_000;
const WAIT_MS = 200;
/** Only one change of a hold is under way at a time, so at most one can be found in place of another. */
const MAX_TRIES_AT_END = 3;
/** A share of the tightest limit: no step but the first is larger, and no smaller surplus is given back. */
const FAIR_SHARE_PERCENT = 5n;

/**
 * Keeps a stream inside its hold. The hold pays for one step of output; before the model has written that much, another
 * step is held while the stream goes on. Output that no hold covers is never asked for: when an extension is refused, the
 * stream must end.
 *
 * Guarantee: visible output is bounded by its bytes (a token has at least one), and `chargeable` never lets a limited
 * scope be charged more than it holds.
 * Weakness: reasoning that a provider bills without showing it cannot be watched; the catalog marks such endpoints, and
 * their hold covers it from the start.
 */
export class HoldExtender {
  readonly #table: Table;
  readonly #request: Omit<HoldRequest, 'amount'>;
  readonly #stepTokens: number;
  #placed: PlacedHold;
  #quote: Quote;
  /** Of this round's prompt, and of all that was spent before this round. */
  #promptCost: Money;
  #spent = Money.zero;
  /** Output tokens that the hold pays for. */
  #covered = 0;
  /** How often it was extended since steps were last small. */
  #steps = 0;
  #maxStepTokens = Infinity;
  /** The one change of the hold that is under way. */
  #change: Promise<void> | undefined;
  /** A step that was asked for early was refused: it is asked for again only when it is needed. */
  #refusedAhead = false;

  constructor(options: {
    table: Table;
    request: Omit<HoldRequest, 'amount'>;
    placed: PlacedHold;
    stepTokens: number;
    quote: Quote;
    /** Until then the hold cannot be changed. */
    recorded?: Promise<void> | undefined;
  }) {
    this.#table = options.table;
    this.#request = options.request;
    this.#placed = options.placed;
    this.#stepTokens = options.stepTokens;
    this.#quote = options.quote;
    this.#promptCost = boundOfPrompt(options.quote);
    this.#recompute();
    if (options.recorded) this.#inBackground(options.recorded.catch(() => undefined));
  }

  /**
   * The endpoint that answers; its prices may be lower than those the hold was made for.
   * @param spent on searches, before it was asked
   */
  answeredBy(quote: Quote, spent = Money.zero): void {
    this.#quote = quote;
    this.#spent = spent;
    this.#promptCost = spent.plus(boundOfPrompt(quote));
    this.#recompute();
  }

  /**
   * The provider has counted the prompt: what was held for its bound and is not needed pays for output. What is more than
   * the first step of output and the output so far need goes back to the scopes.
   */
  promptCounted(usage: TokenUsage, { writtenBytes, giveBack } = { writtenBytes: 0, giveBack: true }): void {
    const { total } = priceUsage({ ...usage, outputTokens: 0, ...noParts }, this.#quote.pricing);
    this.#promptCost = this.#spent.plus(total);
    this.#recompute();
    const outputTokens = Math.max(firstStep(this.#quote, this.#stepTokens), this.#needed(writtenBytes));
    const needed = this.#promptCost.plus(this.#outputPrice().times(outputTokens));
    const surplus = this.#placed.hold.amount.minus(needed);
    if (!giveBack || this.#change || !this.#isWorthGivingBack(surplus)) return;
    const shrinking = shrinkHold(this.#table, this.#placed, { ...this.#request, amount: surplus });
    // From now on nothing may use what is given back, whether or not that succeeds: settlement reads the record.
    const { hold } = this.#placed;
    this.#placed = { ...this.#placed, hold: { ...hold, amount: hold.amount.minus(surplus) } };
    this.#recompute();
    this.#inBackground(this.#apply(shrinking));
  }

  /**
   * The provider is asked once more for the same answer: from now on the hold pays for what was spent, for this prompt, and
   * for a first step of output.
   * @returns why there may be no such round, as the client reads it, or undefined
   */
  async nextRound(quote: Quote, spent: Money): Promise<GatewayError | undefined> {
    const outputTokens = firstStep(quote, this.#stepTokens);
    const refusal = await this.reserve(spent.plus(priceUpperBound({ ...quote.bound, outputTokens }, quote.pricing)));
    if (refusal) return refusal;
    this.#spent = spent;
    this.#quote = quote;
    this.#promptCost = spent.plus(boundOfPrompt(quote));
    this.#recompute();
    return undefined;
  }

  /**
   * Makes the hold at least this large, before something is done that costs as much.
   * @returns why that is not possible, as the client reads it, or undefined
   */
  async reserve(amount: Money): Promise<GatewayError | undefined> {
    if (this.#placed.scopes.length === 0) return undefined;
    const deadlineMs = performance.now() + HOLD_PATIENCE_MS;
    await this.#change;
    while (amount.exceeds(this.#placed.hold.amount)) {
      const refusal = await this.#add(amount.minus(this.#placed.hold.amount));
      if (refusal && (!this.#mayPass(refusal) || performance.now() > deadlineMs)) return this.#told(refusal);
      if (refusal) await sleep(WAIT_MS);
    }
    return undefined;
  }

  /**
   * Makes sure that the hold covers what has been written and a margin; waits only when it does not even cover what has
   * been written.
   * @returns why the stream must end, as the client reads it, or undefined
   */
  cover(outputBytes: number): GatewayError | undefined | Promise<GatewayError | undefined> {
    if (this.#placed.scopes.length === 0) return undefined;
    if (this.#needed(outputBytes + Math.ceil(this.#nextStep() / 4)) <= this.#covered) return undefined;
    if (this.#needed(outputBytes) > this.#covered) return this.#waitForCover(outputBytes);
    if (!this.#refusedAhead && !this.#change) this.#inBackground(this.#extendAhead(outputBytes));
    return undefined;
  }

  /** How many bytes of output the hold pays for; what a provider writes beyond them is not covered. */
  get coveredBytes(): number {
    if (this.#placed.scopes.length === 0 || this.#covered >= this.#quote.bound.outputTokens) return Infinity;
    return Math.max(0, this.#covered - this.#quote.hiddenReasoningTokens);
  }

  /**
   * Makes sure that the hold covers a cost, so that the whole answer can be charged.
   * @returns the part that can be charged: all of it, or what a limited scope has room for
   */
  async chargeable(cost: Money): Promise<Money> {
    if (this.#placed.scopes.length === 0) return cost;
    await this.#change;
    // A change whose reply was lost may be found in place of this one: then what is missing is asked for once more.
    for (let tries = 1; tries <= MAX_TRIES_AT_END && cost.exceeds(this.#placed.hold.amount); tries += 1) {
      if (await this.#add(cost.minus(this.#placed.hold.amount))) break;
    }
    return this.withinHold(cost);
  }

  /** The part of a cost that the hold pays for as it is now. */
  withinHold(cost: Money): Money {
    return this.#placed.scopes.length === 0 ? cost : Money.min(cost, this.#placed.hold.amount);
  }

  /** Resolves when no change of the hold is under way. */
  async settled(): Promise<PlacedHold> {
    await this.#change;
    return this.#placed;
  }

  #needed(outputBytes: number): number {
    return Math.min(outputBytes + this.#quote.hiddenReasoningTokens, this.#quote.bound.outputTokens);
  }

  async #waitForCover(outputBytes: number): Promise<GatewayError | undefined> {
    const deadlineMs = performance.now() + HOLD_PATIENCE_MS;
    await this.#change;
    while (this.#needed(outputBytes) > this.#covered) {
      const refusal = await this.#extend(outputBytes);
      if (!refusal) continue;
      if (!this.#mayPass(refusal) || performance.now() > deadlineMs) return this.#told(refusal);
      await sleep(WAIT_MS);
    }
    return undefined;
  }

  #told(refusal: HoldRefusal): GatewayError {
    return outOfMoneyError(refusal, this.#request.generation.createdAtMs);
  }

  /** What is in the way may be gone in a moment. */
  #mayPass(refusal: HoldRefusal): boolean {
    return refusal.kind === 'busy' || (refusal.kind === 'no_room' && isHeldByOthers(refusal, this.#placed.hold.amount));
  }

  /** Asks for the next step early; where there is no room, for small ones from then on: others need the rest, too. */
  async #extendAhead(outputBytes: number): Promise<void> {
    const isSmallest = this.#steps === 0;
    const refusal = await this.#extendBy(this.#missing(outputBytes) + this.#nextStep());
    if (refusal?.kind === 'no_room' && !isSmallest) this.#steps = 0;
    else this.#refusedAhead = refusal !== undefined;
  }

  /** Adds what is missing and the next step, or a small one, or as much as there is room for. */
  async #extend(outputBytes: number): Promise<HoldRefusal | undefined> {
    const missing = this.#missing(outputBytes);
    const refusal = await this.#extendBy(missing + this.#nextStep());
    if (refusal?.kind !== 'no_room') return refusal;
    this.#steps = 0;
    const fitting = this.#outputPrice().unitsIn(roomOf(refusal).left);
    return fitting > 0 ? this.#extendBy(Math.min(fitting, missing + this.#stepTokens)) : refusal;
  }

  async #extendBy(tokens: number): Promise<HoldRefusal | undefined> {
    const room = this.#quote.bound.outputTokens - this.#covered;
    const refusal = await this.#add(this.#outputPrice().times(Math.max(1, Math.min(tokens, room))));
    if (!refusal) {
      this.#steps += 1;
      this.#refusedAhead = false;
    }
    return refusal;
  }

  #missing(outputBytes: number): number {
    return Math.max(0, this.#needed(outputBytes) - this.#covered);
  }

  #add(amount: Money): Promise<HoldRefusal | undefined> {
    return this.#apply(extendHold(this.#table, this.#placed, { ...this.#request, amount }));
  }

  #inBackground(change: Promise<unknown>): void {
    this.#change = change.then(() => (this.#change = undefined));
  }

  async #apply(change: Promise<HoldResult>): Promise<HoldRefusal | undefined> {
    const result = await change;
    if ('refused' in result) return result.refused;
    this.#placed = result.placed;
    this.#recompute();
    return undefined;
  }

  #isWorthGivingBack(surplus: Money): boolean {
    const share = this.#fairShare();
    return share !== undefined && !surplus.isNegative && !surplus.isZero && !share.exceeds(surplus);
  }

  #fairShare(): Money | undefined {
    const [first, ...rest] = this.#placed.scopes.flatMap(({ limits }) => Object.values(limits));
    return first && Money.fromPico((Money.min(first, ...rest).pico * FAIR_SHARE_PERCENT) / 100n);
  }

  #nextStep(): number {
    return Math.min(this.#stepTokens * Math.min(2 ** this.#steps, MAX_STEP_FACTOR), this.#maxStepTokens);
  }

  #recompute(): void {
    this.#covered = coveredTokens(this.#placed.hold.amount, this.#promptCost, this.#quote);
    const price = this.#outputPrice();
    const share = this.#fairShare();
    const fairTokens = share && !price.isZero ? price.unitsIn(share) : Infinity;
    this.#maxStepTokens = Math.max(this.#stepTokens, fairTokens);
  }

  #outputPrice(): Money {
    return outputUpperBound(this.#quote.bound, this.#quote.pricing);
  }
}

function boundOfPrompt({ bound, pricing }: Quote): Money {
  return priceUpperBound({ ...bound, outputTokens: 0 }, pricing);
}
