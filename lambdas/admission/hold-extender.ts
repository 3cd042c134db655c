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

/**
 * Maximum size of a step in multiples of the first step. A step is the amount that one extension adds to a hold. Until
 * the maximum, each step pays for twice as much output as the previous one, if the limits have room.
 */
const MAX_STEP_FACTOR = 32;
/** Time in ms that a stream whose hold is used up waits for other requests to release their holds. */
const HOLD_PATIENCE_MS = 2_000;
const WAIT_MS = 200;
/**
 * Maximum number of attempts to extend a hold at the end of an answer: two, and one in reserve. An attempt adds nothing
 * if it only finds an earlier change whose reply was lost. Only one change runs at a time, so there is at most one such
 * attempt, and the second attempt adds the missing amount.
 */
const MAX_TRIES_AT_END = 3;
/**
 * Maximum size of a step in percent of the scopes' lowest limit. A step of the first step's size is allowed even if it
 * exceeds this share. While an answer is written, unused money of its hold is returned only if it is at least this
 * share.
 */
const FAIR_SHARE_PERCENT = 5n;

/**
 * Keeps a stream within its hold. The hold pays for one step of output. Before the model has written that much, the
 * extender holds another step while the stream continues. If an extension is refused when its money is needed, the
 * stream must end, so that its output never costs more than the hold.
 *
 * Guarantee: the number of bytes bounds visible output, because a token has at least one byte. `chargeable` never
 * charges a limited scope more than the scope holds.
 * Weakness: hidden reasoning that a provider bills cannot be measured while it is written. The catalog marks these
 * endpoints, and their hold covers it from the start.
 */
export class HoldExtender {
  readonly #table: Table;
  readonly #request: Omit<HoldRequest, 'amount'>;
  readonly #stepTokens: number;
  #placed: PlacedHold;
  #quote: Quote;
  /** Cost of the current prompt, and of all earlier searches and requests to the provider (rounds). */
  #promptCost: Money;
  #spent = Money.zero;
  /** Number of output tokens that the hold pays for. */
  #covered = 0;
  /** Number of extensions since the step size was last reset to the first step. */
  #steps = 0;
  #maxStepTokens = Infinity;
  /** Change of the hold that is in progress; undefined if none is. */
  #change: Promise<void> | undefined;
  /** Whether an early extension was refused. The next extension is then requested only when its money is needed. */
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
   * Sets the endpoint that answers. Its prices may be lower than those for which the hold was placed.
   * @param spent cost of searches before the request to the endpoint
   */
  answeredBy(quote: Quote, spent = Money.zero): void {
    this.#quote = quote;
    this.#spent = spent;
    this.#promptCost = spent.plus(boundOfPrompt(quote));
    this.#recompute();
  }

  /**
   * Applies the provider's count of the prompt. The unused part of the prompt's hold then pays for output. The hold
   * keeps enough money for the output so far, at least for the first step. The rest is returned to the scopes only if
   * it is a considerable share of their lowest limit.
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
    // From here on, this process does not use the returned amount, even if the return fails. Settlement reads the real
    // amount from the record.
    const { hold } = this.#placed;
    this.#placed = { ...this.#placed, hold: { ...hold, amount: hold.amount.minus(surplus) } };
    this.#recompute();
    this.#inBackground(this.#apply(shrinking));
  }

  /**
   * Prepares another request to the provider for the same answer. The hold then pays for the amount spent so far, for
   * the new prompt, and for a first step of output.
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
   * Extends the hold to at least this amount, before an action that costs as much.
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
   * Makes sure that the hold covers the written output and a margin. Waits only if the hold does not cover the written
   * output itself.
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
   * Extends the hold to a cost, so that the whole answer can be charged.
   * @returns the chargeable amount: the whole cost, or the held part of it if the limits have no room for the rest
   */
  async chargeable(cost: Money): Promise<Money> {
    if (this.#placed.scopes.length === 0) return cost;
    await this.#change;
    // Several attempts are needed if the first one merely confirms an earlier extension whose reply was lost. The next
    // attempt then requests the missing amount.
    for (let tries = 1; tries <= MAX_TRIES_AT_END && cost.exceeds(this.#placed.hold.amount); tries += 1) {
      if (await this.#add(cost.minus(this.#placed.hold.amount))) break;
    }
    return this.withinHold(cost);
  }

  /** Returns the part of a cost that the current hold pays for. */
  withinHold(cost: Money): Money {
    return this.#placed.scopes.length === 0 ? cost : Money.min(cost, this.#placed.hold.amount);
  }

  /** Resolves with the hold when no change of the hold is in progress. */
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

  /** Returns whether a refused extension may succeed a moment later. */
  #mayPass(refusal: HoldRefusal): boolean {
    return refusal.kind === 'busy' || (refusal.kind === 'no_room' && isHeldByOthers(refusal, this.#placed.hold.amount));
  }

  /**
   * Requests the next step before it is needed. If the limits have no room, the steps start again at the smallest size,
   * because other requests need the remaining money.
   */
  async #extendAhead(outputBytes: number): Promise<void> {
    const isSmallest = this.#steps === 0;
    const refusal = await this.#extendBy(this.#missing(outputBytes) + this.#nextStep());
    if (refusal?.kind === 'no_room' && !isSmallest) this.#steps = 0;
    else this.#refusedAhead = refusal !== undefined;
  }

  /**
   * Adds the cost of the unpaid tokens and of the next step to the hold. If the limits have no room for both, adds a
   * small step, or as much as the limits have room for.
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
