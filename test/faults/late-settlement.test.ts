import { afterAll, beforeAll, expect, it } from 'vitest';
import { BacklogWatch } from '../../lambdas/accounting/backlog.ts';
import { sweepHolds } from '../../lambdas/accounting/sweep.ts';
import { Money } from '../../lambdas/money/money.ts';
import { utcDate, windowsAt } from '../../lambdas/money/periods.ts';
import { deadLettersVariable, queueVariable } from '../../lambdas/platform/environment.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { openQueueGauge, type QueueGauge } from '../../lambdas/platform/queues/queue-levels.ts';
import { readCounter } from '../../lambdas/store/counters/counters.ts';
import { generationsOfDay } from '../../lambdas/store/generations/generation-queries.ts';
import type { Generation } from '../../lambdas/store/generations/generation.ts';
import { GENERATION_SHARDS, generationPartitions } from '../../lambdas/store/generations/generation-key.ts';
import { queryPartition } from '../../lambdas/store/table/query.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { startSettlementQueue, type SettlementQueue } from '../support/settlement-queue.ts';
import { holdRequest, newSpender, placeHold, rub, settlement, type Spender } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

const MINUTE_MS = 60_000;
const LIMIT = rub('30');
const HOLD = rub('2');
const INPUT_ESTIMATE = rub('0.1');
/** An hour after this noon, it is still the same day, and all its windows are kept. */
const startMs = Date.parse(`${utcDate(Date.now() - 86_400_000)}T12:00:00.000Z`);

let table: Table;
let queue: SettlementQueue;
let gauge: QueueGauge;
beforeAll(async () => {
  table = await newTable();
  queue = await startSettlementQueue(table);
  gauge = openQueueGauge(queueVariable('finalize-cost'), deadLettersVariable('finalize-cost'));
});
afterAll(() => queue.stop());

/** Costs of generations by id; undefined if the handler ended without a report. */
type Truth = Map<string, Money | undefined>;

it('settlement is late, limits stay strict, and nothing is estimated while its worker is down for an hour', async () => {
  const spenders = await Promise.all(Array.from({ length: 5 }, () => newSpender(table, { key: { daily: LIMIT } })));
  const truths: Truth[] = spenders.map(() => new Map());
  const watch = new BacklogWatch();
  const sweepAt = async (atMs: number) => {
    const { swept, failures } = await sweepHolds(table, {
      nowMs: atMs,
      backlog: watch.look(await gauge.read(), atMs),
    });
    expect(failures).toEqual([]);
    return swept;
  };

  let refused = 0;
  for (let minute = 0; minute < 60; minute += 1) {
    const atMs = startMs + minute * MINUTE_MS;
    // In total, the requests of each key could cost more than its limit.
    for (let index = Math.ceil((minute * 200) / 60); index < ((minute + 1) * 200) / 60; index += 1) {
      const accepted = await ask(spenders[index % 5]!, truths[index % 5]!, atMs, index);
      if (!accepted) refused += 1;
    }
    expect(await sweepAt(atMs)).toBe(0);
    for (const [index, spender] of spenders.entries()) {
      expect(spentFor(truths[index]!).exceeds(LIMIT)).toBe(false);
      expect((await counterOf(spender)).committed.exceeds(LIMIT)).toBe(false);
    }
  }
  expect(refused).toBeGreaterThan(50);

  const worker = await queue.startWorker();
  await expect.poll(() => gauge.read(), { interval: 100 }).toEqual({ waiting: 0, inFlight: 0, dead: 0 });
  await worker.stop();
  const sweptAfter = [60, 61, 62, 63].map((minute) => startMs + (minute + 20) * MINUTE_MS);
  let swept = 0;
  for (const atMs of sweptAfter) swept += await sweepAt(atMs);

  const dead = truths.flatMap((truth) => [...truth.values()].filter((cost) => cost === undefined));
  expect(swept).toBe(dead.length);
  expect(dead.length).toBeGreaterThan(0);
  for (const [index, spender] of spenders.entries()) await expectTrueBooks(spender, truths[index]!);
});

/**
 * Sends a request and its settlement. Every seventh request sends no settlement, as if its process had died.
 * @returns false if the request was refused
 */
async function ask(spender: Spender, truth: Truth, atMs: number, index: number): Promise<boolean> {
  const request = holdRequest(spender, HOLD, { atMs });
  request.generation.sweepAtMs = atMs + 20 * MINUTE_MS;
  try {
    const { hold } = await placeHold(table, request);
    const cost = index % 7 === 3 ? undefined : Money.fromPico(BigInt(1_000 + index) * 987_654_321n);
    truth.set(request.generation.id, cost);
    if (cost) await queue.send(settlement(request, hold, cost));
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 402) return false;
    throw error;
  }
}

const spentFor = (truth: Truth) => Money.sum([...truth.values()].map((cost) => cost ?? INPUT_ESTIMATE));

async function counterOf(spender: Spender, index = 0) {
  const counter = await readCounter(table, spender.scopes[index]!);
  const window = windowsAt(startMs).daily;
  return { spent: counter.spent(window), committed: counter.committed(window) };
}

async function expectTrueBooks(spender: Spender, truth: Truth): Promise<void> {
  const { accountId } = spender.payer;
  const date = utcDate(startMs);
  const generations: Generation[] = [];
  for await (const generation of generationsOfDay(table, accountId, date)) generations.push(generation);
  expect(generations).toHaveLength(truth.size);
  for (const { id, state, swept, outcome } of generations) {
    const cost = truth.get(id);
    expect([state, swept, outcome!.cost.toString()]).toEqual([
      'final',
      cost === undefined,
      (cost ?? INPUT_ESTIMATE).toString(),
    ]);
  }
  for (const [index] of spender.scopes.entries()) {
    const { spent, committed } = await counterOf(spender, index);
    expect([spent.toString(), committed.toString()]).toEqual(Array(2).fill(spentFor(truth).toString()));
  }
  for (let shard = 0; shard < GENERATION_SHARDS; shard += 1) {
    for await (const item of queryPartition(table, generationPartitions({ accountId, date, shard }, false)[0]!)) {
      expect(item['entity']).toBe('generation');
    }
  }
}
