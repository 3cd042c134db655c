import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../lambdas/accounting/settlement.ts';
import { decodeAlertCheck } from '../../lambdas/store/alerts/alert-check.ts';
import { checkPayer } from '../../lambdas/alerts/check-payer.ts';
import { CheckRequests } from '../../lambdas/alerts/check-requests.ts';
import { attemptDelivery } from '../../lambdas/alerts/deliver.ts';
import { deliverDue } from '../../lambdas/alerts/deliver-due.ts';
import { hasAlertSettings } from '../../lambdas/store/alerts/alert-settings.ts';
import { listDeliveries } from '../../lambdas/store/alerts/deliveries.ts';
import { readCounter } from '../../lambdas/store/counters/counters.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { startAlertReceiver, storeAlerts, testDeliveryTools, type AlertReceiver } from '../support/alerts.ts';
import { randomFrom } from '../support/random.ts';
import { holdRequest, newSpender, placeHold, rub, settlement, type Spender } from '../support/spending.ts';
import { newTable } from '../support/table.ts';
import { newRuledTable, type RuledTable } from '../support/table-rules/ruled-table.ts';
import { keepLog } from '../support/log-lines.ts';

const MINUTE_MS = 60_000;

let table: Table;
let ruled: RuledTable;
let receiver: AlertReceiver;
beforeAll(async () => {
  table = await newTable();
  ruled = await newRuledTable({ transactionMs: 0 }, table);
  receiver = await startAlertReceiver();
});
afterAll(async () => {
  await ruled.stop();
  await receiver.stop();
});
beforeEach(() => {
  keepLog();
  receiver.received.length = 0;
  receiver.status = 204;
  receiver.refused = 0;
});

afterEach(() => vi.restoreAllMocks());

class KilledError extends Error {
  override name = 'KilledError';
}

/** The table of a process that is killed before a random call, or after it and before the reply. */
function doomedTable(of: Table, random: () => number, share: number): Table {
  let isDead = false;
  const mayDie = () => {
    isDead ||= random() < share;
    if (isDead) throw new KilledError();
  };
  const call: Table['call'] = async (...request) => {
    mayDie();
    const reply = await of.call(...request);
    mayDie();
    return reply as never;
  };
  return { ...of, call };
}

/**
 * Delivers messages with SQS's guarantees: each message at least once, in any order. A batch whose process was killed
 * is delivered again.
 */
