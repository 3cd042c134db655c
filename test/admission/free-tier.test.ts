import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { releaseUnknown } from '../../lambdas/accounting/release.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../lambdas/accounting/settlement.ts';
import { sweepHolds } from '../../lambdas/accounting/sweep.ts';
import { previewFreeUse } from '../../lambdas/admission/free/free-tier.ts';
import { placeHold as attemptHold, type HoldRequest } from '../../lambdas/admission/hold.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import type { Hold } from '../../lambdas/store/generations/generation.ts';
import { emptyOutcome } from '../../lambdas/store/generations/outcome.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { budgetOf, countedRequests, freeRequest } from '../support/free-use.ts';
import { newSpender, outcome, placeHold, rub } from '../support/spending.ts';

const { table, faulty, proxy } = await faultyTable();

const newModel = () => `test/${randomUUID()}:free`;

function answered({ generation: { id, payer, model } }: HoldRequest, hold: Hold, serviceCost: string): Settlement {
  return { generationId: id, payer, hold, outcome: { ...outcome(rub('0')), model, serviceCost: rub(serviceCost) } };
}

function failed({ generation: { id, payer, model } }: HoldRequest, hold: Hold): Settlement {
  const of = { model, modelPermaslug: model, endpointId: model, providerName: 'Test' };
  return { generationId: id, payer, hold, outcome: emptyOutcome(of, 'refused_before') };
}

const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error as GatewayError,
  );

describe('the preview of a budget', () => {
  it('has the remaining room of its parts, and the refusal of a request without room', async () => {
    const spender = await newSpender(table, {});
    const model = { id: newModel(), terms: { daily_budget_rub: rub('8') }, amount: rub('0.75') };
    // The holds are placed one by one. Concurrent holds may be refused although another part has money left.
    for (let hold = 1; hold <= 8; hold += 1) await placeHold(table, freeRequest(spender, model));
    const { free } = freeRequest(spender, model);

    const preview = await previewFreeUse(table, free!);

    const room = preview.rooms.find(({ counted }) => counted === 'budget')!;
    expect(room.admits).toBe(false);
    expect(preview.refused).toMatchObject({ kind: 'free_budget', isHeldOnly: true, models: [model.id] });
    const refused = await refusalOf(placeHold(table, freeRequest(spender, model)));
    expect(refused).toMatchObject({ status: 429, metadata: { limit_source: 'free_daily_budget' } });
    expect(await budgetOf(table, model.id)).toBe('0 of 6');
  });
});

