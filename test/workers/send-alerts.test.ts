import { randomUUID } from 'node:crypto';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { deliveriesOf } from '../../lambdas/alerts/publish-notice.ts';
import { testNotice } from '../../lambdas/alerts/test-notice.ts';
import { DAY_MS } from '../../lambdas/money/periods.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import { variables } from '../../lambdas/platform/environment.ts';
import { alertAccountPut } from '../../lambdas/store/alerts/alert-accounts.ts';
import { readAlertSettings } from '../../lambdas/store/alerts/alert-settings.ts';
import { deliveryPut, listDeliveries } from '../../lambdas/store/alerts/deliveries.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { handler } from '../../lambdas/workers/send-alerts/handler.ts';
import { startAlertReceiver, storeAlerts, type AlertReceiver } from '../support/alerts.ts';
import { setEnvironment } from '../support/process-environment.ts';
import { newTable } from '../support/table.ts';

const context = { getRemainingTimeInMillis: () => 180_000, awsRequestId: randomUUID() };

let table: Table;
let receiver: AlertReceiver;
let directory: string;
let putBack: () => void;
beforeAll(async () => {
  [table, receiver] = await Promise.all([newTable(), startAlertReceiver()]);
  directory = mkdtempSync(join(tmpdir(), 'gateway-send-alerts-'));
  writeFileSync(join(directory, 'secrets.json'), JSON.stringify({ pepper: 'p'.repeat(64) }));
  putBack = setEnvironment({
    [variables.tableName]: table.name,
    [variables.dynamodbEndpoint]: inject('dynamodbEndpoint'),
    [variables.secretsFile]: join(directory, 'secrets.json'),
  });
});
afterAll(async () => {
  putBack();
  rmSync(directory, { recursive: true, force: true });
  await receiver.stop();
});

it('send-alerts sends due notices, and checks keys, so that the next run sends their notices', async () => {
  const actor = { kind: 'operator', id: 'test' } as const;
  const { id: accountId } = await createAccount(table, actor, { name: 'Acme', mode: 'postpaid' });
  const owner = { kind: 'account', id: accountId } as const;
  await storeAlerts(table, accountId, owner, { webhookUrl: receiver.url });
  const settings = (await readAlertSettings(table, accountId, owner))!;
  const [delivery] = deliveriesOf(settings, testNotice(settings), Date.now());
  await transact(table, { listed: alertAccountPut(table, accountId), delivery: deliveryPut(table, delivery!) });
  const expiresAt = new Date(Date.now() + DAY_MS / 2).toISOString();
  await createKey({ table, accountId, actor }, 'pepper', { kind: 'management', name: 'ops', expiresAt });

  expect(await handler({}, context)).toEqual({ delivered: 1 });
  expect(await handler({}, context)).toEqual({ delivered: 1 });
  expect(await handler({}, context)).toEqual({ delivered: 0 });

  expect(receiver.received.map(({ type }) => type)).toEqual(['alert.test', 'alert.key.expiring']);
  const states = (await listDeliveries(table, accountId, { limit: 10 })).map(({ state }) => state);
  expect(states).toEqual(['delivered', 'delivered']);
});
