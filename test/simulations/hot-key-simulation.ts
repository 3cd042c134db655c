/**
 * Counts the units of DynamoDB that a request takes from each kind of partition key. Only time, chance and the table
 * are simulated. One instance of a function sends one request after another, with a limited key. The requests are
 * settled in batches of ten, and each batch has ten models.
 */

import { giveParts } from '../../lambdas/accounting/busy-counters.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../lambdas/accounting/settlement.ts';
import { findCaller } from '../../lambdas/admission/caller.ts';
import { extendHold, placeHold, type HoldRequest, type PlacedHold } from '../../lambdas/admission/hold.ts';
import { Leases } from '../../lambdas/admission/leases.ts';
import { Money } from '../../lambdas/money/money.ts';
import { nowMs } from '../../lambdas/platform/clock.ts';
import { spreadId } from '../../lambdas/platform/ids.ts';
import { SharedHealth, type HealthReports } from '../../lambdas/routing/health.ts';
import { openStatistics } from '../../lambdas/routing/statistics.ts';
import { countOutcomes } from '../../lambdas/statistics/count-outcomes.ts';
import { accountPut } from '../../lambdas/store/accounts/accounts.ts';
import { keyPut } from '../../lambdas/store/accounts/keys.ts';
import { memberPut } from '../../lambdas/store/accounts/members.ts';
import { noPrivacyLimits } from '../../lambdas/store/accounts/privacy.ts';
import { noSensitiveData } from '../../lambdas/store/accounts/sensitive-data.ts';
import { noUseLimits } from '../../lambdas/store/accounts/use-limits.ts';
import { scopesOf, type Payer } from '../../lambdas/store/accounts/payer.ts';
import { workspaceItem } from '../../lambdas/store/accounts/workspaces.ts';
import { configureUpdate, type Scope } from '../../lambdas/store/counters/counters.ts';
import { checkpoint } from '../../lambdas/store/generations/generation-writes.ts';
import { allowParts } from '../../lambdas/store/counters/parts-allowance.ts';
import { readReports, writeReport } from '../../lambdas/store/statistics/endpoint-health.ts';
import {
  measurementReader,
  STATISTICS_COPIES,
  writeMeasurement,
} from '../../lambdas/store/statistics/endpoint-statistics.ts';
import { writeItem } from '../../lambdas/store/table/calls.ts';
import { put } from '../../lambdas/store/table/writes.ts';
import { freeRequest } from '../support/free-use.ts';
import { holdRequest, outcome } from '../support/spending.ts';
import { onceEach } from './once-each.ts';
import { simulatedTable, type SimulatedTable } from './simulated-table.ts';
import { dice, simulatedTime, type SimulatedTime } from './simulated-time.ts';
import { inSimulatedTime } from './without-waiting.ts';

export interface KeyScenario {
  seconds: number;
  /** Whether many other instances report failures of endpoints. */
  isCrowd?: boolean;
  isFree?: boolean;
  /** Whether a server takes leases for the requests. */
  isLeased?: boolean;
}

export type UnitsByKey = Record<'write' | 'read', ReadonlyMap<string, number>>;

const REQUESTS = 120;
const BATCH = 10;
/** Number of measured endpoints, as in a large catalog. */
const MEASURED_ENDPOINTS = 400;
const CROWD = 64;
const REPORTS_EVERY_MS = 20_000;
const LEASED_A_SECOND = 40;
const START_MS = Date.UTC(2026, 10, 20, 12);
const AT = new Date(START_MS).toISOString();
/** Units do not depend on the duration of calls. */
const NO_DELAYS = { wayMs: 0, transactionMs: 0 };
/** From this duration, a request needs a second step of its hold, and two checkpoints (scale-model.ts). */
const LONG_ANSWER_SECONDS = 15;

/** This number is a part of the payer's ids, so that a run does not use cached data of earlier runs. */
let runs = 0;

export const simulateKeys = onceEach(async (scenario: KeyScenario): Promise<UnitsByKey> => {
  const chance = dice(1);
  const time = simulatedTime(START_MS);
  const table = simulatedTable(time, chance, NO_DELAYS);
  return inSimulatedTime(time, chance, async () => {
    const instance = new Instance(table, time, scenario);
    await time.during(instance.configure());
    const before = { write: new Map(table.load.taken.write), read: new Map(table.load.taken.read) };
    await time.during(instance.run());
    return { write: unitsOf(table, before, 'write'), read: unitsOf(table, before, 'read') };
  });
});

