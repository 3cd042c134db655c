import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkDaily } from '../../lambdas/alerts/daily-checks.ts';
import { checkProviders } from '../../lambdas/alerts/check-providers.ts';
import { nextPriceChange, retirementOf } from '../../lambdas/alerts/coming-changes.ts';
import type { Catalog, Endpoint, Model } from '../../lambdas/catalog/catalog.ts';
import { Money } from '../../lambdas/money/money.ts';
import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { alertAccountPut } from '../../lambdas/store/alerts/alert-accounts.ts';
import { listDeliveries } from '../../lambdas/store/alerts/deliveries.ts';
import { modelMonthUpdate, monthOfDay } from '../../lambdas/store/days/model-months.ts';
import { writeMeasurement } from '../../lambdas/store/statistics/endpoint-statistics.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { storeAlerts } from '../support/alerts.ts';
import { pricing } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

const MINUTE_MS = 60_000;
const startMs = Date.parse('2026-11-27T10:00:00Z');
const actor = { kind: 'operator', id: 'test' } as const;
const forever = { deadlineMs: Infinity };

const dearer = { ...pricing, prompt: Money.parse('1') };
type Period = NonNullable<Endpoint['periods']>[number];
const period = (fromMs: number, untilMs: number, of: Period['pricing']): Period => ({
  fromMs,
  untilMs,
  pricing: of,
  serviceCost: undefined,
});
/** Returns a model with one endpoint for each list of price periods. */
const modelOf = (id: string, ...periods: (Period[] | undefined)[]) =>
  ({
    id,
    aliasOf: undefined,
    endpoints: periods.map((each, index) => ({
      id: `${id}-${index}`,
      provider: { id: 'acme' },
      pricing,
      ...(each ? { periods: each } : {}),
    })),
  }) as unknown as Model;
const catalogOf = (...models: Model[]) =>
  ({ models, find: (id: string) => models.find((model) => model.id === id) }) as unknown as Catalog;

let table: Table;
let accountId: string;
let workspaceId: string;
// Each test has its own table, because a scan visits all accounts of a table.
beforeEach(async () => {
  table = await newTable();
  ({ id: accountId, defaultWorkspaceId: workspaceId } = await createAccount(table, actor, {
    name: 'Acme',
    mode: 'postpaid',
  }));
  await watch(accountId);
});

async function watch(id: string): Promise<void> {
  await storeAlerts(table, id, { kind: 'account', id }, { webhookUrl: 'https://receiver.example/' });
  await transact(table, { listed: alertAccountPut(table, id) });
}

async function use(model: string, date: string): Promise<void> {
  const month = { accountId, month: monthOfDay(date), model };
  await transact(table, { sum: modelMonthUpdate(table, month, 0, new Map([[date, Money.parse('1')]])) });
}

async function sent(of = accountId): Promise<string[]> {
  return (await listDeliveries(table, of, { limit: 100 })).map(({ type, text }) => `${type}: ${text.split('\n')[0]!}`);
}

/** Stores the uptime of the only endpoint in the last five minutes, in percent. */
const measure = (last5m: number | null) =>
  writeMeasurement(table, {
    measuredAtMs: startMs,
    endpoints: {
      'acme/chat-0': { uptimePercent: { last5m, last30m: null, last1d: null }, latencyMs: null, throughput: null },
    },
    liveProviders: undefined,
    copies: 1,
  });

describe('a key', () => {
  it('that expires is reported seven days and one day before, each once', async () => {
    const expiresAt = new Date(startMs + 8.5 * DAY_MS).toISOString();
    const context = { table, accountId, actor };
    await createKey(context, 'pepper', { kind: 'inference', workspaceId, name: 'ending', expiresAt });
    await createKey(context, 'pepper', { kind: 'inference', workspaceId, name: 'lasting' });
    const counts: number[] = [];

    for (let day = 0; day < 10; day += 1) {
      const checks = { catalog: catalogOf(), nowMs: startMs + day * DAY_MS, ...forever };
      await checkDaily(table, checks);
      await checkDaily(table, checks);
      counts.push((await sent()).length);
    }

    expect(counts).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 2, 2]);
    expect((await sent())[0]).toBe('alert.key.expiring: The key "ending" expires at 2026-12-05 22:00 UTC.');
  });

  it('that expires tomorrow is reported once, also if nothing was reported before', async () => {
    const expiresAt = new Date(startMs + DAY_MS / 2).toISOString();
    await createKey({ table, accountId, actor }, 'pepper', { kind: 'management', name: 'ops', expiresAt });

    await checkDaily(table, { catalog: catalogOf(), nowMs: startMs, ...forever });

    expect(await sent()).toHaveLength(1);
  });
});

