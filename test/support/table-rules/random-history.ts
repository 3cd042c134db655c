/** Random history of an account, while the table refuses and loses calls. */

import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { forgetParts, giveParts, rememberLimitedParts } from '../../../lambdas/accounting/busy-counters.ts';
import { returnDueLeases } from '../../../lambdas/accounting/return-lease.ts';
import { releaseUnknown } from '../../../lambdas/accounting/release.ts';
import { settleBatch } from '../../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../../lambdas/accounting/settlement.ts';
import {
  extendHold,
  placeHold,
  shrinkHold,
  type HoldRequest,
  type PlacedHold,
} from '../../../lambdas/admission/hold.ts';
import { Leases } from '../../../lambdas/admission/leases.ts';
import { createAccount, setCreditLimit } from '../../../lambdas/management/accounts.ts';
import { adjust, refund, topUp } from '../../../lambdas/management/balance.ts';
import { memberBudgets, setBudget, workspaceBudgets } from '../../../lambdas/management/budgets.ts';
import type { ChangeContext } from '../../../lambdas/management/change.ts';
import { createKey, updateKey } from '../../../lambdas/management/keys.ts';
import { addMembers } from '../../../lambdas/management/members.ts';
import { setReportedTags } from '../../../lambdas/management/reported-tags.ts';
import { setTagBudget } from '../../../lambdas/management/tag-budgets.ts';
import { findWorkspace } from '../../../lambdas/management/workspaces.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { windowsAt } from '../../../lambdas/money/periods.ts';
import type { Account } from '../../../lambdas/store/accounts/accounts.ts';
import { gatherCounter } from '../../../lambdas/store/counters/counter-parts.ts';
import {
  readCounter,
  remaining,
  type Scope,
  type ScopeId,
  type ScopeKind,
} from '../../../lambdas/store/counters/counters.ts';
import { readGeneration } from '../../../lambdas/store/generations/generation-queries.ts';
import { grantParts } from '../../../lambdas/store/counters/limited-parts.ts';
import type { Outcome } from '../../../lambdas/store/generations/outcome.ts';
import { isLimited } from '../../../lambdas/store/counters/limits.ts';
import { isTagKind, tagOfScope, tagText } from '../../../lambdas/store/counters/tag-scopes.ts';
import { scopesOf, type Payer } from '../../../lambdas/store/accounts/payer.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { persistently, persistentlyOnce } from '../persistence.ts';
import { holdRequest, rub, settlement } from '../spending.ts';
import { budgetedProjects, type Happening } from './happenings.ts';

interface Running {
  request: HoldRequest;
  placed: PlacedHold;
}

/** The leases cover few holds each, because the limits of the test cover few holds, too. */
const newLeases = () => new Leases({ minHoldsASecond: 1, minHolds: 2, partsOfRoom: 2, refusedMs: 1 });

const actor = { kind: 'operator', id: 'test' } as const;
/** A prompt token costs the smallest unit of money, so that every amount is the price of some number of tokens. */
const pricing = { prompt: Money.fromPico(1n), completion: Money.zero };
const thousandths = (count: number) => Money.fromPico(BigInt(count) * 1_000_000_000n);

function shareOf(amount: Money, percent: number): Money {
  return Money.fromPico((amount.pico * BigInt(percent)) / 100n);
}

function costing(outcome: Outcome, cost: Money): Outcome {
  return { ...outcome, cost, pricing, promptTokens: Number(cost.pico), completionTokens: 0 };
}

/** Events after which a scope may have more committed spending than its limit. */
const mayPassLimits = new Set<Happening['do']>(['limit', 'pay-back', 'adjust']);

export class RandomHistory {
  readonly account: Account;
  /** Cost of all settlements, added up by the test itself. */
  spent = Money.zero;
  /** Cost by the value of the tag `project`; '' without the tag. */
  readonly spentByProject = new Map<string, Money>();
  /** Number of running holds that have taken their money from leases, added up over all checks. */
  leased = 0;
  readonly #table: Table;
  readonly #payer: Payer;
  readonly #running: Running[] = [];
  /** Value of the tag `project`, by generation. */
  readonly #projects = new Map<string, string>();
  /** Leases of the current process. */
  #leases = newLeases();
  #bootId: string = randomUUID();
  readonly #dead: string[] = [];
  /** Requests that the sweep has settled with an estimate, and whose settlement messages have not arrived yet. */
  readonly #estimated: Settlement[] = [];
  #payments = 0;
  /** Amount by which committed spending exceeded the limit at the last check. */
  #excess = new Map<string, Money>();
  /** Scopes whose excess may have grown since the last check. */
  readonly #mayPass = new Set<ScopeKind>();

