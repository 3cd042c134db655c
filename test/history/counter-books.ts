/** Expected values of counters, computed from records and leases alone (docs/data-model.md, "Checking the books"). */

import { itemIn, picoIn, roublesOf, textIn, textsIn, type RawItem } from './raw-table.ts';

export interface Difference {
  kind: string;
  where: string;
  stored: string;
  expected: string;
}

interface Amounts {
  spent: bigint;
  committed: bigint;
}

/** Amounts by scope (for example `key#5ff7…`) and window (for example `day_2026-11-26`). */
type ScopeAmounts = Map<string, Map<string, Amounts>>;

const DAY_MS = 86_400_000;
/** Time in ms from the end of a window. After this time, counters need not have the window any more. */
const KEPT_AFTER_END_MS = DAY_MS;

export function windowsOf(createdAt: string): string[] {
  const date = createdAt.slice(0, 10);
  const dayMs = Date.parse(`${date}T00:00:00Z`);
  const mondayMs = dayMs - ((new Date(dayMs).getUTCDay() + 6) % 7) * DAY_MS;
  return [`day_${date}`, `week_${dateOf(mondayMs)}`, `month_${date.slice(0, 7)}`, 'lifetime'];
}

function dateOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

function endOf(window: string): number {
  const [period, from = ''] = window.split('_');
  if (period === 'day') return Date.parse(`${from}T00:00:00Z`) + DAY_MS;
  if (period === 'week') return Date.parse(`${from}T00:00:00Z`) + 7 * DAY_MS;
  if (period === 'lifetime') return Infinity;
  const month = new Date(`${from}-01T00:00:00Z`);
  return month.setUTCMonth(month.getUTCMonth() + 1);
}

function scopesOf(item: RawItem): Record<string, string> {
  const workspace = textIn(item, 'workspace_id');
  const member = textIn(item, 'member_id');
  return {
    key: `key#${textIn(item, 'key_hash')}`,
    workspace: `workspace#${workspace}`,
    account: `account#${textIn(item, 'account_id')}`,
    ...(member === '' ? {} : { member: `member#${workspace}/${member}` }),
  };
}

/**
 * Returns the expected amounts: the costs of final records, the holds of pending records, and the remaining amounts of
 * open leases.
 */
function expectedAmounts(items: readonly RawItem[]): ScopeAmounts {
  const amounts: ScopeAmounts = new Map();
  const drawn = new Map<string, bigint>();
  for (const item of items) {
    if (item['entity'] !== 'generation') continue;
    const lease = textIn(item, 'lease_id');
    if (lease !== '') drawn.set(lease, (drawn.get(lease) ?? 0n) + picoIn(item, 'leased_rub'));
    if (item['state'] === 'final') {
      const cost = picoIn(item, 'total_cost_rub');
      add(amounts, item, Object.keys(scopesOf(item)), { spent: cost, committed: cost });
    } else add(amounts, item, textsIn(item, 'held_scopes'), { spent: 0n, committed: picoIn(item, 'hold_rub') });
  }
  for (const item of items) {
    if (item['entity'] !== 'lease' || item['state'] !== 'open') continue;
    const rest = picoIn(item, 'amount_rub') - (drawn.get(textIn(item, 'id')) ?? 0n);
    add(amounts, item, textsIn(item, 'held_scopes'), { spent: 0n, committed: rest });
  }
  return amounts;
}

function add(amounts: ScopeAmounts, item: RawItem, kinds: readonly string[], { spent, committed }: Amounts): void {
  const scopes = scopesOf(item);
  for (const kind of kinds) {
    for (const window of windowsOf(textIn(item, 'created_at'))) {
      const sum = amountsIn(amounts, scopes[kind]!, window);
      sum.spent += spent;
      sum.committed += committed;
    }
  }
}

function amountsIn(amounts: ScopeAmounts, scope: string, window: string): Amounts {
  const windows = amounts.get(scope) ?? new Map<string, Amounts>();
  amounts.set(scope, windows);
  const sum = windows.get(window) ?? { spent: 0n, committed: 0n };
  windows.set(window, sum);
  return sum;
}

/**
 * Returns the partition key of an item's counter. The partition key of a part is the counter's key, or begins with it.
 */
function counterOf(item: RawItem): string {
  return textIn(item, 'pk').replace(textIn(item, 'sk').slice('COUNTER'.length), '');
}

/** Returns the stored amounts. Counters include the parts that they name. */
function storedAmounts(items: readonly RawItem[]): ScopeAmounts {
  const amounts: ScopeAmounts = new Map();
  const counters = items.filter((item) => textIn(item, 'pk').startsWith('COUNTER#'));
  const spreads = new Map(
    counters.filter(({ sk }) => sk === 'COUNTER').map((item) => [textIn(item, 'pk'), textIn(item, 'spread')]),
  );
  for (const item of counters) {
    const spread = textIn(item, 'sk').split('#')[1];
    if (spread !== undefined && spread !== spreads.get(counterOf(item))) continue;
    const scope = counterOf(item).replace('COUNTER#', '');
    for (const name of Object.keys(item)) {
      const [, field, window] = /^(spent|committed)_((?:day|week|month)_.+|lifetime)$/.exec(name) ?? [];
      if (field !== undefined) amountsIn(amounts, scope, window!)[field as keyof Amounts] += picoIn(item, name);
    }
  }
  return amounts;
}

