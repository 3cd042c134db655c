import { describe, expect, it } from 'vitest';
import {
  balanceDifferences,
  counterDifferences,
  excesses,
  leaseDifferences,
  overcharges,
  windowsOf,
} from './counter-books.ts';
import { budgetDifferences, monthDifferences, rowDifferences } from './day-books.ts';
import { picoOf, roublesOf, type RawItem } from './raw-table.ts';
import { compareReported, machineTimeOf, type ReportedCost } from './reported-costs.ts';

const CREATED_AT = '2026-11-29T23:59:58.000Z';
const NOW_MS = Date.parse('2026-11-30T00:10:00Z');
const payer = { account_id: 'a', workspace_id: 'w', member_id: 'ann', key_hash: 'k', created_at: CREATED_AT };
const scopes = ['key#k', 'workspace#w', 'member#w/ann', 'account#a'];

const final = (id: string, cost: string, more: RawItem = {}): RawItem => ({
  pk: `GENERATION#a#2026-11-29#0`,
  sk: id,
  entity: 'generation',
  state: 'final',
  id,
  total_cost_rub: cost,
  hold_rub: '10',
  held_scopes: [],
  model: 'm',
  ...payer,
  ...more,
});

const pending = (id: string, hold: string, more: RawItem = {}): RawItem => ({
  ...final(id, '0', more),
  state: 'pending',
  hold_rub: hold,
  held_scopes: ['key'],
});

const lease = (state: 'open' | 'returned', more: RawItem = {}): RawItem => ({
  pk: 'LEASE#l',
  sk: 'LEASE',
  entity: 'lease',
  id: 'l',
  state,
  amount_rub: '5',
  held_scopes: ['key'],
  ...payer,
  ...more,
});

function counter(scope: string, spent: string, committed: string, more: RawItem = {}): RawItem {
  const windows = windowsOf(CREATED_AT).flatMap((window) => [
    [`spent_${window}`, spent],
    [`committed_${window}`, committed],
  ]);
  return { pk: `COUNTER#${scope}`, sk: 'COUNTER', ...Object.fromEntries(windows), ...more };
}

const counters = (spent: string, keyCommitted: string) =>
  scopes.map((scope) => counter(scope, spent, scope === 'key#k' ? keyCommitted : spent));

const part = (spread: string) => counter('key#k', '0.5', '0.5', { sk: `COUNTER#${spread}#7` });

const account = (limit: string): RawItem[] => [
  { pk: 'ACCOUNT#a', sk: 'ACCOUNT', entity: 'account', id: 'a', mode: 'prepaid', limits: { lifetime: limit } },
  { pk: 'COUNTER#account#a', sk: 'COUNTER', limits: { lifetime: limit } },
];

const row = (level: string, usage: string, version = '3'): RawItem => ({
  pk: 'ACTIVITY#a#2026-11-29',
  sk: level,
  entity: 'activity_row',
  level,
  shard: '0',
  version,
  usage_rub: usage,
  ...payer,
});

describe('the amounts of a history', () => {
  it.each([
    ['0.1', 100_000_000_000n],
    ['1E-7', 100_000n],
    ['-2.5', -2_500_000_000_000n],
    ['1.000000000000', 1_000_000_000_000n],
    ['12e2', 1_200_000_000_000_000n],
  ])('are read exactly: %s', (text, pico) => {
    expect(picoOf(text)).toBe(pico);
    expect(picoOf(roublesOf(pico))).toBe(pico);
  });

  it.each(['', 'x', '1e-13', '.'])('are not read from %j', (text) => {
    expect(() => picoOf(text)).toThrow(/decimal number|12 digits/);
  });

  it('belong to the day, the week from Monday, the month and the lifetime', () => {
    expect(windowsOf(CREATED_AT)).toEqual(['day_2026-11-29', 'week_2026-11-23', 'month_2026-11', 'lifetime']);
  });
});