function unitsOf(table: SimulatedTable, before: UnitsByKey, kind: 'write' | 'read'): Map<string, number> {
  const units = new Map<string, number>();
  for (const [partition, taken] of table.load.taken[kind]) {
    const name = beginningOf(partition);
    const more = taken - (before[kind].get(partition) ?? 0);
    units.set(name, (units.get(name) ?? 0) + more / REQUESTS);
  }
  return units;
}

/** Returns the kind of a partition key, which is its beginning: HEALTH#2026-… becomes HEALTH#SLOT. */
function beginningOf(partition: string): string {
  const [first, second = ''] = partition.split('#') as [string, string?];
  if (first === 'HEALTH' || first === 'FREE') return `${first}#${/^\d/.test(second) ? 'SLOT' : second}`;
  return first === 'COUNTER' ? `${first}#${second}` : first;
}

class Instance {
  readonly #table: SimulatedTable;
  readonly #time: SimulatedTime;
  readonly #scenario: KeyScenario;
  readonly #payer: Payer;
  readonly #scopes: Scope[];
  readonly #health: SharedHealth;
  readonly #statistics: ReturnType<typeof openStatistics>;
  readonly #leases = new Leases();
  readonly #ended: Settlement[] = [];
  #reportedAtMs = -Infinity;

