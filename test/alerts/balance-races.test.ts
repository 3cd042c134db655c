import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkBalance } from '../../lambdas/alerts/check-balance.ts';
import { readAlertSettings, type AlertSettings } from '../../lambdas/store/alerts/alert-settings.ts';
import { balanceAlarmPut, readBalanceAlarm, type BalanceLevel } from '../../lambdas/store/alerts/balance-alarm.ts';
import { configureUpdate, settleUpdate } from '../../lambdas/store/counters/counters.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { storeAlerts } from '../support/alerts.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { rub } from '../support/spending.ts';

const { table, faulty, proxy } = await faultyTable();

let accountId: string;
let settings: AlertSettings;
beforeEach(async () => {
  accountId = randomUUID();
  const owner = { kind: 'account', id: accountId } as const;
  await storeAlerts(table, accountId, owner, { webhookUrl: 'https://receiver.example/', lowBalance: rub('20') });
  settings = (await readAlertSettings(table, accountId, owner))!;
  const limits = { lifetime: rub('100') };
  await writeAlone(table, configureUpdate(table, owner, { limits, revision: 1, active: true }));
});

function spend(amount: string): Promise<unknown> {
  const pico = rub(amount).pico;
  return writeAlone(
    table,
    settleUpdate(table, { kind: 'account', id: accountId }, new Map([['spent_lifetime', pico]])),
  );
}

async function putLevel(level: BalanceLevel): Promise<void> {
  const before = await readBalanceAlarm(table, accountId);
  await writeAlone(table, balanceAlarmPut(table, accountId, before, { ...before, level }));
}

/** Runs `meanwhile` just before a call of the check; the first call of the action has number 1. */
async function checkedAround(action: string, number: number, meanwhile: () => Promise<unknown>): Promise<string[]> {
  let calls = 0;
  proxy.before = async (call) => {
    if (call.action === action) calls += 1;
    if (call.action === action && calls === number) await meanwhile();
  };
  const deliveries = await checkBalance(faulty, settings, { refused: undefined, atMs: Date.now() });
  return deliveries.map(({ type }) => type);
}

describe('a check of a balance during another check', () => {
  it('reports that the balance is exhausted, although the other check has just reported that it is low', async () => {
    await spend('100');
    expect(await checkedAround('TransactWriteItems', 1, () => putLevel('low'))).toEqual(['alert.balance.exhausted']);
  });

  it('does not take back a level that the other check has set for a later balance', async () => {
    await spend('10');
    const low = async () => {
      await spend('75');
      await putLevel('low');
    };
    // The check reads first the level, then the balance.
    expect(await checkedAround('GetItem', 2, low)).toEqual([]);

    expect((await readBalanceAlarm(table, accountId)).level).toBe('low');
  });
});
