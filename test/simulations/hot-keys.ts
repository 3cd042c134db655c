/** Hottest partition keys, as rows for docs/scale.md: units of a request, and their ceilings. */

import { BUDGET_PARTS } from '../../lambdas/catalog/free-terms.ts';
import { COUNTER_PARTS } from '../../lambdas/store/counters/counters.ts';
import { LEASE_SWEEP_PARTITIONS } from '../../lambdas/store/counters/leases.ts';
import { MODEL_MONTH_PARTITIONS } from '../../lambdas/store/days/model-months.ts';
import { HEALTH_PARTITIONS } from '../../lambdas/store/statistics/endpoint-health.ts';
import { SLOT_SHARDS } from '../../lambdas/store/statistics/endpoint-slots.ts';
import { STATISTICS_COPIES } from '../../lambdas/store/statistics/endpoint-statistics.ts';
import { partitionRates } from '../support/table-rules/throughput.ts';
import { simulateKeys, type KeyScenario } from './hot-key-simulation.ts';

interface KeyKind {
  of: string;
  name: string;
  kind: 'write' | 'read';
  /** Number of keys over which the requests are spread evenly. */
  keys: number;
  sharedBy: string;
  scenario?: Omit<KeyScenario, 'seconds'>;
}

interface HotKey extends KeyKind {
  /** Units of a request, and requests per second at which a key has no units left, by seconds of an answer. */
  bySeconds: ReadonlyMap<number, { units: number; perSecond: number }>;
}

const kinds: readonly KeyKind[] = [
  { of: 'account and workspace, read by functions', name: 'ACCOUNT', kind: 'read', keys: 1, sharedBy: 'an account' },
  { of: 'API key, read by functions', name: 'KEY', kind: 'read', keys: 1, sharedBy: 'a key' },
  {
    of: 'budget of free models',
    name: 'FREE#BUDGET',
    kind: 'write',
    keys: BUDGET_PARTS,
    sharedBy: 'all accounts',
    scenario: { isFree: true },
  },
  {
    of: 'health reports while many instances fail, read by functions',
    name: 'HEALTH#RECENT',
    kind: 'read',
    keys: HEALTH_PARTITIONS.length,
    sharedBy: 'all accounts',
    scenario: { isCrowd: true },
  },
  {
    of: 'costs by model, with counter parts',
    name: 'MODELS',
    kind: 'write',
    keys: MODEL_MONTH_PARTITIONS,
    sharedBy: 'an account',
  },
  {
    of: 'speed of endpoints, read by functions',
    name: 'HEALTH#STATISTICS',
    kind: 'read',
    keys: STATISTICS_COPIES,
    sharedBy: 'all accounts',
  },
  {
    of: 'outcomes by endpoint',
    name: 'HEALTH#SLOT',
    kind: 'write',
    keys: SLOT_SHARDS,
    sharedBy: 'all accounts',
  },
  {
    of: 'sweep index of leases',
    name: 'LEASES',
    kind: 'write',
    keys: LEASE_SWEEP_PARTITIONS.length,
    sharedBy: 'all accounts',
    scenario: { isLeased: true },
  },
  {
    of: 'parts of a counter without a limit',
    name: 'COUNTER#account',
    kind: 'write',
    keys: COUNTER_PARTS,
    sharedBy: 'an account',
  },
];

const ANSWER_SECONDS = [1, 15] as const;

async function hotKeys(): Promise<HotKey[]> {
  const all: HotKey[] = [];
  for (const kind of kinds) {
    const bySeconds = new Map<number, { units: number; perSecond: number }>();
    for (const seconds of ANSWER_SECONDS) {
      const units = (await simulateKeys({ ...kind.scenario, seconds }))[kind.kind].get(kind.name) ?? 0;
      bySeconds.set(seconds, { units, perSecond: (partitionRates[kind.kind] * kind.keys) / units });
    }
    all.push({ ...kind, bySeconds });
  }
  return all;
}

/** Rows of docs/scale.md. */
export async function hotKeyRows(): Promise<string[][]> {
  return (await hotKeys()).map(({ of, sharedBy, keys, bySeconds }) => [
    of,
    sharedBy,
    String(keys),
    ...ANSWER_SECONDS.map((seconds) => rounded(bySeconds.get(seconds)!.units)),
    ...ANSWER_SECONDS.map((seconds) => rounded(bySeconds.get(seconds)!.perSecond)),
  ]);
}

function rounded(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en-US');
}
