import { beforeAll, describe, expect, it } from 'vitest';
import { accountAlerts, setAlerts, type AlertsInput } from '../../lambdas/management/alerts.ts';
import { maskedWebhookUrl } from '../../lambdas/management/webhook-secrets.ts';
import { readAlertSettings } from '../../lambdas/store/alerts/alert-settings.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { newTable } from '../support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await newTable();
});

const TELEGRAM = 'https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendMessage';
const MASKED = 'https://api.telegram.org/bot123456789:…saw/sendMessage';

describe('the masked URL of a webhook', () => {
  it.each([
    { format: 'telegram', webhookUrl: TELEGRAM, masked: MASKED },
    {
      format: 'telegram',
      webhookUrl: 'https://proxy.example/x/botSECRET/send?a=1&token=',
      masked: 'https://proxy.example/…?a=…&token=',
    },
    {
      format: 'telegram',
      webhookUrl: 'https://proxy.example/botproxy/bot123:TOKEN/send',
      masked: 'https://proxy.example/botproxy/bot123:…/send',
    },
    {
      format: 'telegram',
      webhookUrl: 'https://proxy.example/bots/bot123%3aTOKEN:OF:THE:BOT/',
      masked: 'https://proxy.example/bots/bot123%3a…BOT/',
    },
    {
      format: 'slack',
      webhookUrl: 'https://hooks.slack.com/services/T0/B0/LONG-SECRET-KEY',
      masked: 'https://hooks.slack.com/services/T0/…/…KEY',
    },
    {
      format: 'slack',
      webhookUrl: 'https://discord.com/api/webhooks/123/LONG-TOKEN-ABC/slack',
      masked: 'https://discord.com/api/webhooks/…/…ABC/…',
    },
    {
      format: 'slack',
      webhookUrl: 'https://proxy.example/LONG-SECRET-KEY/?LONG-TOKEN-ABC&a=b/c#SECRET',
      masked: 'https://proxy.example/…KEY/?…ABC&a=…#…',
    },
    { format: 'slack', webhookUrl: 'https://proxy.example/SECRET//', masked: 'https://proxy.example/…//' },
    {
      format: 'slack',
      webhookUrl: 'https://proxy.example/LONG-SECRET-KEY/slack?token=SECRET',
      masked: 'https://proxy.example/…KEY/…?token=…',
    },
    { format: 'standard', webhookUrl: 'https://example.com/alerts', masked: 'https://example.com/alerts' },
    { format: 'standard', webhookUrl: 'https://example.com', masked: 'https://example.com' },
    {
      format: 'standard',
      webhookUrl: 'https://user:pass@example.com/alerts?token=SECRET&to=',
      masked: 'https://…@example.com/alerts?token=…&to=',
    },
  ] as const)('of $format is $masked', ({ masked, ...webhook }) => {
    expect(maskedWebhookUrl(webhook)).toBe(masked);
  });

  it('keeps the stored URL, but only in the stored format', async () => {
    const accountId = 'acme';
    const context = { table, accountId, actor: { kind: 'operator', id: 'test' } } as const;
    const tools = { mails: undefined, urlRules: { lookup: async () => [] }, baseUrl: undefined };
    const set = (input: AlertsInput) => setAlerts(context, accountAlerts(accountId), input, tools);
    await set({ format: 'telegram', chatId: '1', webhookUrl: TELEGRAM });

    await set({ format: 'telegram', chatId: '2', webhookUrl: MASKED });

    const stored = await readAlertSettings(table, accountId, accountAlerts(accountId).owner);
    expect(stored).toMatchObject({ chatId: '2', webhookUrl: TELEGRAM });
    for (const input of [
      { webhookUrl: MASKED },
      { format: 'telegram', chatId: '2', webhookUrl: MASKED.replace('saw', 'xyz') },
    ] as const) {
      await expect(set(input)).rejects.toMatchObject({ status: 400, metadata: { field: 'webhook_url' } });
    }
  });
});