describe('the free requests of an account', () => {
  it('are admitted exactly up to the daily limit, also concurrently', async () => {
    const spender = await newSpender(table, {});
    const model = newModel();

    const results = await Promise.allSettled(
      Array.from({ length: 200 }, () =>
        placeHold(table, freeRequest(spender, { id: model, terms: { daily_base: 50 } })),
      ),
    );

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    expect(await countedRequests(table, spender)).toBe(50);
    expect(await budgetOf(table, model)).toBe('0 of 50');
  });

  it('are counted over all free models', async () => {
    const spender = await newSpender(table, {});
    await placeHold(table, freeRequest(spender, { id: newModel() }));

    const error = await refusalOf(placeHold(table, freeRequest(spender, { id: newModel(), terms: { daily_base: 1 } })));

    expect(error).toMatchObject({ status: 429, metadata: { limit_source: 'free_daily_requests', limit: 1 } });
  });

  it('start again at 0 at midnight, also within the same second', async () => {
    const spender = await newSpender(table, {});
    const midnightMs = Date.parse('2026-11-20T00:00:00Z');
    const terms = { daily_base: 1 };
    await placeHold(table, freeRequest(spender, { id: newModel(), terms }, { atMs: midnightMs - 1 }));

    const late = await refusalOf(
      placeHold(table, freeRequest(spender, { id: newModel(), terms }, { atMs: midnightMs - 1 })),
    );
    await placeHold(table, freeRequest(spender, { id: newModel(), terms }, { atMs: midnightMs }));

    expect(late?.headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-reset': String(midnightMs) });
    expect(await countedRequests(table, spender, midnightMs)).toBe(1);
  });

  it.each([
    ['free_requests_per_minute', { rpm: 2 }, undefined],
    ['free_daily_requests_of_address', { base_ip_daily: 2 }, 'hash'],
  ])('are refused as %s beyond %o', async (source, terms, prefix) => {
    const spender = await newSpender(table, {});
    const networkHash = prefix && `${prefix}-${randomUUID()}`;
    const request = () =>
      freeRequest(
        spender,
        { id: newModel(), terms, ...(networkHash ? { networkHash } : {}) },
        { atMs: Date.parse('2026-11-21T12:00:30Z') },
      );
    await placeHold(table, request());
    await placeHold(table, request());

    const error = await refusalOf(placeHold(table, request()));

    expect(error).toMatchObject({ status: 429, metadata: { limit_source: source, limit: 2 } });
    expect(error?.headers['x-should-retry']).toBe(source === 'free_requests_per_minute' ? undefined : 'false');
  });

  it('from another address are counted separately', async () => {
    const spender = await newSpender(table, {});
    const terms = { base_ip_daily: 1 };
    await placeHold(table, freeRequest(spender, { id: newModel(), terms, networkHash: randomUUID() }));

    const other = placeHold(table, freeRequest(spender, { id: newModel(), terms, networkHash: randomUUID() }));

    await expect(other).resolves.toBeDefined();
  });

  it('take one call to the table each while the budget has room', async () => {
    const spender = await newSpender(table, {});
    proxy.calls.length = 0;

    await placeHold(faulty, freeRequest(spender, { id: newModel(), networkHash: randomUUID() }));

    expect(proxy.calls.map(({ action }) => action)).toEqual(['TransactWriteItems']);
  });

  it('are refused from memory in a loop, without a call to the table each time', async () => {
    const spender = await newSpender(table, {});
    const request = () => freeRequest(spender, { id: newModel(), terms: { daily_base: 1 } });
    await placeHold(table, request());
    await refusalOf(placeHold(table, request()));
    proxy.calls.length = 0;

    const error = await refusalOf(placeHold(faulty, request()));

    expect(error).toMatchObject({ status: 429, metadata: { limit: 1 } });
    expect(proxy.calls).toEqual([]);
  });

  it.each([
    ['requests', { daily_base: 1 }],
    ['money', { daily_budget_rub: rub('8') }],
  ])('are refused as repeated if their Idempotency-Key is known, also after the end of their %s', async (_, terms) => {
    const spender = await newSpender(table, {});
    const model = { id: newModel(), terms };
    const claim = { name: randomUUID(), fingerprint: 'of the body', replaced: undefined };
    const first = { ...freeRequest(spender, model), claim };
    const { hold } = await placeHold(table, first);
    await settleBatch(table, [answered(first, hold, '1')], { swept: false });
    for (let more = 1; more <= 8; more += 1) {
      const next = freeRequest(spender, model);
      const result = await attemptHold(table, next);
      if ('placed' in result) await settleBatch(table, [answered(next, result.placed.hold, '1')], { swept: false });
    }
    expect(await attemptHold(table, freeRequest(spender, model))).toMatchObject({ refused: { models: [model.id] } });

    const repeated = await attemptHold(table, { ...freeRequest(spender, model), claim });

    expect(repeated).toMatchObject({ refused: { kind: 'claimed', known: { generationId: first.generation.id } } });
  });
});

describe('a counted free request', () => {
  it('stays counted after an answer', async () => {
    const spender = await newSpender(table, {});
    const request = freeRequest(spender, { id: newModel() });
    const { hold } = await placeHold(table, request);

    await settleBatch(table, [answered(request, hold, '0.25')], { swept: false });

    expect(await countedRequests(table, spender)).toBe(1);
  });

  it('is uncounted once if its answer was not charged', async () => {
    const spender = await newSpender(table, {});
    const [kept, lost] = [newModel(), newModel()].map((id) => freeRequest(spender, { id }));
    await placeHold(table, kept!);
    const { hold } = await placeHold(table, lost!);

    for (let delivery = 0; delivery < 3; delivery += 1) {
      await settleBatch(table, [failed(lost!, hold), failed(lost!, hold)], { swept: false });
    }

    expect(await countedRequests(table, spender)).toBe(1);
  });

  it('is uncounted if a model with a price has answered', async () => {
    const spender = await newSpender(table, {});
    const request = freeRequest(spender, { id: newModel() });
    const { hold } = await placeHold(table, request);
    const { generation } = request;

    await settleBatch(
      table,
      [{ generationId: generation.id, payer: generation.payer, hold, outcome: outcome(rub('0')) }],
      { swept: false },
    );

    expect(await countedRequests(table, spender)).toBe(0);
    expect(await budgetOf(table, generation.model)).toBe('0 of 0');
  });

  it('is uncounted if the outcome of its hold was unknown, and the hold was placed', async () => {
    const spender = await newSpender(table, {});
    const request = freeRequest(spender, { id: newModel() });
    await placeHold(table, request);

    await releaseUnknown(table, request.generation);

    expect(await countedRequests(table, spender)).toBe(0);
    expect(await budgetOf(table, request.generation.model)).toBe('0 of 0');
  });

  it('stays uncounted for a hold that was never placed', async () => {
    const spender = await newSpender(table, {});
    await placeHold(table, freeRequest(spender, { id: newModel() }));

    await releaseUnknown(table, freeRequest(spender, { id: newModel() }).generation);

    expect(await countedRequests(table, spender)).toBe(1);
  });
});

describe('the budget of a free model', () => {
  it('is not overspent by 80 concurrent requests, and leaves less than one request unused in each part', async () => {
    const spender = await newSpender(table, {});
    const id = newModel();
    const terms = { daily_base: 1_000, daily_budget_rub: rub('36') };

    const results = await Promise.allSettled(
      Array.from({ length: 80 }, () => placeHold(table, freeRequest(spender, { id, terms }))),
    );

    const passed = results.filter(({ status }) => status === 'fulfilled').length;
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as GatewayError] : []));
    // Each of the eight parts of 4.5 RUB can pay for four requests; a request that meets too many conflicts fails.
    expect(passed).toBeLessThanOrEqual(32);
    expect(await budgetOf(table, id)).toBe(`0 of ${passed}`);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    expect(refused[0]!.headers).toMatchObject({ 'retry-after': '3' });
    for (let more = 0; more < 32 - passed; more += 1) await placeHold(table, freeRequest(spender, { id, terms }));
    expect(await budgetOf(table, id)).toBe('0 of 32');
  });

  it('is charged the real cost of an answer after its settlement, at most the hold', async () => {
    const spender = await newSpender(table, {});
    const id = newModel();
    const requests = Array.from({ length: 3 }, () => freeRequest(spender, { id }));
    const holds = await Promise.all(requests.map((request) => placeHold(table, request)));
    const costs = ['0.25', '0.5', '7'];
    const settlements = requests.map((request, index) => answered(request, holds[index]!.hold, costs[index]!));

    await settleBatch(table, [...settlements, ...settlements], { swept: false });

    expect(await budgetOf(table, id)).toBe('1.75 of 1.75');
  });

  it('is that of the day of admission, however late the settlement', async () => {
    const spender = await newSpender(table, {});
    const id = newModel();
    const atMs = Date.parse('2026-11-20T23:59:59.999Z');
    const request = freeRequest(spender, { id }, { atMs });
    const { hold } = await placeHold(table, request);

    await settleBatch(table, [answered(request, hold, '0.5')], { swept: false });

    expect(await budgetOf(table, id, atMs)).toBe('0.5 of 0.5');
    expect(await budgetOf(table, id, atMs + 1)).toBe('0 of 0');
  });

  it('counts the whole hold of a killed handler until its settlement arrives', async () => {
    const spender = await newSpender(table, {});
    const id = newModel();
    const request = freeRequest(spender, { id }, { atMs: Date.now() - 3_600_000 });
    const { hold } = await placeHold(table, request);
    const { createdAtMs } = request.generation;

    await sweepHolds(table, { nowMs: Date.now(), backlog: 'none' });
    const estimated = await budgetOf(table, id, createdAtMs);
    await settleBatch(table, [answered(request, hold, '0.5')], { swept: false });

    expect(estimated).toBe('1 of 1');
    expect(await budgetOf(table, id, createdAtMs)).toBe('0.5 of 0.5');
  });

  it('refuses requests until midnight after it is spent', async () => {
    const spender = await newSpender(table, {});
    const id = newModel();
    const terms = { daily_budget_rub: rub('8') };
    const requests = Array.from({ length: 8 }, () => freeRequest(spender, { id, terms }));
    for (const request of requests) {
      const { hold } = await placeHold(table, request);
      await settleBatch(table, [answered(request, hold, '1')], { swept: false });
    }

    const error = await refusalOf(placeHold(table, freeRequest(spender, { id, terms })));

    expect(error).toMatchObject({ status: 429, metadata: { limit_source: 'free_daily_budget', models: [id] } });
    expect(Number(error!.headers['x-ratelimit-reset']) % 86_400_000).toBe(0);
    expect(await countedRequests(table, spender)).toBe(8);
  });
});

describe.each(['conflict', 'throttle', 'lost-reply'] as const)('with a %s in the first attempts', (fault) => {
  const failFirst = (count: number) => {
    let left = count;
    proxy.faultFor = ({ action }) => (/Write|Put|Update/.test(action) && left-- > 0 ? fault : undefined);
  };

  it('a request is counted, held and settled once', async () => {
    const spender = await newSpender(table, {});
    const request = freeRequest(spender, { id: newModel() });

    failFirst(2);
    const { hold } = await placeHold(faulty, request);
    const held = await budgetOf(table, request.generation.model);
    failFirst(2);
    await settleBatch(faulty, [answered(request, hold, '0.25')], { swept: false });

    expect(held).toBe('0 of 1');
    expect(await budgetOf(table, request.generation.model)).toBe('0.25 of 0.25');
    expect(await countedRequests(table, spender)).toBe(1);
  });
});
