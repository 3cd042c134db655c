import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { accountAlerts, setAlerts } from '../../lambdas/management/alerts.ts';
import { readAudit } from '../../lambdas/store/accounts/audit.ts';
import { rub } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

it('the audit records every setting of alerts, and of the URL only its host', async () => {
  const context = {
    table: await newTable(),
    accountId: randomUUID(),
    actor: { kind: 'operator', id: 'test' } as const,
  };
  const tools = { mails: undefined, urlRules: { allowLoopback: true }, baseUrl: undefined };
  const webhook = { webhookUrl: 'http://127.0.0.1:9/bot12345/sendMessage', format: 'telegram' } as const;
  const owner = accountAlerts(context.accountId);

  await setAlerts(context, owner, { ...webhook, chatId: '-100', lowBalance: rub('500.5') }, tools);
  await setAlerts(context, owner, { ...webhook, chatId: '-200', lowBalancePercent: 20 }, tools);

  const [changed] = await readAudit(context.table, context.accountId, { limit: 1 });
  expect(changed).toMatchObject({
    action: 'alerts.set',
    before: { webhook_host: '127.0.0.1:9', chat_id: '-100', low_balance_rub: '500.5', low_balance_percent: null },
    after: { webhook_host: '127.0.0.1:9', chat_id: '-200', low_balance_rub: null, low_balance_percent: '20' },
  });
  expect(JSON.stringify(changed)).not.toContain('bot12345');
});
