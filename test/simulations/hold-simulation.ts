/**
 * Simulates requests of one limited key, each of which holds money, takes a second, and is settled. Only time, chance
 * and the table are simulated. All requests run in one process, so they share cached data about the key's counter.
 */

import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../lambdas/accounting/settlement.ts';
import { placeHold } from '../../lambdas/admission/hold.ts';
import { Leases } from '../../lambdas/admission/leases.ts';
import { Money } from '../../lambdas/money/money.ts';
import { configureUpdate, readCounter, type Scope } from '../../lambdas/store/counters/counters.ts';
import { writeItem } from '../../lambdas/store/table/calls.ts';
import { allowParts } from '../../lambdas/store/counters/parts-allowance.ts';
import { holdRequest, outcome } from '../support/spending.ts';
import { onceEach } from './once-each.ts';
import { simulatedTable, type SimulatedTable } from './simulated-table.ts';
import { dice, simulatedTime, type SimulatedTime } from './simulated-time.ts';
import { inSimulatedTime } from './without-waiting.ts';

export interface HoldScenario {
  seed: number;
  /** Average number of requests per second, which arrive at random times. */
  perSecond: number;
  seconds: number;
  /** Whether a busy counter may be stored in parts. */
  hasParts: boolean;
  /** Number of servers that share the requests and take leases. If it is absent, each request is held separately. */
  servers?: number;
  /** Whether the limit is daily and the measurement begins at midnight. */
  isMidnight?: boolean;
}

export interface Held {
  /** Share of requests that were refused because the counter was busy. */
  refused: number;
  /** Median and 95th percentile of the time to hold in ms. */
  p50Ms: number;
  p95Ms: number;
  /** Spending according to the key's counter, including its parts, and the sum of the settled costs. */
  counted: string;
  settled: string;
  /** Amount that is held after all requests have ended. */
  held: string;
}

const DELAYS = { wayMs: 2, transactionMs: 8 };
/** Time before the measurement, in which the first conflicts cause the counter to be split into parts. */
const BEGINNING_MS = 1_000;
const NOON_MS = Date.UTC(2026, 10, 20, 12);
const MIDNIGHT_MS = Date.UTC(2026, 10, 21);
const ANSWER_MS = 1_000;
const WORKERS = 8;
const BATCH = 10;
const WORK_EVERY_MS = 10;

const LIMIT = Money.parse('1000000');
const HOLD = Money.parse('1');
const COST = Money.parse('0.4');

/** This number is a part of names, so that a run does not use cached data about the counters of earlier runs. */
let runs = 0;

export const simulateHolds = onceEach(async (scenario: HoldScenario): Promise<Held> => {
  const chance = dice(scenario.seed);
  const time = simulatedTime(scenario.isMidnight ? MIDNIGHT_MS - BEGINNING_MS : NOON_MS);
  const table = simulatedTable(time, chance, DELAYS);
  return inSimulatedTime(time, chance, async () => {
    const traffic = new Traffic(table, time, chance, scenario);
    await time.during(traffic.configure());
    await time.during(traffic.run());
    return time.during(traffic.result());
  });
});

class Traffic {
  readonly #table: SimulatedTable;
  readonly #time: SimulatedTime;
  readonly #chance: () => number;
  readonly #scenario: HoldScenario;
  readonly #key: Scope;
  readonly #ended: Settlement[] = [];
  readonly #waitedMs: number[] = [];
  #refused = 0;
  #running = 0;
  #settled = 0;
  #hasCome = false;
  readonly #startMs: number;
  readonly #servers: Leases[];

  constructor(table: SimulatedTable, time: SimulatedTime, chance: () => number, scenario: HoldScenario) {
    this.#table = table;
    this.#time = time;
    this.#chance = chance;
    this.#scenario = scenario;
    this.#startMs = time.nowMs();
    const limits = scenario.isMidnight ? { daily: LIMIT } : { lifetime: LIMIT };
    this.#key = { kind: 'key', id: `limited in run ${++runs}`, limits, revision: 0 };
    this.#servers = Array.from({ length: scenario.servers ?? 0 }, () => new Leases());
  }

  async configure(): Promise<void> {
    if (this.#scenario.hasParts) await allowParts(this.#table);
    const { limits, revision } = this.#key;
    await writeItem(this.#table, configureUpdate(this.#table, this.#key, { limits, revision, active: true }));
  }

  async run(): Promise<void> {
    const working = Array.from({ length: WORKERS }, () => this.#settle());
    const untilMs = this.#startMs + BEGINNING_MS + this.#scenario.seconds * 1_000;
    while (this.#time.nowMs() < untilMs) {
      void this.#request();
      await this.#time.sleep((-Math.log(1 - this.#chance()) * 1_000) / this.#scenario.perSecond);
    }
    this.#hasCome = true;
    await Promise.all(working);
    await Promise.all(this.#servers.map((leases) => leases.returnAll()));
  }

  async result(): Promise<Held> {
    const counter = await readCounter(this.#table, this.#key);
    const [spent, committed] = [counter.spent('lifetime'), counter.committed('lifetime')];
    const sorted = this.#waitedMs.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)]!;
    return {
      refused: this.#refused / (this.#refused + sorted.length),
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      counted: spent.toString(),
      settled: COST.times(this.#settled).toString(),
      held: committed.minus(spent).toString(),
    };
  }

  async #request(): Promise<void> {
    this.#running += 1;
    const cameMs = this.#time.nowMs();
    const isMeasured = cameMs >= this.#startMs + BEGINNING_MS;
    const request = holdRequest({ payer: this.#payer(), scopes: [this.#key] }, HOLD, { atMs: Math.floor(cameMs) });
    const { length } = this.#servers;
    const leases = length > 0 ? this.#servers[Math.floor(this.#chance() * length)] : undefined;
    const placing = placeHold(this.#table, request, leases && { leases, recordsLater: true });
    const result = await placing.catch(() => ({ refused: { kind: 'busy' } }) as const);
    if (isMeasured && 'placed' in result) this.#waitedMs.push(this.#time.nowMs() - cameMs);
    if (isMeasured && 'refused' in result) this.#refused += 1;
    if ('placed' in result) {
      await this.#time.sleep(ANSWER_MS);
      const { id: generationId, payer } = request.generation;
      this.#ended.push({ generationId, payer, hold: result.placed.hold, outcome: outcome(COST) });
    }
    this.#running -= 1;
  }

  async #settle(): Promise<void> {
    while (!this.#hasCome || this.#running > 0 || this.#ended.length > 0) {
      const batch = this.#ended.splice(0, BATCH);
      if (batch.length > 0) {
        const results = await settleBatch(this.#table, batch, { swept: false });
        this.#settled += results.filter((result) => result === 'settled').length;
        // Requests that could not be settled are delivered again.
        this.#ended.push(...batch.filter((_, index) => results[index] instanceof Error));
      }
      await this.#time.sleep(WORK_EVERY_MS * (0.5 + this.#chance()));
    }
  }

  /** Returns the payer of a request. Only the key has a limit: there are many accounts, workspaces and members. */
  #payer() {
    const name = `${this.#key.id}, ${this.#running % 100}`;
    return { accountId: name, workspaceId: name, memberId: name, keyHash: this.#key.id };
  }
}
