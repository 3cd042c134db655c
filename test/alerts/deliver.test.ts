import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { attemptDelivery } from '../../lambdas/alerts/deliver.ts';
import { deliverDue } from '../../lambdas/alerts/deliver-due.ts';
import { deliveriesOf } from '../../lambdas/alerts/publish-notice.ts';
import { testNotice } from '../../lambdas/alerts/test-notice.ts';
import { newSecretBits } from '../../lambdas/platform/ids.ts';
import { AwsError } from '../../lambdas/platform/aws/aws-call.ts';
import { alertTripwires } from '../../lambdas/platform/logger.ts';
import type { Mail } from '../../lambdas/platform/mails.ts';
import { callbackSecret } from '../../lambdas/platform/secrets/callback-secret.ts';
import { readAlertSettings, type AlertSettings } from '../../lambdas/store/alerts/alert-settings.ts';
import { deliveryPut, deliveryRetry, readDelivery, type AlertDelivery } from '../../lambdas/store/alerts/deliveries.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import {
  alertPepper,
  startAlertReceiver,
  storeAlerts,
  testDeliveryTools,
  type AlertReceiver,
} from '../support/alerts.ts';
import { keepLog } from '../support/log-lines.ts';
import { newTable } from '../support/table.ts';

let table: Table;
let receiver: AlertReceiver;
beforeAll(async () => {
  [table, receiver] = await Promise.all([newTable(), startAlertReceiver()]);
});
afterAll(() => receiver.stop());
beforeEach(() => {
  receiver.received.length = 0;
  receiver.status = 204;
});

async function pending(more: Partial<AlertSettings>): Promise<AlertDelivery[]> {
  const accountId = newSecretBits();
  const owner = { kind: 'account', id: accountId } as const;
  await storeAlerts(table, accountId, owner, more);
  const settings = (await readAlertSettings(table, accountId, owner))!;
  const deliveries = deliveriesOf(settings, testNotice(settings), Date.now());
  await transact(table, Object.fromEntries(deliveries.map((one) => [one.id, deliveryPut(table, one)])));
  return deliveries;
}

const stored = async ({ accountId, id }: AlertDelivery) => (await readDelivery(table, accountId, id))!;

describe('a webhook', () => {
  it('is signed with the secret of the account, and has the id of the delivery', async () => {
    const [delivery] = await pending({ webhookUrl: receiver.url });

    expect(await attemptDelivery(testDeliveryTools(table), delivery!)).toBe('delivered');

    const [alert] = receiver.received;
    const secret = callbackSecret(alertPepper, delivery!.accountId);
    const verified = new Webhook(secret).verify(alert!.body, alert!.headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'alert.test', data: { set_on: 'account' } });
    expect(alert!.id).toBe(`msg_${delivery!.id}`);
    expect(await stored(delivery!)).toMatchObject({ state: 'delivered', attempts: 1, nextAtMs: undefined });
  });

  it('for Slack is a text with Slack’s escapes', async () => {
    const [delivery] = await pending({ webhookUrl: receiver.url, format: 'slack' });

    await attemptDelivery(testDeliveryTools(table), { ...delivery!, text: 'The key "a<b>&c" …' });

    expect(JSON.parse(receiver.received[0]!.body)).toEqual({ text: 'The key "a&lt;b&gt;&amp;c" …' });
  });

  it('for Telegram is a plain text for the chat', async () => {
    const [delivery] = await pending({ webhookUrl: receiver.url, format: 'telegram', chatId: '-100' });

    await attemptDelivery(testDeliveryTools(table), delivery!);

    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ chat_id: '-100', text: delivery!.text });
  });

  it('is posted once if two workers attempt the same delivery', async () => {
    const [delivery] = await pending({ webhookUrl: receiver.url });

    const results = await Promise.all([1, 2].map(() => attemptDelivery(testDeliveryTools(table), delivery!)));

    expect(results.toSorted()).toEqual(['delivered', 'skipped']);
    expect(receiver.received).toHaveLength(1);
  });

  it('is posted again with the same id if its worker died before it recorded the delivery', async () => {
    const [delivery] = await pending({ webhookUrl: receiver.url });
    let calls = 0;
    const dying: Table = {
      ...table,
      async call(...request) {
        calls += request[0] === 'UpdateItem' ? 1 : 0;
        if (calls > 1) throw new Error('killed');
        return (await table.call(...request)) as never;
      },
    };
    await expect(attemptDelivery(testDeliveryTools(dying), delivery!)).rejects.toThrow('killed');

    await deliverDue(testDeliveryTools(table), { deadlineMs: Infinity });
    expect(receiver.received).toHaveLength(1);
    const later = Date.now() + 3 * 60_000;
    await deliverDue(testDeliveryTools(table, { nowMs: () => later }), { deadlineMs: Infinity });

    expect(receiver.received.map(({ id }) => id)).toEqual([`msg_${delivery!.id}`, `msg_${delivery!.id}`]);
    expect(await stored(delivery!)).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it.each([
    { answer: 410, state: 'refused', reason: 'gone' },
    { answer: 500, state: 'pending', reason: 'status 500' },
    { answer: 302, state: 'pending', reason: 'status 302' },
  ])('that is answered with $answer is $state', async ({ answer, state, reason }) => {
    receiver.status = answer;
    const [delivery] = await pending({ webhookUrl: receiver.url });

    await attemptDelivery(testDeliveryTools(table), delivery!);

    expect(await stored(delivery!)).toMatchObject({ state, reason });
  });

  it('is never posted into the network of the gateway', async () => {
    const [delivery] = await pending({ webhookUrl: 'https://169.254.169.254/latest' });

    expect(await attemptDelivery(testDeliveryTools(table), delivery!)).toBe('refused');
    expect(await stored(delivery!)).toMatchObject({ state: 'refused', reason: 'not_public' });

    const [local] = await pending({ webhookUrl: receiver.url });
    expect(await attemptDelivery(testDeliveryTools(table, { webhooks: {} }), local!)).toBe('refused');
    expect(receiver.received).toHaveLength(0);
  });

  it('uses the address of the settings at the time of the attempt', async () => {
    receiver.status = 503;
    const [delivery] = await pending({ webhookUrl: `${receiver.url}/old` });
    await attemptDelivery(testDeliveryTools(table), delivery!);
    const { accountId } = delivery!;
    await storeAlerts(table, accountId, { kind: 'account', id: accountId }, { version: 2, email: 'a@example.com' });

    expect(await attemptDelivery(testDeliveryTools(table), await stored(delivery!))).toBe('refused');
    expect(await stored(delivery!)).toMatchObject({ state: 'refused', reason: 'not configured' });
  });
});

