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

/** Maximum size of a step (the amount that one extension adds) in multiples of the first step. */
const MAX_STEP_FACTOR = 32;
const HOLD_PATIENCE_MS = 2_000;
const WAIT_MS = 200;
/**
 * Maximum attempts to extend a hold at the end of an answer. One attempt may only find an earlier change whose reply
 * was lost. The others request the missing amount or, after a refusal, the remaining room.
 */
const MAX_TRIES_AT_END = 4;
/**
 * Percentage of the lowest limit of all scopes. A step that is larger than the first step has at most this share. A
 * surplus below this share is not returned during an answer.
 */
const FAIR_SHARE_PERCENT = 5n;

/**
 * Keeps a stream within its hold. Before the model has written the paid output, the extender holds another step. If an
 * extension is refused when its money is needed, the stream must end.
 *
 * Guarantee: the number of bytes bounds visible output, because a token has at least one byte. `chargeable` never
 * returns more than a limited scope holds. Weakness: hidden reasoning that a provider bills cannot be measured while it
 * is written. The catalog marks these endpoints, and their hold covers it from the start.
 */
export class HoldExtender {
  readonly #table: Table;
  readonly #request: Omit<HoldRequest, 'amount'>;
  readonly #stepTokens: number;
  #placed: PlacedHold;
  #quote: Quote;
  /** Cost of the current prompt and of everything before it, such as searches and earlier rounds. */
  #promptCost: Money;
  #spent = Money.zero;
  #covered = 0;
  #steps = 0;
  #maxStepTokens = Infinity;
  #change: Promise<void> | undefined;
  /** Whether an early extension was refused. The next extension then waits until its money is needed. */
  #refusedAhead = false;

  constructor(options: {
    table: Table;
    request: Omit<HoldRequest, 'amount'>;
    placed: PlacedHold;
    stepTokens: number;
    quote: Quote;
    /** Pending write of the generation's record. The hold cannot be changed before this write ends. */
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
   * Sets the endpoint that answers.
   * @param spent cost of searches before the request to the endpoint
   */
  answeredBy(quote: Quote, spent = Money.zero): void {
    this.#quote = quote;
    this.#spent = spent;
    this.#promptCost = spent.plus(boundOfPrompt(quote));
    this.#recompute();
  }

  /**
   * Applies the provider's count of the prompt. The unused part of the prompt's hold then pays for output, or is
   * returned if it is a considerable share of the limits.
   */
  promptCounted(usage: TokenUsage, { writtenBytes, releasesUnused } = { writtenBytes: 0, releasesUnused: true }): void {
    const { total } = priceUsage({ ...usage, outputTokens: 0, ...noParts }, this.#quote.pricing);
    this.#promptCost = this.#spent.plus(total);
    this.#recompute();
    const outputTokens = Math.max(firstStep(this.#quote, this.#stepTokens), this.#needed(writtenBytes));
    const needed = this.#promptCost.plus(this.#outputPrice().times(outputTokens));
    const surplus = this.#placed.hold.amount.minus(needed);
    if (!releasesUnused || this.#change || !this.#isWorthGivingBack(surplus)) return;
    const shrinking = shrinkHold(this.#table, this.#placed, { ...this.#request, amount: surplus });
    // Even if the return fails, this process does not use the amount again. Settlement reads the real amount from the
    // record.
    const { hold } = this.#placed;
    this.#placed = { ...this.#placed, hold: { ...hold, amount: hold.amount.minus(surplus) } };
    this.#recompute();
    this.#inBackground(this.#apply(shrinking));
  }

  /**
   * Prepares another request (round) to the provider for the same answer.
   * @returns the error for the client if the round is refused; undefined otherwise
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
   * Extends the hold to at least this amount.
   * @returns the error for the client if the extension is refused; undefined otherwise
   */
  async reserve(amount: Money): Promise<GatewayError | undefined> {
    if (this.#placed.scopes.length === 0) return undefined;
    const deadlineMs = performance.now() + HOLD_PATIENCE_MS;
    await this.#change;
    while (amount.exceeds(this.#placed.hold.amount)) {
      const refusal = await this.#add(amount.minus(this.#placed.hold.amount));
      if (refusal && (!this.#mayPass(refusal) || performance.now() > deadlineMs)) return this.#outOfMoney(refusal);
      if (refusal) await sleep(WAIT_MS);
    }
    return undefined;
  }

  /**
   * Makes sure that the hold covers the written output. If the margin is small, extends the hold in the background.
   * @returns the error for the client if the stream must end; undefined otherwise
   */
  cover(outputBytes: number): GatewayError | undefined | Promise<GatewayError | undefined> {
    if (this.#placed.scopes.length === 0) return undefined;
    if (this.#needed(outputBytes + Math.ceil(this.#nextStep() / 4)) <= this.#covered) return undefined;
    if (this.#needed(outputBytes) > this.#covered) return this.#waitForCover(outputBytes);
    if (!this.#refusedAhead && !this.#change) this.#inBackground(this.#extendAhead(outputBytes));
    return undefined;
  }

  /** Maximum number of output bytes that the hold pays for. */
  get coveredBytes(): number {
    if (this.#placed.scopes.length === 0 || this.#covered >= this.#quote.bound.outputTokens) return Infinity;
    return Math.max(0, this.#covered - this.#quote.hiddenReasoningTokens);
  }

  /**
   * Extends the hold to a cost, or by as much as the limits have room for.
   * @returns the chargeable part of the cost, which is then held
   */
  async chargeable(cost: Money): Promise<Money> {
    if (this.#placed.scopes.length === 0) return cost;
    await this.#change;
    let room = cost;
    for (let tries = 1; tries <= MAX_TRIES_AT_END; tries += 1) {
      const amount = Money.min(cost.minus(this.#placed.hold.amount), room);
      if (amount.isZero || amount.isNegative) break;
      const refusal = await this.#add(amount);
      if (!refusal) continue;
      if (refusal.kind !== 'no_room') break;
      room = roomOf(refusal).left;
    }
    return this.withinHold(cost);
  }

  withinHold(cost: Money): Money {
    return this.#placed.scopes.length === 0 ? cost : Money.min(cost, this.#placed.hold.amount);
  }

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
      if (!this.#mayPass(refusal) || performance.now() > deadlineMs) return this.#outOfMoney(refusal);
      await sleep(WAIT_MS);
    }
    return undefined;
  }

  #outOfMoney(refusal: HoldRefusal): GatewayError {
    return outOfMoneyError(refusal, this.#request.generation.createdAtMs);
  }

  #mayPass(refusal: HoldRefusal): boolean {
    return refusal.kind === 'busy' || (refusal.kind === 'no_room' && isHeldByOthers(refusal, this.#placed.hold.amount));
  }

  /**
   * Requests the next step before it is needed. If the limits have no room, the steps start again at the smallest size.
   */
  async #extendAhead(outputBytes: number): Promise<void> {
    const isSmallest = this.#steps === 0;
    const refusal = await this.#extendBy(this.#missing(outputBytes) + this.#nextStep());
    if (refusal?.kind === 'no_room' && !isSmallest) this.#steps = 0;
    else this.#refusedAhead = refusal !== undefined;
  }

  /**
   * Adds the cost of the unpaid tokens and of the next step to the hold, or less if the limits have no room for both.
   */
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