async function work(
  messages: string[],
  random: () => number,
  process: (batch: string[]) => Promise<void>,
): Promise<{ kills: number }> {
  const run = { kills: 0 };
  const consume = async () => {
    while (messages.length > 0) {
      const batch = messages.splice(Math.floor(random() * messages.length), 10);
      if (random() < 0.2) messages.push(...batch);
      try {
        await process(batch);
      } catch {
        run.kills += 1;
        messages.push(...batch);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, consume));
  return run;
}

async function heldRequests(spender: Spender, amounts: string[]): Promise<Settlement[]> {
  const settlements: Settlement[] = [];
  for (let start = 0; start < amounts.length; start += 50) {
    const batch = amounts.slice(start, start + 50).map(async (amount) => {
      const request = holdRequest(spender, rub(amount));
      const { hold } = await placeHold(table, request);
      return settlement(request, hold, rub(amount));
    });
    settlements.push(...(await Promise.all(batch)));
  }
  return settlements;
}

const thresholdsOf = () =>
  receiver.received.map(
    ({ data }) => `${data['scope'] as string} ${data['interval'] as string} ${data['threshold_percent'] as number}`,
  );

describe('alerts under kills, duplicate messages and lost replies', () => {
  it('send one webhook for each threshold and window, for 1,000 settlements at once', async () => {
    const random = randomFrom(7);
    const spender = await newSpender(table, { key: { daily: rub('100') }, workspace: { monthly: rub('150') } });
    const { payer } = spender;
    const owner = { kind: 'account', id: payer.accountId } as const;
    await storeAlerts(table, payer.accountId, owner, { webhookUrl: receiver.url });
    const settlements = await heldRequests(
      spender,
      Array.from({ length: 1_000 }, () => '0.1'),
    );
    const byId = new Map(settlements.map((one) => [one.generationId, one]));

    // The settling processes request checks through a queue that loses replies.
    const checks: string[] = [];
    const killed = await work([...byId.keys()], random, async (batch) => {
      const process = doomedTable(table, random, 0.02);
      const results = await settleBatch(
        process,
        batch.map((id) => byId.get(id)!),
        { swept: false },
      );
      if (results.some((result) => result instanceof Error)) throw new KilledError();
      const requests = new CheckRequests({
        hasSettings: (accountId) => hasAlertSettings(process, accountId),
        queue: () => ({
          async send(body) {
            if (random() < 0.1) throw new KilledError();
            checks.push(body);
            if (random() < 0.1) throw new KilledError();
          },
        }),
      });
      await requests.request(batch.map((id) => byId.get(id)!));
    });
    expect(killed.kills).toBeGreaterThan(10);
    const spent = (await readCounter(table, { kind: 'key', id: payer.keyHash })).spent('lifetime');
    expect(spent.toString()).toBe('100');

    // The checking processes deliver no notices.
    await ruled.inTrouble(() =>
      work(checks, random, async (batch) => {
        const process = doomedTable(ruled.table, random, 0.05);
        for (const body of new Set(batch)) await checkPayer(process, decodeAlertCheck(body), Date.now());
      }),
    );
    // Several workers send due notices concurrently, three times.
    const tools = testDeliveryTools(table);
    for (let run = 0; run < 3; run += 1)
      await Promise.all([1, 2, 3].map(() => deliverDue(tools, { deadlineMs: Infinity })));

    const sent = thresholdsOf();
    expect(new Set(sent).size).toBe(sent.length);
    expect(sent).toContain('key daily 100');
    expect(sent.filter((one) => one.startsWith('workspace'))).toEqual(['workspace monthly 50']);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(sent.length);
    expect((await listDeliveries(table, payer.accountId, { limit: 100 })).map(({ state }) => state)).toEqual(
      sent.map(() => 'delivered'),
    );
  });

  it('send every threshold of a spending that rises slowly, each once', async () => {
    const spender = await newSpender(table, { key: { daily: rub('100') } });
    const { payer } = spender;
    await storeAlerts(table, payer.accountId, { kind: 'key', id: payer.keyHash }, { webhookUrl: receiver.url });
    const settlements = await heldRequests(
      spender,
      Array.from({ length: 20 }, () => '5'),
    );

    for (const one of settlements) {
      await settleBatch(table, [one], { swept: false });
      const check = { payer, date: new Date().toISOString().slice(0, 10) };
      const due = await Promise.all([1, 2, 3].map(() => checkPayer(table, check, Date.now())));
      await Promise.all(due.flat().map((delivery) => attemptDelivery(testDeliveryTools(table), delivery)));
    }

    expect(thresholdsOf()).toEqual([50, 80, 95, 100].map((threshold) => `key daily ${threshold}`));
  });
});

describe('a receiver that is down', () => {
  it('gets each notice once when it works again after an hour', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') }, member: { weekly: rub('100') } });
    const { payer } = spender;
    await storeAlerts(table, payer.accountId, { kind: 'account', id: payer.accountId }, { webhookUrl: receiver.url });
    let atMs = Date.now();
    const tools = testDeliveryTools(table, { nowMs: () => atMs });
    const check = { payer, date: new Date().toISOString().slice(0, 10) };
    receiver.status = 503;
    for (const one of await heldRequests(spender, ['6', '2.5', '1.4'])) {
      await settleBatch(table, [one], { swept: false });
      const due = await checkPayer(table, check, atMs);
      expect(due).toHaveLength(1);
      await Promise.all(due.map((delivery) => attemptDelivery(tools, delivery)));
    }

    const minute = async () => {
      atMs += MINUTE_MS;
      await deliverDue(tools, { deadlineMs: Infinity });
    };
    for (let minutes = 0; minutes < 60; minutes += 1) await minute();
    expect(receiver.received).toHaveLength(0);
    expect(receiver.refused).toBeGreaterThan(3 * 5);
    receiver.status = 204;
    for (let minutes = 0; minutes < 16; minutes += 1) await minute();

    expect(thresholdsOf().toSorted()).toEqual(['key daily 50', 'key daily 80', 'key daily 95']);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3);
  });

  it('gets no more attempts of a delivery after a day', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') } });
    const { payer } = spender;
    await storeAlerts(table, payer.accountId, { kind: 'account', id: payer.accountId }, { webhookUrl: receiver.url });
    const [one] = await heldRequests(spender, ['6']);
    await settleBatch(table, [one!], { swept: false });
    let atMs = Date.now();
    const tools = testDeliveryTools(table, { nowMs: () => atMs });
    await checkPayer(table, { payer, date: new Date().toISOString().slice(0, 10) }, atMs);
    receiver.status = 500;

    for (let quarters = 0; quarters < 25 * 4; quarters += 1) {
      await deliverDue(tools, { deadlineMs: Infinity });
      atMs += 15 * MINUTE_MS;
    }

    const [delivery] = await listDeliveries(table, payer.accountId, { limit: 1 });
    expect(delivery).toMatchObject({ state: 'dead', reason: 'status 500', nextAtMs: undefined });
  });
});
