import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { admit, type Admitted } from '../../lambdas/admission/admit.ts';
import { placeHold } from '../../lambdas/admission/hold.ts';
import { planSpending, type Quote } from '../../lambdas/admission/spending-plan.ts';
import { variables } from '../../lambdas/platform/environment.ts';
import type { Scope } from '../../lambdas/store/counters/counters.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { holdRequest, newSpender, pricing, rub, settlement, type Spender } from '../support/spending.ts';
import { startCapacityMeter, type CapacityMeter } from '../support/capacity-meter.ts';
import { newTable, tableThrough } from '../support/table.ts';
import { eventually } from '../support/eventually.ts';

const STEP = 4_096;
/** A token costs 0.001 RUB as `prompt`, and 0.002 RUB as `completion`. */
const quote = (promptTokens: number, more: Partial<Quote> = {}): Quote => ({
  pricing,
  bound: { promptTokens, outputTokens: 50, cacheWrites: 'none', pricedImages: 0, searchRequests: 0 },
  hiddenReasoningTokens: 0,
  beyondMaxTokens: 0,
  ...more,
});

let table: Table;
const meters: CapacityMeter[] = [];
beforeAll(async () => {
  table = await newTable();
  process.env[variables.holdPatienceMs] = '5000';
});
afterAll(() => {
  for (const { stop } of meters) stop();
});

/** Sends a request whose first hold the store refuses. Resolves when the request waits for money. */
async function askAndWait(spender: Spender, quoted: Quote): Promise<{ answer: Promise<Admitted> }> {
  const meter = await startCapacityMeter(inject('dynamodbEndpoint'));
  meters.push(meter);
  const answer = askThrough(tableThrough(meter.endpoint, table), spender, quoted);
  answer.catch(() => undefined);
  await eventually(() => expect(meter.calls['TransactWriteItems']).toBeGreaterThan(0));
  return { answer };
}

const ask = (spender: Spender, ...quotes: Quote[]) => askThrough(table, spender, ...quotes);

/**
 * Admits a request.
 * @throws {GatewayError} the refusal, as the client gets it
 */
async function askThrough(through: Table, spender: Spender, ...quotes: Quote[]): Promise<Admitted> {
  const { amount: _, ...request } = holdRequest(spender, rub('1'));
  const plan = planSpending(quotes, STEP);
  const result = await admit(through, {
    request,
    plan,
    recount: async () => undefined,
    minMaxTokens: 1,
    receivedAtMs: performance.now(),
    clientLeft: undefined,
  });
  if ('admitted' in result) return result.admitted;
  throw result.refused.error;
}

/** Holds an amount, and returns a function that releases it. */
async function holder(spender: Spender, amount: string): Promise<() => Promise<void>> {
  const request = holdRequest(spender, rub(amount));
  const result = await placeHold(table, request);
  if (!('placed' in result)) throw new Error('no room for the test itself');
  const { hold } = result.placed;
  return async () => void (await settleBatch(table, [settlement(request, hold, rub('0'))], { swept: false }));
}

async function elapsedMs(work: Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work;
  return performance.now() - startMs;
}

describe('a request that waits for held money', () => {
  it.concurrent('is not blocked by a larger request before it', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') } });
    await holder(spender, '5');
    const release = await holder(spender, '4.9');
    const large = await askAndWait(spender, quote(7_000));
    const small = await askAndWait(spender, quote(400));

    await release();

    expect(await elapsedMs(small.answer)).toBeLessThan(3_500);
    await large.answer.catch(() => undefined);
  });

  it.concurrent('is not blocked by a request that now waits for another scope', async () => {
    const spender = await newSpender(table, { key: { daily: rub('2') }, account: { daily: rub('10') } });
    const only = (kind: Scope['kind']) => ({
      ...spender,
      scopes: spender.scopes.filter((scope) => scope.kind === kind),
    });
    const releaseAccount = await holder(only('account'), '9.5');
    const first = await askAndWait(spender, quote(900));
    const releaseKey = await holder(only('key'), '1.9');
    const second = await askAndWait(only('account'), quote(900));

    await releaseAccount();

    expect(await elapsedMs(second.answer)).toBeLessThan(3_500);
    await releaseKey();
    await first.answer.catch(() => undefined);
  });
});

describe('a request with an endpoint for long answers and an endpoint for short answers at higher prices', () => {
  it.concurrent('is shortened if only the long answer is too expensive', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') } });
    const long = quote(50, { hiddenReasoningTokens: 32_000 });
    long.bound.outputTokens = 32_000;
    const short = quote(50, { pricing: { ...pricing, completion: rub('0.006') } });
    short.bound.outputTokens = 1_000;

    const { plan, shortened } = await ask(spender, long, short);

    expect(shortened).toMatchObject({
      kind: 'payment_required',
      metadata: { limit_source: 'key_limit', allowed_max_tokens: plan.quotes[0]!.bound.outputTokens },
    });
    expect(plan.quotes[0]!.bound.outputTokens).toBeGreaterThan(STEP);
    expect(plan.quotes[1]!.bound.outputTokens).toBe(1_000);
  });
});

describe('a request to an endpoint that thinks beyond max_tokens', () => {
  it.concurrent('is not shortened below its possible thinking, because the provider has no limit for it', async () => {
    const spender = await newSpender(table, { key: { daily: rub('50') } });
    const thinks = quote(50, { hiddenReasoningTokens: 40_000, beyondMaxTokens: 32_000 });
    thinks.bound.outputTokens = 40_000;

    await expect(ask(spender, thinks)).rejects.toMatchObject({ status: 402 });
  });
});
