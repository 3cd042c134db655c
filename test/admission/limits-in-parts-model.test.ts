import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { forgetParts, limitedPartsOf, rememberLimitedParts } from '../../lambdas/accounting/busy-counters.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import {
  extendHold,
  placeHold,
  shrinkHold,
  type HoldRefusal,
  type HoldRequest,
  type HoldResult,
  type PlacedHold,
} from '../../lambdas/admission/hold.ts';
import { Money } from '../../lambdas/money/money.ts';
import { windowsAt } from '../../lambdas/money/periods.ts';
import { gatherCounter, limitWrites } from '../../lambdas/store/counters/counter-parts.ts';
import {
  activeUpdate,
  COUNTER_PARTS,
  readCounter,
  spreadOf,
  type Scope,
} from '../../lambdas/store/counters/counters.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { gatherGranted, grantParts, type LimitedParts } from '../../lambdas/store/counters/limited-parts.ts';
import { isLimited, type Limits } from '../../lambdas/store/counters/limits.ts';
import { moneyFrom } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { newTableWithParts, partsAt, rootOf } from '../support/counter-parts.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { repeated } from '../support/long-runs.ts';
import { holdRequest, newSpender, rub, settlement, type Spender } from '../support/spending.ts';

vi.setConfig({ testTimeout: 900_000 });

const { table, faulty, proxy } = await faultyTable(newTableWithParts);

afterAll(() => vi.resetConfig());

/** Amounts are thousandths of a rouble. */
type Step =
  | { do: 'hold'; amount: number; isCallerOld: boolean }
  | { do: 'hold-at-once'; amount: number; count: number }
  | { do: 'die-at-hold'; amount: number; calls: number; isReplyLost: boolean }
  | { do: 'extend'; amount: number }
  | { do: 'give-back' }
  | { do: 'settle'; share: number }
  | { do: 'settle-unheld'; cost: number }
  | { do: 'give-parts' | 'forget' | 'believe-in-old-parts' | 'gather' | 'switch-off-and-on' }
  | { do: 'limit'; daily: number; lifetime: number | undefined }
  | { do: 'lift-the-limit' };