describe('the counters of a history', () => {
  const items = [
    final('1', '1.5', { lease_id: 'l', leased_rub: '2' }),
    pending('2', '3', { lease_id: 'l', leased_rub: '1' }),
    lease('open'),
  ];

  it('are the cost of final records, the holds of pending records, and the remainder of open leases', () => {
    expect(counterDifferences([...items, ...counters('1.5', '6.5')], NOW_MS)).toEqual([]);
  });

  it('differ if one window differs by the smallest amount', () => {
    const [key, ...others] = counters('1.5', '6.5');
    const found = counterDifferences([...items, { ...key!, committed_lifetime: '6.500000000001' }, ...others], NOW_MS);

    expect(found).toEqual([{ kind: 'committed', where: 'key#k lifetime', stored: '6.500000000001', expected: '6.5' }]);
  });

  it('differ if a scope has no counter', () => {
    const found = counterDifferences([...items, ...counters('1.5', '6.5').slice(1)], NOW_MS);

    expect(found).toHaveLength(8);
  });

  it('include the parts that they name, and no others', () => {
    const [key, ...others] = counters('1', '6');
    const spread = [{ ...key!, spread: 's' }, part('s'), part('older'), ...others.map((one) => ({ ...one }))];
    const found = counterDifferences([...items, ...spread], NOW_MS);

    expect(found.filter(({ where }) => where.startsWith('key#'))).toEqual([]);
  });

  it('may have dropped windows that ended long ago, but not the lifetime', () => {
    const later = NOW_MS + 40 * 86_400_000;
    const onlyLifetime = counters('1.5', '6.5').map(
      ({ pk, sk, spent_lifetime: spent, committed_lifetime: committed }) => ({
        pk: pk!,
        sk: sk!,
        spent_lifetime: spent!,
        committed_lifetime: committed!,
      }),
    );

    expect(counterDifferences([...items, ...onlyLifetime], later)).toEqual([]);
    expect(counterDifferences([...items, ...onlyLifetime], NOW_MS)).not.toEqual([]);
  });

  it('are above a limit if records and holds are', () => {
    const ceilings = new Map([['key#k', new Map([['daily', picoOf('6.4')] as const])]]);

    expect(excesses(items, ceilings)).toMatchObject([{ where: 'key#k day_2026-11-29', stored: '6.5' }]);
    expect(excesses(items, new Map([['key#k', new Map([['daily', picoOf('6.5')] as const])]]))).toEqual([]);
  });
});

describe('the leases, holds and balances of a history', () => {
  it('differ if a lease returns another amount than its records leave', () => {
    const record = final('1', '1', { lease_id: 'l', leased_rub: '2' });

    expect(leaseDifferences([record, lease('returned', { returned_rub: '3' })])).toEqual([]);
    expect(leaseDifferences([record, lease('returned', { returned_rub: '5' })])).toMatchObject([
      { stored: '5', expected: '3' },
    ]);
  });

  it('differ if a limited request costs more than it held', () => {
    const held = { held_scopes: ['key'], hold_rub: '1' };

    expect(overcharges([final('1', '1', held), final('2', '1.1', held)])).toMatchObject([{ where: '2' }]);
  });

  it('differ if the limit of a prepaid account is not the sum of its ledger', () => {
    const ledger: RawItem[] = [
      { pk: 'ACCOUNT#a', sk: 'TOPUP#1', amount_rub: '10' },
      { pk: 'ACCOUNT#a', sk: 'TOPUP#2', amount_rub: '-2.5' },
    ];

    expect(balanceDifferences([...account('7.5'), ...ledger])).toEqual([]);
    expect(balanceDifferences([...account('10'), ...ledger])).toHaveLength(2);
  });
});

