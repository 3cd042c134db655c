import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeRollUp } from '../../lambdas/accounting/roll-up.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import { queueVariable } from '../../lambdas/platform/environment.ts';
import { DUE_AT_ONCE_MS, readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { checkpoint } from '../../lambdas/store/generations/generation-writes.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { decodeJobMessage } from '../../lambdas/inference/jobs/message.ts';
import { handler } from '../../lambdas/workers/sweep-holds/handler.ts';
import { receive } from '../../lib/local/queues.ts';
import { startSettlementQueue, type SettlementQueue } from '../support/settlement-queue.ts';
import { holdRequest, newSpender, outcome, placeHold, rub, settlement, type Spender } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let table: Table;
let queue: SettlementQueue;
let spender: Spender;
beforeAll(async () => {
  table = await newTable();
  queue = await startSettlementQueue(table);
});
afterAll(() => queue.stop());

/** Each test uses another day, so that the sweep ignores earlier observations of the queue. */
let startMs = Date.now();
beforeEach(async () => {
  startMs += DAY_MS;
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  spender = await newSpender(table, { key: { lifetime: rub('100') } });
});
afterEach(() => {
  vi.useRealTimers();
});

const sweep = (event: Parameters<typeof handler>[0] = {}, remainingMs = 60_000) =>
  handler(event, { getRemainingTimeInMillis: () => remainingMs });

/** Runs sweeps a minute apart until the queue counts as empty. Returns the number of holds that each one settled. */
async function sweepUntilBelieved(): Promise<number[]> {
  const swept: number[] = [];
  for (let minute = 1; minute <= 3; minute += 1) {
    vi.setSystemTime(Date.now() + MINUTE_MS);
    swept.push((await sweep()).swept);
  }
  return swept;
}

/** Places a hold whose handler has ended. */
async function deadHold(more: { atMs?: number; bootId?: string } = {}) {
  const request = holdRequest(spender, rub('2'), more);
  const { hold } = await placeHold(table, request);
  return { request, hold, id: request.generation.id };
}

const stateOf = async ({ id }: { id: string }) => (await readGeneration(table, spender.payer.accountId, id))!.state;

describe('a scheduled sweep', () => {
  it('settles an abandoned hold only after the queue counts as empty', async () => {
    const hold = await deadHold();

    expect(await sweepUntilBelieved()).toEqual([0, 0, 1]);

    expect(await stateOf(hold)).toBe('final');
  });

  it('resumes the job of a video with one message, also if it runs twice, and keeps the hold', async () => {
    const request = holdRequest(spender, rub('2'), { bootId: 'dead' });
    request.generation.apiType = 'video';
    await placeHold(table, request);

    await sweep({ deadBootIds: ['dead'] });
    await sweep({ deadBootIds: ['dead'] });

    const messages = await receive(queue.sqs, queue.videosUrl, 0);
    expect(messages.map(({ Body }) => decodeJobMessage(Body!))).toEqual([
      { accountId: spender.payer.accountId, id: request.generation.id, isNotice: false },
    ]);
    expect(await stateOf(request.generation)).toBe('pending');
  });

  it('settles a hold with a complete measurement at once', async () => {
    const hold = await deadHold();
    const of = { accountId: spender.payer.accountId, id: hold.id };
    await checkpoint(table, of, outcome(rub('1.5')), DUE_AT_ONCE_MS);

    await sweep();

    expect(await stateOf(hold)).toBe('final');
  });

  it('keeps an abandoned hold while a message waits in the queue', async () => {
    const hold = await deadHold();
    const waiting = await deadHold();
    await queue.send(settlement(waiting.request, waiting.hold, rub('1')));

    expect(await sweepUntilBelieved()).toEqual([0, 0, 0]);

    expect(await stateOf(hold)).toBe('pending');
    // The message is removed for the tests after this one.
    expect(await receive(queue.sqs, queue.url, 0)).toHaveLength(1);
  });

  it('queues the day of a settled hold after that day has ended', async () => {
    const yesterdayMs = startMs - DAY_MS;
    const hold = await deadHold({ atMs: yesterdayMs, bootId: 'dead' });

    await sweep({ deadBootIds: ['dead'] });

    const messages = await receive(queue.sqs, queue.rollUpUrl, 0);
    // The sweep may also have settled holds of other tests, whose days have ended.
    const own = messages
      .map(({ Body }) => decodeRollUp(Body!))
      .filter(({ accountId }) => accountId === spender.payer.accountId);
    expect(own).toMatchObject([{ date: utcDate(yesterdayMs) }]);
    expect(await stateOf(hold)).toBe('final');
  });
});

describe('the sweep of a starting gateway', () => {
  it('settles the holds of its ended predecessors at once, and no others', async () => {
    const [dead, alive] = [await deadHold({ bootId: 'dead' }), await deadHold({ bootId: 'alive' })];

    expect(await sweep({ deadBootIds: ['dead'] })).toEqual({ swept: 1 });

    expect([await stateOf(dead), await stateOf(alive)]).toEqual(['final', 'pending']);
  });

  it('starts nothing if no time is left', async () => {
    const hold = await deadHold({ bootId: 'dead' });

    expect(await sweep({ deadBootIds: ['dead'] }, 15_000)).toEqual({ swept: 0 });

    expect(await stateOf(hold)).toBe('pending');
  });
});

describe('a sweep with a failure', () => {
  it('does everything else before it throws, and treats an unreachable queue as a queue with messages', async () => {
    vi.resetModules();
    vi.stubEnv(queueVariable('finalize-cost'), `${queue.url}-elsewhere`);
    const fresh = await import('../../lambdas/workers/sweep-holds/handler.ts');
    const [complete, due] = [await deadHold(), await deadHold()];
    const of = { accountId: spender.payer.accountId, id: complete.id };
    await checkpoint(table, of, outcome(rub('1.5')), DUE_AT_ONCE_MS);
    vi.setSystemTime(Date.now() + 10 * MINUTE_MS);

    const lines = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const sweeping = fresh.handler({}, { getRemainingTimeInMillis: () => MINUTE_MS });

    await expect(sweeping).rejects.toThrow('The sweep had 1 failures');
    const logged = lines.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('sweep failed'));
    lines.mockRestore();
    expect(logged.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        worker: 'sweep-holds',
        count: 1,
        reason: expect.stringMatching(/QueueDoesNotExist|NonExistentQueue/) as string,
      },
    ]);
    expect([await stateOf(complete), await stateOf(due)]).toEqual(['final', 'pending']);
    vi.unstubAllEnvs();
  });
});