describe('a model', () => {
  const retiresMs = startMs + 20 * DAY_MS;
  const changesMs = startMs + 5 * DAY_MS;
  const ending = modelOf('acme/old', [period(-Infinity, retiresMs, pricing), period(retiresMs, Infinity, undefined)]);
  const changing = modelOf('acme/new', [period(-Infinity, changesMs, pricing), period(changesMs, Infinity, dearer)]);

  it('that was used is reported before it retires, and before its prices change', async () => {
    await use('acme/old', utcDate(startMs - 2 * DAY_MS));
    await use('acme/new', utcDate(startMs));
    const checks = { catalog: catalogOf(ending, changing), ...forever };

    await checkDaily(table, { ...checks, nowMs: startMs });
    await checkDaily(table, { ...checks, nowMs: startMs + DAY_MS });

    expect((await sent()).toSorted()).toEqual([
      'alert.model.price_change: The prices of the model "acme/new", which you have used in the last days, change at 2026-12-02 10:00 UTC.',
      'alert.model.retiring: The model "acme/old", which you have used in the last days, cannot be called from 2026-12-17 10:00 UTC on.',
    ]);
  });

  it('that was not used in the last week is not reported', async () => {
    await use('acme/old', utcDate(startMs - 9 * DAY_MS));

    await checkDaily(table, { catalog: catalogOf(ending), nowMs: startMs, ...forever });

    expect(await sent()).toEqual([]);
  });

  it('retires when its last endpoint has no prices any more', () => {
    const soon = [period(-Infinity, startMs + DAY_MS, pricing), period(startMs + DAY_MS, Infinity, undefined)];
    expect(retirementOf(modelOf('one', soon), startMs)).toBe(startMs + DAY_MS);
    expect(retirementOf(modelOf('one', soon, undefined), startMs)).toBeUndefined();
    expect(retirementOf(modelOf('one', soon), startMs + 2 * DAY_MS)).toBeUndefined();
  });

  it('has a price change only if its prices differ', () => {
    const same = [period(-Infinity, changesMs, pricing), period(changesMs, Infinity, { ...pricing })];
    expect(nextPriceChange(modelOf('one', same), startMs)).toBeUndefined();
    expect(nextPriceChange(changing, startMs)).toBe(changesMs);
    expect(nextPriceChange(ending, startMs)).toBeUndefined();
  });
});

describe('a provider', () => {
  const catalog = catalogOf(modelOf('acme/chat', undefined));
  const check = (minutes: number) =>
    checkProviders(table, { catalog, nowMs: startMs + minutes * MINUTE_MS, ...forever });

  it('that keeps failing is reported once to accounts that use it, and again if it fails later', async () => {
    const other = randomUUID();
    await watch(other);
    await use('acme/chat', utcDate(startMs));
    await measure(20);
    for (let minute = 0; minute < 5; minute += 1) await check(minute);
    expect(await sent()).toEqual([]);

    for (let minute = 5; minute < 10; minute += 1) await check(minute);
    expect(await sent()).toEqual([
      'alert.provider.failing: Most requests to the provider "acme" have failed since 2026-11-27 10:00 UTC.',
    ]);

    await measure(99);
    await check(10);
    await measure(0);
    for (let minute = 11; minute < 20; minute += 1) await check(minute);
    expect(await sent()).toHaveLength(2);
    expect(await sent(other)).toEqual([]);
  });

  it('that keeps failing is reported once, although it is sometimes too quiet to be measured', async () => {
    await use('acme/chat', utcDate(startMs));
    for (const [minute, uptime] of [20, 20, 20, 20, 20, 20, null, null, 20, 20, 20, 20, 20, 20, 20, 20].entries()) {
      await measure(uptime);
      await check(minute);
    }

    expect(await sent()).toHaveLength(1);
  });

  it('that fails for a short time, or has too few requests, is not reported', async () => {
    await use('acme/chat', utcDate(startMs));
    await measure(20);
    await check(0);
    await measure(null);
    for (let minute = 1; minute < 10; minute += 1) await check(minute);

    expect(await sent()).toEqual([]);
  });
});

describe('a scan', () => {
  it('continues where a run was stopped', async () => {
    const expiresAt = new Date(startMs + DAY_MS / 2).toISOString();
    await createKey({ table, accountId, actor }, 'pepper', { kind: 'management', name: 'ops', expiresAt });
    const checks = { catalog: catalogOf(), nowMs: startMs };

    await checkDaily(table, { ...checks, deadlineMs: 0 });
    expect(await sent()).toEqual([]);
    await checkDaily(table, { ...checks, deadlineMs: Infinity });

    expect(await sent()).toHaveLength(1);
  });
});