/**
 * Compares every window of every scope.
 * @param nowMs by the gateway's clock
 */
export function counterDifferences(items: readonly RawItem[], nowMs: number): Difference[] {
  const [expected, stored] = [expectedAmounts(items), storedAmounts(items)];
  const differences: Difference[] = [];
  for (const scope of new Set([...expected.keys(), ...stored.keys()])) {
    const [should, is] = [expected.get(scope), stored.get(scope)];
    for (const window of new Set([...(should?.keys() ?? []), ...(is?.keys() ?? [])])) {
      const isDropped = !is?.has(window) && endOf(window) + KEPT_AFTER_END_MS < nowMs;
      if (isDropped) continue;
      for (const field of ['spent', 'committed'] as const) {
        const [a, b] = [is?.get(window)?.[field] ?? 0n, should?.get(window)?.[field] ?? 0n];
        if (a !== b)
          differences.push({ kind: field, where: `${scope} ${window}`, stored: roublesOf(a), expected: roublesOf(b) });
      }
    }
  }
  return differences;
}

const periods = { daily: 'day', weekly: 'week', monthly: 'month', lifetime: 'lifetime' } as const;
export type Period = keyof typeof periods;
/** Highest limit that was ever set, by scope and period. */
export type Ceilings = Map<string, Map<Period, bigint>>;

/** Returns the windows in which more was spent and held than any limit has allowed. */
export function excesses(items: readonly RawItem[], ceilings: Ceilings): Difference[] {
  const differences: Difference[] = [];
  for (const [scope, windows] of expectedAmounts(items)) {
    for (const [period, ceiling] of ceilings.get(scope) ?? []) {
      for (const [window, { committed }] of windows) {
        if (!window.startsWith(periods[period]) || committed <= ceiling) continue;
        const where = `${scope} ${window}`;
        differences.push({
          kind: 'limit',
          where,
          stored: roublesOf(committed),
          expected: `at most ${roublesOf(ceiling)}`,
        });
      }
    }
  }
  return differences;
}

/** Returns the leases whose returned amount differs from their unused amount. */
export function leaseDifferences(items: readonly RawItem[]): Difference[] {
  const drawn = new Map<string, bigint>();
  for (const item of items) {
    const lease = textIn(item, 'lease_id');
    if (lease !== '') drawn.set(lease, (drawn.get(lease) ?? 0n) + picoIn(item, 'leased_rub'));
  }
  return items.flatMap((item) => {
    if (item['entity'] !== 'lease' || item['state'] !== 'returned') return [];
    const rest = picoIn(item, 'amount_rub') - (drawn.get(textIn(item, 'id')) ?? 0n);
    const returned = picoIn(item, 'returned_rub');
    const where = `${textIn(item, 'id')} of ${textIn(item, 'created_at')}`;
    return returned === rest ? [] : [{ kind: 'lease', where, stored: roublesOf(returned), expected: roublesOf(rest) }];
  });
}

export function overcharges(items: readonly RawItem[]): Difference[] {
  return items.flatMap((item) => {
    if (item['entity'] !== 'generation' || item['state'] !== 'final') return [];
    if (textsIn(item, 'held_scopes').length === 0) return [];
    const [cost, hold] = [picoIn(item, 'total_cost_rub'), picoIn(item, 'hold_rub')];
    if (cost <= hold) return [];
    return [
      { kind: 'hold', where: textIn(item, 'id'), stored: roublesOf(cost), expected: `at most ${roublesOf(hold)}` },
    ];
  });
}

/** Returns the prepaid accounts and counters whose limit is not the sum of the account's ledger. */
export function balanceDifferences(items: readonly RawItem[]): Difference[] {
  const ledger = new Map<string, bigint>();
  for (const item of items) {
    if (textIn(item, 'sk').startsWith('TOPUP#'))
      ledger.set(textIn(item, 'pk'), (ledger.get(textIn(item, 'pk')) ?? 0n) + picoIn(item, 'amount_rub'));
  }
  return items.flatMap((item) => {
    if (item['entity'] !== 'account' || item['mode'] !== 'prepaid') return [];
    const counter = items.find(({ pk, sk }) => pk === `COUNTER#account#${textIn(item, 'id')}` && sk === 'COUNTER');
    const expected = ledger.get(textIn(item, 'pk')) ?? 0n;
    return [item, counter ?? {}].flatMap((of) => {
      const stored = picoIn(itemIn(of, 'limits'), 'lifetime');
      if (stored === expected) return [];
      const where = `${textIn(of, 'pk')} ${textIn(of, 'sk')}`;
      return [{ kind: 'balance', where, stored: roublesOf(stored), expected: roublesOf(expected) }];
    });
  });
}