describe('the days of a history', () => {
  const versions = Object.fromEntries(Array.from({ length: 8 }, (_, shard) => [`version_${shard}`, '3']));
  const day: RawItem = {
    pk: 'ACTIVITY#a',
    sk: 'DAY#2026-11-29',
    entity: 'activity_day',
    date: '2026-11-29',
    ...versions,
  };
  it('differ if the current rows of a complete day are not the sum of its records', () => {
    const records = [final('1', '1'), final('2', '0.5')];
    const rows = [row('KEY', '1.5'), row('WORKSPACE', '1.5'), row('KEY', '9', '2')];

    expect(rowDifferences([...records, day, ...rows])).toEqual([]);
    expect(rowDifferences([...records, day, ...rows.slice(1)])).toMatchObject([{ stored: '0', expected: '1.5' }]);
  });

  it('differ if the rows of a key are not split by the reported tags', () => {
    const settings: RawItem = { entity: 'account_tags', account_id: 'a', reported: ['project'] };
    const records = [final('1', '1', { tags: { project: 'lake' } }), final('2', '0.5', { tags: { other: 'x' } })];
    const lake = { ...row('KEY', '1'), tags: { project: 'lake' } };
    const workspace = row('WORKSPACE', '1.5');

    expect(rowDifferences([settings, day, ...records, workspace, lake, row('KEY', '0.5')])).toEqual([]);
    expect(rowDifferences([settings, day, ...records, workspace, row('KEY', '1.5')])).toMatchObject([
      { where: 'a 2026-11-29 k project=', stored: '1.5', expected: '0.5' },
      { where: 'a 2026-11-29 k project=lake', stored: '0', expected: '1' },
    ]);
  });

  it('differ if the month of a model is not the sum of its records', () => {
    const month: RawItem = {
      entity: 'model_month',
      account_id: 'a',
      month: '2026-11',
      model: 'm',
      spent_day_29: '1.5',
    };

    expect(monthDifferences([final('1', '1.5'), month])).toEqual([]);
    expect(monthDifferences([final('1', '1.4'), month])).toHaveLength(1);
  });

  it('differ if the budget of a free model is not the sum of its records', () => {
    const budget: RawItem = {
      pk: 'FREE#BUDGET#2026-11-29#3',
      entity: 'service_budget',
      model: 'm:free',
      spent_rub: '1',
      committed_rub: '1.5',
    };
    const spent = final('1', '0', { model: 'm:free', service_cost_rub: '1' });
    const held = pending('2', '0', { service_holds: [{ model: 'm:free', part: '3', amount_rub: '0.5' }] });

    expect(budgetDifferences([budget, spent, held])).toEqual([]);
    expect(budgetDifferences([budget, spent])).toMatchObject([{ where: '2026-11-29 m:free held' }]);
  });
});

describe('the costs that clients of a history received', () => {
  const SETTLED_AT = '2026-11-29T23:59:59.000Z';
  const settledAtMs = Date.parse(SETTLED_AT);
  const clocks = [{ fromMs: 0, offsetMs: 0 }];
  const reportedCost = (generationId: string, cost: string, more: Partial<ReportedCost> = {}): ReportedCost => ({
    generationId,
    kind: 'messages',
    cost,
    readAtMs: settledAtMs - 1_000,
    idempotencyKey: undefined,
    ...more,
  });
  const record = (id: string, cost: string, swept = false) => final(id, cost, { settled_at: SETTLED_AT, swept });

  it('agree with the records', () => {
    const { compared, differences } = compareReported([record('1', '0.0000001')], [reportedCost('1', '1e-7')], clocks);

    expect([compared, differences]).toEqual([1, []]);
  });

  it('differ without a record, and with another cost', () => {
    const { differences } = compareReported(
      [record('1', '2')],
      [reportedCost('1', '1'), reportedCost('2', '1')],
      clocks,
    );

    expect(differences.map(({ kind }) => kind)).toEqual(['reported cost', 'no record']);
  });

  it('may be more or less than the charge of the sweep after a kill', () => {
    const records = [record('1', '0.5', true), record('2', '2', true), pending('3', '1')];
    const { swept, differences } = compareReported(
      records,
      [reportedCost('1', '1'), reportedCost('2', '1'), reportedCost('3', '1')],
      clocks,
    );

    expect([swept, differences]).toEqual([{ lower: 1, higher: 1, pending: 1 }, []]);
  });

  it('differ if the sweep has charged a request that was still running', () => {
    const late = reportedCost('1', '1', { readAtMs: settledAtMs + 1_000 });

    expect(compareReported([record('1', '0.5', true)], [late], clocks).differences).toMatchObject([
      { kind: 'swept while it was answered' },
    ]);
  });

  it('are compared by the clock of the gateway at that time', () => {
    const spans = [
      { fromMs: 1_000, offsetMs: 0 },
      { fromMs: 2_000, offsetMs: 100_000 },
    ];

    expect(machineTimeOf(1_500, spans)).toBe(1_500);
    expect(machineTimeOf(102_500, spans)).toBe(2_500);
  });

  it('differ if one Idempotency-Key is charged twice', () => {
    const answers = [reportedCost('1', '1', { idempotencyKey: 'x' }), reportedCost('2', '1', { idempotencyKey: 'x' })];

    expect(compareReported([record('1', '1'), record('2', '1')], answers, clocks).differences).toMatchObject([
      { kind: 'charged twice', where: 'x' },
    ]);
    expect(compareReported([record('1', '1'), record('2', '0')], [answers[0]!], clocks).differences).toEqual([]);
  });
});
