/**
 * Simulates several concurrent workers that settle requests of one account, of which there are always more. Only time,
 * chance and the table are simulated.
 */

import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../lambdas/accounting/settlement.ts';
import { spreadId } from '../../lambdas/platform/ids.ts';
import { Money } from '../../lambdas/money/money.ts';
import { configureUpdate, readCounter, type ScopeId } from '../../lambdas/store/counters/counters.ts';
import { pendingPut } from '../../lambdas/store/generations/generation-writes.ts';
import { writeItem } from '../../lambdas/store/table/calls.ts';
import { allowParts } from '../../lambdas/store/counters/parts-allowance.ts';
import { holdRequest, outcome, type Spender } from '../support/spending.ts';
import { onceEach } from './once-each.ts';
import { simulatedTable, type SimulatedTable } from './simulated-table.ts';
import { dice, simulatedTime } from './simulated-time.ts';
import { inSimulatedTime } from './without-waiting.ts';

export interface SettlementScenario {
  seed: number;
  /** Number of batches that are settled at the same time. */
  workers: number;
  /** Number of keys of one workspace over which the requests are spread. */
  keys: number;
  /** If true, each request holds money of the account and of its workspace. */
  isLimited: boolean;
  seconds: number;
}

export interface Settled {
  perSecond: number;
  /** Share of conflicts among transactions. */
  conflicts: number;
  /** Spending according to the account's counter, including its parts. */
  counted: string;
  settled: string;
}

const BATCH = 10;
/**
 * Average time in ms of a worker between two batches, for receiving messages, counting outcomes, and returning
 * messages.
 */
const BETWEEN_MS = 10;
/** DynamoDB does not document how long a transaction locks an item. */
const DELAYS = { wayMs: 2, transactionMs: 8 };
/** Time before the measurement, in which the first conflicts cause the counters to be split into parts. */
const BEGINNING_MS = 1_000;
const START_MS = Date.UTC(2026, 10, 20, 12);

const COST = Money.parse('0.01');
const HOLD = Money.parse('1');

export const simulateSettlement = onceEach(async (scenario: SettlementScenario): Promise<Settled> => {
  const { seed, workers, seconds } = scenario;
  const chance = dice(seed);
  const time = simulatedTime(START_MS);
  const table = simulatedTable(time, chance, DELAYS);
  const untilMs = START_MS + BEGINNING_MS + seconds * 1_000;
  return inSimulatedTime(time, chance, async () => {
    const source = new Settlements(table, scenario);
    await time.during(source.configure());
    let settled = 0;
    let measured = 0;
    const work = async () => {
      while (time.nowMs() < untilMs) {
        const batch = await source.next();
        const results = await settleBatch(table, batch, { swept: false });
        const done = results.filter((result) => result === 'settled').length;
        settled += done;
        if (time.nowMs() >= START_MS + BEGINNING_MS && time.nowMs() < untilMs) measured += done;
        await time.sleep(BETWEEN_MS * (0.5 + chance()));
      }
    };
    await time.during(Promise.all(Array.from({ length: workers }, work)));
    const counter = await time.during(readCounter(table, source.account));
    const { done, conflicts } = table.transactions;
    return {
      perSecond: measured / seconds,
      conflicts: conflicts / (done + conflicts),
      counted: counter.spent('lifetime').toString(),
      settled: COST.times(settled).toString(),
    };
  });
});

/** This number is a part of names, so that a run does not use cached data about the counters of earlier runs. */
let runs = 0;

/** Endless supply of ended requests of one account with spread records. */
class Settlements {
  readonly account: ScopeId;
  readonly #table: SimulatedTable;
  readonly #scenario: SettlementScenario;
  readonly #name: string;
  #count = 0;

  constructor(table: SimulatedTable, scenario: SettlementScenario) {
    this.#table = table;
    this.#scenario = scenario;
    this.#name = `of run ${++runs}`;
    this.account = { kind: 'account', id: `account ${this.#name}` };
  }

  async configure(): Promise<void> {
    await allowParts(this.#table);
    const limits = this.#scenario.isLimited ? { lifetime: Money.parse('1000000') } : {};
    await writeItem(this.#table, configureUpdate(this.#table, this.account, { limits, revision: 0, active: true }));
  }

  async next(): Promise<Settlement[]> {
    const settlements: Settlement[] = [];
    for (let index = 0; index < BATCH; index += 1) settlements.push(this.#one());
    await Promise.all(
      settlements.map(({ generationId, payer, hold }) => {
        const { generation } = holdRequest({ payer, scopes: [] }, HOLD, { atMs: START_MS });
        return writeItem(this.#table, pendingPut(this.#table, { ...generation, id: generationId, hold }));
      }),
    );
    return settlements;
  }

  #one(): Settlement {
    this.#count += 1;
    const { keys, isLimited } = this.#scenario;
    const payer: Spender['payer'] = {
      accountId: this.account.id,
      workspaceId: `workspace ${this.#name}`,
      memberId: 'member',
      keyHash: `key ${this.#count % keys} ${this.#name}`,
    };
    const { generation } = holdRequest({ payer, scopes: [] }, HOLD, { atMs: START_MS });
    const scopes: Settlement['hold']['scopes'] = isLimited ? ['workspace', 'account'] : [];
    const hold = { amount: HOLD, steps: 1, scopes, serviceHolds: [], rateHolds: [] };
    return { generationId: spreadId(generation.id), payer, hold, outcome: outcome(COST) };
  }
}
