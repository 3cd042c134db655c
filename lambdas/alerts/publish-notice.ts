import { DAY_MS } from '../money/periods.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { AlertSettings } from '../store/alerts/alert-settings.ts';
import { deliveryPut, type AlertDelivery, type DeliveryChannel } from '../store/alerts/deliveries.ts';
import type { Table } from '../store/table/table.ts';
import { transact, type Writes } from '../store/table/transact.ts';
import type { Write } from '../store/table/writes.ts';
import type { Notice } from './notice.ts';

/** Time in ms for which the log of deliveries is kept. */
const LOG_KEPT_MS = 30 * DAY_MS;

/** Returns the deliveries of a notice: one for each destination of the settings. */
export function deliveriesOf(settings: AlertSettings, notice: Notice, atMs: number): AlertDelivery[] {
  const channels: DeliveryChannel[] = [
    ...(settings.webhookUrl === undefined ? [] : (['webhook'] as const)),
    ...(settings.email === undefined ? [] : (['email'] as const)),
  ];
  return channels.map((channel) => ({
    id: uuidv7(atMs),
    accountId: settings.accountId,
    type: notice.type,
    ownerKind: settings.ownerKind,
    ownerId: settings.ownerId,
    channel,
    subject: notice.subject,
    text: notice.lines.join('\n'),
    data: JSON.stringify(notice.data),
    state: 'pending',
    attempts: 0,
    begunAtMs: atMs,
    nextAtMs: atMs,
    reason: undefined,
    deliveredAtMs: undefined,
    createdAtMs: atMs,
    expiresAtMs: atMs + LOG_KEPT_MS,
  }));
}

/**
 * Creates the deliveries of a notice, in one transaction with a write that can succeed only once for the event.
 * @param decision this write
 * @param more further writes of the transaction, by name
 * @returns the deliveries; undefined if the write failed, because the event already has a notice or needs none
 */
export async function publishNotice(
  table: Table,
  { decision, more = {} }: { decision: Write; more?: Writes },
  deliveries: AlertDelivery[],
): Promise<AlertDelivery[] | undefined> {
  const puts = deliveries.map((delivery) => [`delivery ${delivery.id}`, deliveryPut(table, delivery)] as const);
  const outcome = await transact<string>(table, { ...more, ...Object.fromEntries(puts), decision });
  return outcome.committed ? deliveries : undefined;
}
