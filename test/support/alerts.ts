import { createServer, type IncomingMessage } from 'node:http';
import type { DeliveryTools } from '../../lambdas/alerts/deliver.ts';
import { alertSettingsPut, type AlertOwner, type AlertSettings } from '../../lambdas/store/alerts/alert-settings.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { listen } from './listen.ts';

interface ReceivedAlert {
  id: string;
  type: string;
  data: Record<string, unknown>;
  body: string;
  headers: IncomingMessage['headers'];
}

export interface AlertReceiver {
  url: string;
  received: ReceivedAlert[];
  /** Status of the next responses; only notices with a success status are in `received`. */
  status: number;
  refused: number;
  stop: () => Promise<void>;
}

export async function startAlertReceiver(): Promise<AlertReceiver> {
  const receiver: AlertReceiver = { url: '', received: [], status: 204, refused: 0, stop: async () => {} };
  const server = await listen(
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        const { type = '', data = {} } = JSON.parse(body) as Partial<ReceivedAlert>;
        const { headers } = request;
        if (receiver.status < 300)
          receiver.received.push({ id: headers['webhook-id'] as string, type, data, body, headers });
        else receiver.refused += 1;
        response.writeHead(receiver.status).end();
      });
    }),
  );
  return Object.assign(receiver, server);
}

/** Stores alert settings, with defaults for the fields that `more` lacks. */
export async function storeAlerts(
  table: Table,
  accountId: string,
  owner: AlertOwner,
  more: Partial<AlertSettings>,
): Promise<void> {
  const settings: AlertSettings = {
    accountId,
    ownerKind: owner.kind,
    ownerId: owner.id,
    thresholds: [50, 80, 95, 100],
    webhookUrl: undefined,
    format: 'standard',
    chatId: undefined,
    email: undefined,
    baseUrl: 'https://gateway.example/v1',
    lowBalance: undefined,
    lowBalancePercent: undefined,
    version: 1,
    updatedAt: new Date().toISOString(),
    ...more,
  };
  await transact(table, { settings: alertSettingsPut(table, settings) });
}

export const alertPepper = 'pepper of alerts';

/** Delivery tools that may send webhooks to this machine, and send no e-mails by default. */
export function testDeliveryTools(table: Table, more: Partial<DeliveryTools> = {}): DeliveryTools {
  return {
    table,
    readPepper: async () => alertPepper,
    mails: undefined,
    nowMs: () => Date.now(),
    webhooks: { allowLoopback: true },
    ...more,
  };
}
