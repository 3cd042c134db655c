import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { sweepHolds } from '../../lambdas/accounting/sweep.ts';
import { placeHold, type HoldRequest, type HoldResult } from '../../lambdas/admission/hold.ts';
import type { RateLimits } from '../../lambdas/admission/rates/rate-limits.ts';
import { MINUTE_LENGTH_MS } from '../../lambdas/store/counters/key-rates.ts';
import type { Hold } from '../../lambdas/store/generations/generation.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { countedOf, fillParts, limitsOn, nextMinute, ratedRequest } from '../support/key-rates.ts';
import { repeated } from '../support/long-runs.ts';
import { newSpender, rub, settlement, type Spender } from '../support/spending.ts';

vi.setConfig({ testTimeout: 900_000 });

const { table, faulty, proxy } = await faultyTable();

afterAll(() => vi.resetConfig());

type Step =
  | { do: 'hold'; tokens: number }
  | { do: 'hold-at-once'; tokens: number; count: number }
  | { do: 'die-at-hold'; tokens: number; calls: number; isReplyLost: boolean }
  | { do: 'settle'; count: number }
  | { do: 'settle-twice' | 'sweep-the-dead' | 'next-minute' };

const tokens = fc.integer({ min: 1, max: 400 });
const of = <Kind extends Step['do'], Fields>(kind: Kind, fields: Fields) => ({ do: fc.constant(kind), ...fields });

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record(of('hold', { tokens })) },
  { weight: 4, arbitrary: fc.record(of('hold-at-once', { tokens, count: fc.integer({ min: 2, max: 12 }) })) },
  {
    weight: 4,
    arbitrary: fc.record(
      of('die-at-hold', { tokens, calls: fc.integer({ min: 1, max: 4 }), isReplyLost: fc.boolean() }),
    ),
  },
  { weight: 4, arbitrary: fc.record(of('settle', { count: fc.integer({ min: 1, max: 4 }) })) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom(...(['settle-twice', 'sweep-the-dead', 'next-minute'] as const)) }),
  },
) as fc.Arbitrary<Step>;

const REAL_TOKENS = 30;

interface Counted {
  request: HoldRequest;
  hold: Hold;
  minute: number;
  tokens: number;
  isSwept?: boolean;
}

/** One key, and three plain numbers that show the expected state of the key's counts. */
class Model {
  #minute = nextMinute();
  /** Requests that were counted before the first step. */
  readonly #before: { requests: number; running: number };
  #requests: number;
  #tokens = 0;
  readonly #running: Counted[] = [];
  #settled: Counted[] = [];
  readonly #spender: Spender;
  readonly #limits: RateLimits;

  constructor(spender: Spender, limits: RateLimits, before = { requests: 0, running: 0 }) {
    this.#spender = spender;
    this.#limits = limits;
    this.#before = before;
    this.#requests = before.requests;
  }

  get atMs(): number {
    return this.#minute;
  }