  constructor(table: SimulatedTable, time: SimulatedTime, scenario: KeyScenario) {
    this.#table = table;
    this.#time = time;
    this.#scenario = scenario;
    const name = `of run ${++runs}`;
    this.#payer = { accountId: `account ${name}`, workspaceId: `workspace ${name}`, memberId: 'member', keyHash: name };
    this.#scopes = scopesOf(this.#payer).map((scope) => {
      const limits = scope.kind === 'key' ? { lifetime: Money.parse('100000000') } : {};
      return { ...scope, limits, revision: 0 };
    });
    const reports: HealthReports = {
      write: (report, to) => writeReport(table, report, to),
      read: (between) => readReports(table, between),
    };
    this.#health = new SharedHealth({ instance: 'this', reports, nowMs });
    this.#statistics = openStatistics(
      measurementReader(() => table),
      nowMs,
    );
  }

  async configure(): Promise<void> {
    const table = this.#table;
    const { accountId, workspaceId, memberId, keyHash } = this.#payer;
    const common = { accountId, limits: {}, revision: 0, privacy: noPrivacyLimits, version: 1, createdAt: AT };
    const named = { name: 'A name of usual length', ...common };
    const writes = [
      accountPut(table, {
        ...named,
        id: accountId,
        mode: 'postpaid',
        status: undefined,
        defaultWorkspaceId: workspaceId,
        recordsSpreadSince: AT,
      }),
      put(
        table,
        workspaceItem({
          ...named,
          ...noUseLimits,
          id: workspaceId,
          slug: 'a-slug',
          description: '',
          isDefault: true,
          status: 'active',
          limitTimes: {},
          updatedAt: AT,
        }),
      ),
      memberPut(table, {
        ...common,
        ...noUseLimits,
        id: memberId!,
        workspaceId: workspaceId,
        removed: false,
        limitTimes: {},
      }),
      keyPut(table, {
        ...named,
        ...noUseLimits,
        hash: keyHash,
        secretHash: undefined,
        oldSecrets: undefined,
        kind: 'inference',
        workspaceId,
        memberId,
        label: 'sk-mg-v1-abc…def',
        disabled: false,
        deleted: false,
        isStopped: false,
        limit: undefined,
        limitReset: undefined,
        sensitiveData: noSensitiveData,
        expiresAt: undefined,
        tags: undefined,
        updatedAt: undefined,
      }),
      ...this.#scopes.map((scope) =>
        configureUpdate(table, scope, { limits: scope.limits, revision: 0, active: true }),
      ),
    ];
    for (const write of writes) await writeItem(table, write);
    await allowParts(table);
    for (const scope of this.#scopes) await giveParts(table, scope);
    await writeMeasurement(table, {
      measuredAtMs: nowMs(),
      liveProviders: ['provider'],
      copies: STATISTICS_COPIES,
      endpoints: Object.fromEntries(Array.from({ length: MEASURED_ENDPOINTS }, (_, index) => [endpoint(index), SPEED])),
    });
    await findCaller(table, keyHash);
  }

  async run(): Promise<void> {
    const betweenMs = this.#scenario.isLeased ? 1_000 / LEASED_A_SECOND : this.#scenario.seconds * 1_000;
    for (let number = 0; number < REQUESTS; number += 1) {
      if (this.#scenario.isCrowd) await this.#reportFailures();
      await this.#request(number);
      if (this.#ended.length === BATCH) await this.#settle();
      await this.#time.sleep(betweenMs);
    }
    await this.#leases.returnAll();
  }

  async #request(number: number): Promise<void> {
    await Promise.all([
      findCaller(this.#table, this.#payer.keyHash),
      this.#statistics.refresh(),
      this.#scenario.isCrowd ? this.#health.refresh() : undefined,
    ]);
    const spender = { payer: this.#payer, scopes: this.#scopes };
    const more = { atMs: Math.floor(nowMs()) };
    const model = `provider/model-${number % BATCH}`;
    const made = this.#scenario.isFree
      ? freeRequest(spender, { id: 'provider/model:free' }, more)
      : holdRequest(spender, Money.parse('1'), more);
    const request = { ...made, generation: { ...made.generation, id: spreadId(made.generation.id), model } };
    const leases = this.#scenario.isLeased ? { leases: this.#leases, recordsLater: true } : {};
    const result = await placeHold(this.#table, request, leases);
    if ('refused' in result) throw new Error(`The hold was refused: ${result.refused.kind}`);
    await result.recording;
    const placed =
      this.#scenario.seconds < LONG_ANSWER_SECONDS ? result.placed : await this.#extend(request, result.placed);
    const ended = { ...outcome(Money.parse('0.4')), model, endpointId: endpoint(number % BATCH), latencyMs: 700 };
    this.#ended.push({ generationId: request.generation.id, payer: this.#payer, hold: placed.hold, outcome: ended });
  }

  async #extend(request: HoldRequest, placed: PlacedHold): Promise<PlacedHold> {
    const result = await extendHold(this.#table, placed, request);
    if ('refused' in result) throw new Error(`The hold was not extended: ${result.refused.kind}`);
    const { id, payer } = request.generation;
    for (let count = 0; count < 2; count += 1) {
      await checkpoint(this.#table, { accountId: payer.accountId, id }, outcome(Money.parse('0.2')));
    }
    return result.placed;
  }

  async #settle(): Promise<void> {
    const batch = this.#ended.splice(0);
    await settleBatch(this.#table, batch, { swept: false });
    await countOutcomes(this.#table, batch);
  }

  /** Writes as many reports of other instances as a reader reads. */
  async #reportFailures(): Promise<void> {
    const atMs = nowMs();
    if (atMs - this.#reportedAtMs < REPORTS_EVERY_MS) return;
    this.#reportedAtMs = atMs;
    const bins = Array.from({ length: 10 }, (_, index) => ({
      number: Math.floor(atMs / 3_000) - index,
      ok: 1,
      failed: 2,
    }));
    const attempts = { [endpoint(1)]: bins, [endpoint(2)]: bins };
    const instances = Array.from({ length: CROWD }, (_, index) => `instance-${index}`);
    await Promise.all(
      instances.map((instance) =>
        writeReport(this.#table, { instance, publishedAtMs: atMs, attempts }, { isCrowd: true }),
      ),
    );
  }
}

const PERCENTILES = { p50: 1_234.5, p75: 2_345.6, p90: 3_456.7, p99: 4_567.8 };
const SPEED = {
  uptimePercent: { last5m: 99.99, last30m: 99.98, last1d: 99.97 },
  latencyMs: PERCENTILES,
  throughput: PERCENTILES,
};

function endpoint(number: number): string {
  return `provider/model-of-usual-length-${number}`;
}