  private constructor(table: Table, account: Account, payer: Payer) {
    this.#table = table;
    this.account = account;
    this.#payer = payer;
  }

  static async begin(table: Table, mode: Account['mode']): Promise<RandomHistory> {
    const account = await createAccount(table, actor, { name: 'Random', mode });
    const context: ChangeContext = { table, accountId: account.id, actor };
    const workspaceId = account.defaultWorkspaceId;
    if (mode === 'prepaid') await topUp(context, { amount: rub('1'), reference: 'first' });
    await addMembers(context, await findWorkspace(table, account.id, workspaceId), ['ann']);
    const { key } = await createKey(context, 'pepper', {
      kind: 'inference',
      workspaceId,
      memberId: 'ann',
      name: 'k',
      limit: rub('0.8'),
    });
    await setReportedTags(context, { reported: ['project'] });
    for (const value of budgetedProjects)
      await setTagBudget(context, { name: 'project', value, interval: 'daily', limit: rub('0.6') });
    const payer = { accountId: account.id, workspaceId, memberId: 'ann', keyHash: key.hash };
    return new RandomHistory(table, account, payer);
  }

  async run(one: Happening): Promise<void> {
    if (mayPassLimits.has(one.do)) this.#letPass(this.#allScopes.map(({ kind }) => kind));
    switch (one.do) {
      case 'hold':
        return this.#hold(thousandths(one.amount), one.project);
      case 'extend':
      case 'give-back':
        return this.#change(one.do, thousandths(one.amount));
      case 'settle':
        return this.#settle(one);
      case 'estimate':
        return this.#estimate(one.share);
      case 'correct':
        return this.#correct(one.share);
      case 'limit':
        return this.#limit(one.scope, one.amount === null ? null : thousandths(one.amount));
      case 'pay':
      case 'pay-back':
      case 'adjust':
        return this.#pay(one.do, thousandths(one.amount));
      case 'give-parts':
        return this.#giveParts(one.scope);
      case 'gather':
        return void (await persistently(() => gatherCounter(this.#table, this.#scope(one.scope))));
      case 'forget-parts':
        return forgetParts(this.#scope(one.scope));
      case 'switch-off-and-on':
        return this.#switchOffAndOn();
      case 'die':
        return this.#die();
      case 'return-leases':
        return this.#leases.returnIn(this.#scope('account'));
    }
  }

  /** Compares the table with the test's own sums, when no event is in progress. */
  async check(): Promise<void> {
    for (const one of this.#allScopes) {
      const counter = await readCounter(this.#table, one);
      const spent = isTagKind(one.kind) ? this.#spentBy(tagOfScope(one).value) : this.spent;
      expect([one, String(counter.spent('lifetime'))]).toEqual([one, String(spent)]);
      const left = isLimited(counter.limits) ? this.#roomIn(counter) : Money.zero;
      const excess = left.isNegative ? left.negated() : Money.zero;
      if (!this.#mayPass.has(one.kind)) expect(excess.exceeds(this.#excess.get(one.id) ?? Money.zero)).toBe(false);
      this.#excess.set(one.id, excess);
    }
    this.#mayPass.clear();
    for (const { request, placed } of this.#running) {
      const stored = await readGeneration(this.#table, this.#payer.accountId, request.generation.id);
      expect(stored).toMatchObject({ state: 'pending' });
      expect(stored!.hold.steps).toBeGreaterThanOrEqual(placed.hold.steps);
      if (stored!.lease) this.leased += 1;
    }
  }

  async end(): Promise<void> {
    await this.#leases.returnAll();
    await this.#die();
    while (this.#running.length > 0) await this.#settle({ share: 50, isDeliveredTwice: false });
    while (this.#estimated.length > 0) await this.#correct(70);
  }

  /** Simulates the end of the process: the sweep returns its leases, and a new process replaces it. */
  async #die(): Promise<void> {
    this.#dead.push(this.#bootId);
    this.#bootId = randomUUID();
    this.#leases = newLeases();
    await persistently(async () => {
      const { failures } = await returnDueLeases(this.#table, { nowMs: 0, deadBootIds: this.#dead });
      const [failure] = failures;
      if (failure) throw failure;
    });
  }

  #roomIn(counter: Awaited<ReturnType<typeof readCounter>>): Money {
    const windows = windowsAt(Date.now());
    const rooms = Object.entries(counter.limits).map(([interval, limit]) =>
      limit.minus(counter.committed(windows[interval as keyof typeof windows])),
    );
    return Money.min(rooms[0]!, ...rooms.slice(1));
  }

  get #context(): ChangeContext {
    return { table: this.#table, accountId: this.account.id, actor };
  }

  get #allScopes(): ScopeId[] {
    return scopesOf({ ...this.#payer, countedTags: budgetedProjects.map((value) => tagText('project', value)) });
  }

  #scope(kind: ScopeKind): ScopeId {
    return this.#allScopes.find((one) => one.kind === kind)!;
  }

  #spentBy(value: string): Money {
    return this.spentByProject.get(value) ?? Money.zero;
  }

  #count(settlements: readonly Settlement[], costOf = ({ outcome }: Settlement) => outcome.cost): void {
    for (const one of settlements) {
      const value = this.#projects.get(one.generationId) ?? '';
      this.spent = this.spent.plus(costOf(one));
      this.spentByProject.set(value, this.#spentBy(value).plus(costOf(one)));
    }
  }

  /** Reads the limits as the gateway does before a request. */
  #scopes(payer: Payer): Promise<Scope[]> {
    return Promise.all(
      scopesOf(payer).map((one) =>
        persistently(async (): Promise<Scope> => {
          const { limits, revision } = await readCounter(this.#table, one);
          return { ...one, limits, revision };
        }),
      ),
    );
  }

  async #hold(amount: Money, value: string | undefined): Promise<void> {
    const isCounted = value !== undefined && budgetedProjects.includes(value);
    const payer = isCounted ? { ...this.#payer, countedTags: [tagText('project', value)] } : this.#payer;
    const unpriced = holdRequest({ payer, scopes: await this.#scopes(payer) }, amount, { bootId: this.#bootId });
    const tags = value === undefined ? {} : { tags: { project: value } };
    const request = { ...unpriced, generation: { ...unpriced.generation, ...tags, pricing } };
    if (value !== undefined) this.#projects.set(request.generation.id, value);
    const result = await placeHold(this.#table, request, { leases: this.#leases }).catch((error: unknown) => ({
      error,
    }));
    if ('placed' in result) return void this.#running.push({ request, placed: result.placed });
    if ('refused' in result && !result.isUncertain) return;
    // It is uncertain whether the hold exists, so it is released as admission does it.
    await persistently(async () => {
      if (!(await releaseUnknown(this.#table, request.generation)))
        throw new Error('An uncertain hold was not released');
    });
  }

  async #change(way: 'extend' | 'give-back', amount: Money): Promise<void> {
    const [one] = this.#running.splice(-1);
    if (!one) return;
    const part = amount.exceeds(one.placed.hold.amount) ? Money.fromPico(one.placed.hold.amount.pico / 2n) : amount;
    const { placed } = one;
    // Money that the request gives back is no longer used, even if the reply is lost.
    if (way === 'give-back')
      one.placed = { ...placed, hold: { ...placed.hold, amount: placed.hold.amount.minus(part) } };
    const result =
      way === 'extend'
        ? await extendHold(this.#table, placed, { ...one.request, amount }, this.#leases)
        : await shrinkHold(this.#table, placed, { ...one.request, amount: part });
    if ('placed' in result) one.placed = result.placed;
    else expect(['no_room', 'busy', 'switched_off']).toContain(result.refused.kind);
    this.#running.unshift(one);
  }

  #letPass(kinds: readonly ScopeKind[]): void {
    for (const kind of kinds) this.#mayPass.add(kind);
  }

  #ended(part: number): Settlement[] {
    return this.#running.splice(0, 3).map(({ request, placed: { hold } }) => {
      // If a scope got its limit after the request began, it counts the cost only when the request ends.
      const scopes = scopesOf(request.generation.payer);
      this.#letPass(scopes.flatMap(({ kind }) => (hold.scopes.includes(kind) ? [] : [kind])));
      const plain = settlement(request, hold, Money.zero);
      return { ...plain, outcome: costing(plain.outcome, shareOf(hold.amount, part)) };
    });
  }

  /** Delivers messages again after a temporary failure. */
  async #deliver(settlements: Settlement[], isSwept: boolean): Promise<void> {
    await persistently(async () => {
      const results = await settleBatch(this.#table, settlements, { swept: isSwept });
      const failed = results.find((result) => result instanceof Error);
      if (failed) throw failed;
    });
  }

  async #settle({ share: part, isDeliveredTwice }: { share: number; isDeliveredTwice: boolean }): Promise<void> {
    const settlements = this.#ended(part);
    this.#count(settlements);
    const deliveries = isDeliveredTwice ? [settlements, settlements.toReversed()] : [settlements];
    await Promise.all(deliveries.map((one) => this.#deliver(one, false)));
  }

  async #estimate(part: number): Promise<void> {
    const settlements = this.#ended(part).map((one) => ({ ...one, outcome: { ...one.outcome, estimated: true } }));
    this.#count(settlements);
    await this.#deliver(settlements, true);
    this.#estimated.push(...settlements);
  }

  async #correct(part: number): Promise<void> {
    // A correction may charge more than the estimate, so limits may be exceeded.
    if (this.#estimated.length > 0) this.#letPass(this.#allScopes.map(({ kind }) => kind));
    const settlements = this.#estimated.splice(0, 2).map((one) => {
      const cost = shareOf(one.hold.amount, part);
      this.#count([one], ({ outcome }) => cost.minus(outcome.cost));
      return { ...one, outcome: { ...costing(one.outcome, cost), estimated: false } };
    });
    await this.#deliver(settlements, false);
  }

  async #limit(kind: ScopeKind, limit: Money | null): Promise<void> {
    const context = this.#context;
    const { workspaceId, keyHash: hash } = this.#payer;
    const change = { interval: 'daily', limit } as const;
    await persistently(async (): Promise<unknown> => {
      if (kind === 'key') return updateKey(context, { hash }, { limit });
      if (kind === 'workspace') return setBudget(context, workspaceBudgets(this.account.id, workspaceId), change);
      // The budget is never removed, because without a budget the tag would no longer be counted.
      const budget = {
        name: 'project',
        value: budgetedProjects[0]!,
        interval: 'daily',
        limit: limit ?? rub('1000'),
      } as const;
      if (isTagKind(kind)) return setTagBudget(context, budget);
      if (kind === 'member') return setBudget(context, memberBudgets(workspaceId, 'ann'), change);
      if (this.account.mode === 'prepaid') return undefined;
      return setCreditLimit(context, { period: 'daily', limit });
    });
  }

  async #pay(way: 'pay' | 'pay-back' | 'adjust', amount: Money): Promise<void> {
    if (this.account.mode === 'postpaid' && way !== 'adjust') return;
    this.#payments += 1;
    const payment = { amount, reference: `${way}-${this.#payments}`, note: 'because' };
    if (way === 'adjust') return void (await persistently(() => adjust(this.#context, payment)));
    if (way === 'pay') return void (await persistently(() => topUp(this.#context, payment)));
    // A refund is refused if it exceeds the balance.
    const left = await persistently(() => readCounter(this.#table, this.#scope('account')));
    if (amount.exceeds(remaining(left, windowsAt(Date.now())) ?? Money.zero)) return;
    await persistentlyOnce(() => refund(this.#context, payment), 'conflict').catch((error: unknown) => {
      if ((error as { kind?: string }).kind !== 'conflict') throw error;
    });
  }

  async #giveParts(kind: ScopeKind): Promise<void> {
    const id = this.#scope(kind);
    await persistently(async () => {
      const { limits, revision } = await readCounter(this.#table, id);
      if (!isLimited(limits)) return giveParts(this.#table, id);
      const least = { windows: windowsAt(Date.now()), amount: Money.fromPico(1n) };
      const scope: Scope = { ...id, limits, revision };
      const parts = await grantParts(this.#table, scope, least);
      if (parts) rememberLimitedParts(id, parts);
    });
  }

  async #switchOffAndOn(): Promise<void> {
    const { keyHash: hash } = this.#payer;
    for (const disabled of [true, false]) {
      await persistently(() => updateKey(this.#context, { hash }, { disabled }));
    }
  }
}