describe('the alarm of the operator', () => {
  const tomorrow = Date.now() + 25 * 3_600_000;
  it.each([
    { channel: 'webhook', error: undefined, isRaised: false },
    { channel: 'email', error: new Error('busy'), isRaised: true },
    { channel: 'email', error: invalidParameter('Invalid parameter: TopicArn'), isRaised: true },
  ])(
    'is raised ($isRaised) if the $channel channel fails for a day with $error',
    async ({ channel, error, isRaised }) => {
      const failing = { subscribe: async () => {}, send: async () => Promise.reject(error) };
      const lines = keepLog();
      receiver.status = 500;
      const [delivery] = await pending(
        channel === 'email' ? { email: 'team@example.com' } : { webhookUrl: receiver.url },
      );

      await attemptDelivery(testDeliveryTools(table, { nowMs: () => tomorrow, mails: failing }), delivery!);

      vi.restoreAllMocks();
      expect(await stored(delivery!)).toMatchObject({ state: 'dead' });
      expect(lines.some(({ message }) => message === alertTripwires.mailsFail)).toBe(isRaised);
    },
  );
});

describe('a delivery that has ended', () => {
  it('is attempted again after a retry, and only then', async () => {
    receiver.status = 410;
    const [delivery] = await pending({ webhookUrl: receiver.url });
    await attemptDelivery(testDeliveryTools(table), delivery!);
    receiver.status = 204;
    const later = Date.now() + 60_000;
    const due = async () => deliverDue(testDeliveryTools(table, { nowMs: () => later }), { deadlineMs: Infinity });
    const arrived = () => receiver.received.filter(({ id }) => id === `msg_${delivery!.id}`);
    await due();
    expect(arrived()).toHaveLength(0);

    await transact(table, { retry: deliveryRetry(table, await stored(delivery!), Date.now()) });
    await due();

    expect(arrived()).toHaveLength(1);
    expect(await stored(delivery!)).toMatchObject({ state: 'delivered' });
  });
});

const invalidParameter = (message: string) => new AwsError(400, { __type: 'InvalidParameter', message });

describe('an e-mail', () => {
  it('has the text of the notice', async () => {
    const mails: Mail[] = [];
    const [delivery] = await pending({ email: 'team@example.com' });
    const sending = { subscribe: async () => {}, send: async (mail: Mail) => void mails.push(mail) };

    expect(await attemptDelivery(testDeliveryTools(table, { mails: sending }), delivery!)).toBe('delivered');

    expect(mails).toEqual([{ to: 'team@example.com', subject: delivery!.subject, text: delivery!.text }]);
  });

  it('is tried again if the service does not accept it', async () => {
    const [delivery] = await pending({ email: 'team@example.com' });
    const failing = { subscribe: async () => {}, send: async () => Promise.reject(new Error('busy')) };

    expect(await attemptDelivery(testDeliveryTools(table, { mails: failing }), delivery!)).toBe('failed');

    expect(await stored(delivery!)).toMatchObject({ state: 'pending', reason: 'Error' });
  });

  it('is not tried again if the service rejects its content', async () => {
    const [delivery] = await pending({ email: 'team@example.com' });
    const error = invalidParameter('Invalid parameter: Subject');
    const failing = { subscribe: async () => {}, send: async () => Promise.reject(error) };

    expect(await attemptDelivery(testDeliveryTools(table, { mails: failing }), delivery!)).toBe('refused');

    expect(await stored(delivery!)).toMatchObject({ state: 'refused', reason: 'InvalidParameter' });
  });
});
