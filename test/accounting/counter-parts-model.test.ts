import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { forgetParts, giveParts } from '../../lambdas/accounting/busy-counters.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { Money } from '../../lambdas/money/money.ts';
import { gatherCounter, limitWrites } from '../../lambdas/store/counters/counter-parts.ts';
import { readCounter, spreadOf, type ScopeId } from '../../lambdas/store/counters/counters.ts';
import { isLimited, type Limits } from '../../lambdas/store/counters/limits.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { newTableWithParts, rootOf } from '../support/counter-parts.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { repeated } from '../support/long-runs.ts';
import { finalCosts, holdRequest, newSpender, placeHold, rub, settlement, type Spender } from '../support/spending.ts';

vi.setConfig({ testTimeout: 900_000 });

const { table, faulty, proxy } = await faultyTable(newTableWithParts);

afterAll(() => vi.resetConfig());

type Step =
  | { do: 'settle'; costs: number[] }
  | { do: 'settle-what-was-held' }
  | { do: 'hold' }
  | { do: 'give-parts' }
  | { do: 'forget' }
  | { do: 'gather' }
  | { do: 'limit' }
  | { do: 'lift-the-limit' }
  | { do: 'die-at-gathering'; calls: number; isReplyLost: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('settle'), costs: fc.array(fc.nat(999), { minLength: 1, maxLength: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('give-parts') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('hold', 'settle-what-was-held', 'forget', 'gather') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('limit', 'lift-the-limit') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('die-at-gathering'),
      calls: fc.oneof(fc.nat(140), fc.integer({ min: 126, max: 131 })),
      isReplyLost: fc.boolean(),
    }),
  },
);

/** Expected state of a counter. The model adds up the spent and held amounts itself. */
class Model {
  spent = 0n;
  readonly held: ReturnType<typeof settlement>[] = [];
  limits: Limits = {};
  revision = 0;
  readonly #spender: Spender;
  readonly #account: ScopeId;

  constructor(spender: Spender) {
    this.#spender = spender;
    this.#account = spender.scopes.find(({ kind }) => kind === 'account')!;
  }

  async run(one: Step): Promise<void> {
    switch (one.do) {
      case 'settle':
        return this.#settle(await Promise.all(one.costs.map((cost) => this.#begin(cost))));
      case 'hold':
        return void this.held.push(await this.#begin(7));
      case 'settle-what-was-held':
        return this.#settle(this.held.splice(0));
      case 'give-parts':
        return giveParts(table, this.#account);
      case 'forget':
        return forgetParts(this.#account);
      case 'gather':
        return void (await gatherCounter(table, this.#account));
      case 'limit':
        return this.#setLimits({ daily: rub('1000000'), lifetime: rub('2000000') });
      case 'lift-the-limit':
        return this.#setLimits({});
      case 'die-at-gathering':
        return this.#die(one);
    }
  }

  async check(): Promise<void> {
    const [counter, root] = [await readCounter(table, this.#account), await rootOf(table, this.#account)];
    const spent = Money.fromPico(this.spent).toString();
    const held = Money.sum(this.held.map(({ hold }) => (hold.scopes.includes('account') ? hold.amount : Money.zero)));
    expect(counter.spent('lifetime').toString()).toBe(spent);
    expect(counter.committed('lifetime').minus(counter.spent('lifetime')).toString()).toBe(held.toString());
    expect((await finalCosts(table, this.#spender)).toString()).toBe(spent);
    // In this test, all amounts of a counter with limits are in one item.
    if (!isLimited(this.limits)) return;
    expect([root['spent_lifetime'] ?? '0', spreadOf(root)]).toEqual([spent, undefined]);
  }

  /** Places a hold, and returns a settlement with this cost in thousandths of a rouble. */
  async #begin(cost: number) {
    const scopes = this.#spender.scopes.map((scope) =>
      scope.kind === 'account' ? { ...scope, limits: this.limits, revision: this.revision } : scope,
    );
    const request = holdRequest({ ...this.#spender, scopes }, rub('1'));
    const { hold } = await placeHold(table, request);
    return settlement(request, hold, Money.fromPico(BigInt(cost) * 1_000_000_000n));
  }

  async #settle(batch: ReturnType<typeof settlement>[]): Promise<void> {
    const results = await settleBatch(table, batch, { swept: false });
    expect(results).toEqual(batch.map(() => 'settled'));
    for (const { outcome } of batch) this.spent += outcome.cost.pico;
  }

  async #setLimits(limits: Limits): Promise<void> {
    this.revision += 1;
    this.limits = limits;
    const outcome = await transact(table, await limitWrites(table, this.#account, { limits, revision: this.revision }));
    expect(outcome).toEqual({ committed: true });
  }

  /**
   * Simulates a process that dies while it merges counter parts: before a call, or after the call but before its reply.
   */
  async #die({ calls, isReplyLost }: { calls: number; isReplyLost: boolean }): Promise<void> {
    let made = 0;
    proxy.faultFor = ({ action }) => {
      made += 1;
      if (isReplyLost && made === calls && action !== 'GetItem') return 'lost-reply';
      return made >= calls ? 'unavailable' : undefined;
    };
    await gatherCounter(faulty, this.#account).catch(() => undefined);
  }
}

it('a counter, its parts and the records agree after any sequence of settlements, limits, merges and crashes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const model = new Model(await newSpender(table, {}));
      for (const one of steps) {
        await model.run(one);
        await model.check();
      }
    }),
    { numRuns: repeated(300, { ofWhichAlways: 12 }), endOnFailure: true },
  );
});