  async run(one: Step): Promise<void> {
    switch (one.do) {
      case 'hold':
        return this.#holdAtOnce(one.tokens, 1);
      case 'hold-at-once':
        return this.#holdAtOnce(one.tokens, one.count);
      case 'die-at-hold':
        return this.#die(one);
      case 'settle':
        return this.#settle(this.#running.splice(0, one.count));
      case 'settle-twice':
        return this.#settleAgain();
      case 'sweep-the-dead':
        return this.#sweep();
      case 'next-minute':
        this.#minute += MINUTE_LENGTH_MS;
        [this.#requests, this.#tokens] = [0, 0];
    }
  }

  async check(): Promise<void> {
    const isCounted = this.#limits.requests !== undefined || this.#limits.tokens !== undefined;
    expect(await countedOf(table, this.#spender, this.#limits, this.#minute)).toEqual({
      requests: isCounted ? this.#requests : 0,
      tokens: this.#limits.tokens === undefined ? 0 : this.#tokens,
      running: this.#limits.parallel === undefined ? 0 : this.#before.running + this.#running.length,
    });
  }

  /** Returns how many more requests of this size the key's limits admit by plain counting. */
  #room(needed: number): number {
    const { requests = Infinity, tokens: most = Infinity, parallel = Infinity } = this.#limits;
    const held = Math.min(needed, most);
    return Math.min(
      requests - this.#requests,
      Math.max(0, Math.floor((most - this.#tokens) / held)),
      parallel - this.#before.running - this.#running.length,
    );
  }

  #note(request: HoldRequest, hold: Hold): void {
    const counted = Math.min(request.rates!.tokens, this.#limits.tokens ?? Infinity);
    this.#requests += 1;
    this.#tokens += counted;
    this.#running.push({ request, hold, minute: this.#minute, tokens: counted });
  }

  #request(needed: number, bootId?: string): HoldRequest {
    return ratedRequest(this.#spender, this.#limits, { tokens: needed, atMs: this.#minute, bootId });
  }

  async #holdAtOnce(needed: number, count: number): Promise<void> {
    const room = this.#room(needed);
    const requests = Array.from({ length: count }, () => this.#request(needed));
    const results: HoldResult[] = await Promise.all(requests.map((request) => placeHold(table, request)));
    for (const [index, result] of results.entries()) {
      if ('placed' in result) this.#note(requests[index]!, result.placed.hold);
      else expect(result).toMatchObject({ refused: { kind: 'rate' }, isUncertain: false });
    }
    expect(results.filter((result) => 'placed' in result)).toHaveLength(Math.min(count, room));
  }

  /**
   * Simulates a process that dies before a call, or after the call but before its reply. The generation's record shows
   * whether the hold was placed.
   */
  async #die({ tokens: needed, calls, isReplyLost }: Extract<Step, { do: 'die-at-hold' }>): Promise<void> {
    let made = 0;
    proxy.faultFor = ({ action }) => {
      made += 1;
      if (isReplyLost && made === calls && action !== 'GetItem') return 'lost-reply';
      return made >= calls ? 'unavailable' : undefined;
    };
    const hasRoom = this.#room(needed) > 0;
    const request = this.#request(needed, `dead ${this.#spender.payer.keyHash}`);
    await placeHold(faulty, request).catch(() => undefined);
    const { id, payer } = request.generation;
    const stored = await readGeneration(table, payer.accountId, id);
    if (!stored) return;
    expect(hasRoom).toBe(true);
    this.#note(request, stored.hold);
  }

  #settlements(ended: Counted[]) {
    return ended.map(({ request, hold }) => settlement(request, hold, rub('0.001')));
  }

  async #settle(ended: Counted[]): Promise<void> {
    const results = await settleBatch(table, this.#settlements(ended), { swept: false });
    expect(results).toEqual(ended.map(() => 'settled'));
    this.#end(ended, REAL_TOKENS);
  }

  /** Settles the oldest ended request again. This corrects its cost if the sweep has ended it, and changes no count. */
  async #settleAgain(): Promise<void> {
    const ended = this.#settled.splice(0, 1);
    const results = await settleBatch(table, this.#settlements(ended), { swept: false });
    expect(results).toEqual(ended.map(({ isSwept }) => (isSwept ? 'corrected' : 'duplicate')));
  }

  /** Settles the requests of processes that have died, at their estimates. */
  async #sweep(): Promise<void> {
    const deadBootIds = [`dead ${this.#spender.payer.keyHash}`];
    const dead = this.#running.filter(({ request }) => deadBootIds.includes(request.generation.bootId));
    const swept = await sweepHolds(table, { nowMs: Date.now(), backlog: 'none', deadBootIds });
    expect(swept).toMatchObject({ swept: dead.length, failures: [] });
    for (const one of dead) {
      one.isSwept = true;
      this.#running.splice(this.#running.indexOf(one), 1);
    }
    this.#end(dead, 100);
  }

  #end(ended: Counted[], realTokens: number): void {
    for (const one of ended) if (one.minute === this.#minute) this.#tokens += realTokens - one.tokens;
    this.#settled = [...this.#settled, ...ended];
  }
}

it.each([
  ['one item', limitsOn({ requests: 14, tokens: 1_000, parallel: 6 }), undefined],
  ['parts', limitsOn({ requests: 401, parallel: 33 }), { requests: 130, running: 8 }],
])(
  'limits on requests in %s admit exactly as many as plain numbers, after any sequence of holds, settlements and kills',
  async (_, limits, filled) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 20 }), async (steps) => {
        proxy.faultFor = () => undefined;
        const spender = await newSpender(table, { key: { daily: rub('1000') } });
        const atMs = nextMinute();
        if (filled) {
          await fillParts(table, spender, limits, { kind: 'minute', atMs, counts: { requests: filled.requests } });
          await fillParts(table, spender, limits, { kind: 'running', atMs, counts: { running: filled.running } });
        }
        const model = new Model(spender, limits, filled && { requests: 390, running: 24 });
        // Skips this run if a minute has ended since the parts were filled.
        fc.pre(!filled || model.atMs - (model.atMs % MINUTE_LENGTH_MS) === atMs - (atMs % MINUTE_LENGTH_MS));
        for (const one of steps) {
          await model.run(one);
          await model.check();
        }
      }),
      { numRuns: repeated(200, { ofWhichAlways: 8 }), endOnFailure: true },
    );
  },
);