const amount = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 60, max: 3_000 }));
const of = <Kind extends Step['do'], Fields>(kind: Kind, fields: Fields) => ({ do: fc.constant(kind), ...fields });

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record(of('hold', { amount, isCallerOld: fc.boolean() })) },
  { weight: 3, arbitrary: fc.record(of('hold-at-once', { amount, count: fc.integer({ min: 2, max: 12 }) })) },
  {
    weight: 4,
    arbitrary: fc.record(
      of('die-at-hold', {
        amount,
        calls: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 140 })),
        isReplyLost: fc.boolean(),
      }),
    ),
  },
  { weight: 2, arbitrary: fc.record(of('extend', { amount })) },
  { weight: 1, arbitrary: fc.record(of('give-back', {})) },
  { weight: 3, arbitrary: fc.record(of('settle', { share: fc.integer({ min: 0, max: 100 }) })) },
  { weight: 1, arbitrary: fc.record(of('settle-unheld', { cost: fc.nat(50) })) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('give-parts' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(...(['forget', 'believe-in-old-parts', 'gather', 'switch-off-and-on'] as const)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      of('limit', {
        daily: fc.integer({ min: 50, max: 5_000 }),
        lifetime: fc.option(fc.integer({ min: 50, max: 6_000 }), { nil: undefined }),
      }),
    ),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lift-the-limit' as const) }) },
) as fc.Arbitrary<Step>;

const thousandths = (count: number) => Money.fromPico(BigInt(count) * 1_000_000_000n);

function isRemembered(refused: HoldRefusal, revision: number): boolean {
  return refused.kind === 'no_room' && refused.counter.revision < revision;
}

/** The state that the key's counter would have as a single item. */
class Model {
  spent = Money.zero;
  limits: Limits = {};
  revision = 0;
  /** Limits before the last change. */
  #limitsBefore: Limits = {};
  readonly running: { request: HoldRequest; placed: PlacedHold }[] = [];
  readonly old: LimitedParts[] = [];
  readonly #spender: Spender;
  readonly #key: Scope;

  constructor(spender: Spender) {
    this.#spender = spender;
    this.#key = spender.scopes.find(({ kind }) => kind === 'key')!;
  }

  async run(one: Step): Promise<void> {
    switch (one.do) {
      case 'hold':
        return this.#hold(thousandths(one.amount), one.isCallerOld);
      case 'hold-at-once':
        return this.#holdAtOnce(thousandths(one.amount), one.count);
      case 'die-at-hold':
        return this.#die(one);
      case 'extend':
        return this.#extend(thousandths(one.amount));
      case 'give-back':
        return this.#giveBack();
      case 'settle':
        return this.#settle(one.share);
      case 'settle-unheld':
        return this.#settleUnheld(thousandths(one.cost));
      case 'give-parts':
        return this.#giveParts();
      case 'forget':
        return forgetParts(this.#key);
      case 'believe-in-old-parts':
        return this.old.slice(0, 1).forEach((parts) => rememberLimitedParts(this.#key, parts));
      case 'gather':
        return void (await gatherCounter(table, this.#key));
      case 'switch-off-and-on':
        return this.#switchOffAndOn();
      case 'limit':
        return this.#setLimits({
          daily: thousandths(one.daily),
          ...(one.lifetime === undefined ? {} : { lifetime: thousandths(one.lifetime) }),
        });
      case 'lift-the-limit':
        return this.#setLimits({});
    }
  }

  async check(): Promise<void> {
    const counter = await readCounter(table, this.#key);
    const root = await rootOf(table, this.#key);
    for (const window of ['lifetime', windowsAt(Date.now()).daily]) {
      expect(counter.spent(window).toString()).toBe(this.spent.toString());
      expect(counter.committed(window).toString()).toBe(this.#committed().toString());
    }
    const spread = spreadOf(root);
    if (spread === undefined || !isLimited(this.limits)) return;
    const parts = await partsAt(table, this.#key, spread, [...Array(COUNTER_PARTS).keys()]);
    for (const part of parts) {
      expect(moneyFrom(part[`committed_${windowsAt(Date.now()).daily}`]).exceeds(Money.zero)).toBe(false);
    }
  }

  #committed(): Money {
    const held = this.running.filter(({ placed }) => placed.hold.scopes.includes('key'));
    return this.spent.plus(Money.sum(held.map(({ placed }) => placed.hold.amount)));
  }

  /** Returns the number of holds of this amount that a single counter would admit. */
  #rooms(amount: Money): number {
    const rooms = Object.values(this.limits).map((limit) => {
      const left = limit.minus(this.#committed());
      return left.isNegative ? 0 : amount.unitsIn(left);
    });
    return Math.min(...rooms, Infinity);
  }

  #request(amount: Money): HoldRequest {
    const scopes = this.#spender.scopes.map((scope) =>
      scope.kind === 'key' ? { ...scope, limits: this.limits, revision: this.revision } : scope,
    );
    return holdRequest({ ...this.#spender, scopes }, amount);
  }

  /** Records the result of a hold, and returns whether it was admitted. */
  #note(request: HoldRequest, result: HoldResult): boolean {
    if ('placed' in result) this.running.push({ request, placed: result.placed });
    else expect(result.refused.kind).toBe('no_room');
    return 'placed' in result;
  }

  async #hold(amount: Money, isCallerOld: boolean): Promise<void> {
    const hasRoom = this.#rooms(amount) > 0;
    const request = this.#request(amount);
    // No money is held in a scope that had no limit when the caller was read.
    if (isCallerOld && isLimited(this.#limitsBefore)) {
      const before = { limits: this.#limitsBefore, revision: this.revision - 1 };
      request.scopes = request.scopes.map((scope) => (scope.kind === 'key' ? { ...scope, ...before } : scope));
    }
    const result = await placeHold(table, request);
    // After three refusals, the process refuses further requests for a second, even if the limits have changed since.
    if ('refused' in result && isRemembered(result.refused, this.revision)) return;
    expect(this.#note(request, result)).toBe(hasRoom);
  }

  async #holdAtOnce(amount: Money, count: number): Promise<void> {
    const rooms = this.#rooms(amount);
    const requests = Array.from({ length: count }, () => this.#request(amount));
    const results = await Promise.all(requests.map((request) => placeHold(table, request)));
    const placed = requests.filter((request, index) => this.#note(request, results[index]!));
    expect(placed).toHaveLength(Math.min(count, rooms));
  }

  /**
   * Simulates a process that dies before a call, or after the call but before its reply. The generation's record shows
   * whether the hold was placed.
   */
  async #die({ amount, calls, isReplyLost }: Extract<Step, { do: 'die-at-hold' }>): Promise<void> {
    let made = 0;
    proxy.faultFor = ({ action }) => {
      made += 1;
      if (isReplyLost && made === calls && action !== 'GetItem') return 'lost-reply';
      return made >= calls ? 'unavailable' : undefined;
    };
    const hasRoom = this.#rooms(thousandths(amount)) > 0;
    const request = this.#request(thousandths(amount));
    await placeHold(faulty, request).catch(() => undefined);
    const { id, payer } = request.generation;
    const stored = await readGeneration(table, payer.accountId, id);
    if (!stored) return;
    expect(hasRoom).toBe(true);
    const scopes = request.scopes.filter(({ kind }) => stored.hold.scopes.includes(kind));
    this.running.push({ request, placed: { hold: stored.hold, scopes } });
  }

  async #extend(amount: Money): Promise<void> {
    const one = this.running.at(-1);
    if (!one?.placed.scopes.some(({ kind }) => kind === 'key')) return;
    const hasRoom = this.#rooms(amount) > 0;
    const result = await extendHold(table, one.placed, { ...one.request, amount });
    if ('placed' in result) one.placed = result.placed;
    else expect(result.refused.kind).toBe('no_room');
    expect('placed' in result).toBe(hasRoom);
  }

  async #giveBack(): Promise<void> {
    const one = this.running.at(-1);
    if (!one || one.placed.scopes.length === 0) return;
    const half = Money.fromPico(one.placed.hold.amount.pico / 2n);
    const result = await shrinkHold(table, one.placed, { ...one.request, amount: half });
    expect(result).toHaveProperty('placed');
    one.placed = (result as { placed: PlacedHold }).placed;
  }

  /** Ends the last three requests, at a percentage of their holds. */
  async #settle(share: number): Promise<void> {
    const ended = this.running.splice(-3).map(({ request, placed: { hold } }) => {
      return settlement(request, hold, Money.fromPico((hold.amount.pico * BigInt(share)) / 100n));
    });
    const results = await settleBatch(table, ended, { swept: false });
    expect(results).toEqual(ended.map(() => 'settled'));
    this.spent = this.spent.plus(Money.sum(ended.map(({ outcome }) => outcome.cost)));
  }

  async #settleUnheld(cost: Money): Promise<void> {
    const request = holdRequest({ ...this.#spender, scopes: [] }, rub('1'));
    const { placed } = (await placeHold(table, request)) as { placed: PlacedHold };
    const results = await settleBatch(table, [settlement(request, placed.hold, cost)], { swept: false });
    expect(results).toEqual(['settled']);
    this.spent = this.spent.plus(cost);
  }

  async #giveParts(): Promise<void> {
    const known = limitedPartsOf(this.#key);
    if (known) this.old.push(known);
    // The minimal amount lets parts be created even if the limit admits few holds.
    const least = { windows: windowsAt(Date.now()), amount: Money.fromPico(1n) };
    const parts = await grantParts(table, this.#key, least);
    if (parts) rememberLimitedParts(this.#key, parts);
  }

  async #setLimits(limits: Limits): Promise<void> {
    this.revision += 1;
    this.#limitsBefore = this.limits;
    this.limits = limits;
    const outcome = await transact(table, await limitWrites(table, this.#key, { limits, revision: this.revision }));
    expect(outcome).toEqual({ committed: true });
  }

  async #switchOffAndOn(): Promise<void> {
    await gatherGranted(table, this.#key);
    expect(await transact(table, { counter: activeUpdate(table, this.#key, false) })).toEqual({ committed: true });
    if (isLimited(this.limits)) {
      const result = await placeHold(table, this.#request(thousandths(1)));
      if (this.#rooms(thousandths(1)) > 0) expect(result).toMatchObject({ refused: { kind: 'switched_off' } });
      else expect(result).toHaveProperty('refused');
    }
    expect(await transact(table, { counter: activeUpdate(table, this.#key, true) })).toEqual({ committed: true });
  }
}

it('a limit in parts admits exactly as much as a single counter, after any sequence of holds, settlements, changes and kills', async () => {
  const limits = { daily: thousandths(2_000) };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 20 }), async (steps) => {
      proxy.faultFor = () => undefined;
      const model = new Model(await newSpender(table, { key: limits }));
      model.limits = limits;
      await model.run({ do: 'give-parts' });
      for (const one of steps) {
        await model.run(one);
        await model.check();
      }
    }),
    { numRuns: repeated(400, { ofWhichAlways: 10 }), endOnFailure: true },
  );
});
