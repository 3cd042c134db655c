/**
 * Delivers a notice to its destination.
 *
 * Guarantee: attempts are repeated for a day, until the receiver accepts or refuses the notice. No two workers make the
 * same attempt, because a worker leases the delivery first. Every attempt has the same `webhook-id`.
 * Weakness: if a worker dies between the receiver's acceptance and the write of the result, the notice is sent again.
 */

import { DAY_MS } from '../money/periods.ts';
import { isRejectedMail, type Mails } from '../platform/mails.ts';
import { describeError, log, alertTripwires } from '../platform/logger.ts';
import { postWebhook, type WebhookRules } from '../platform/fetch/signed-webhook.ts';
import { callbackSecret } from '../platform/secrets/callback-secret.ts';
import { readAlertSettings } from '../store/alerts/alert-settings.ts';
import { attemptBegin, attemptEnd, type AlertDelivery, type AttemptEnd } from '../store/alerts/deliveries.ts';
import type { Table } from '../store/table/table.ts';
import { writeAlone } from '../store/table/transact.ts';
import { alertBody } from './webhook-body.ts';

export interface DeliveryTools {
  table: Table;
  readPepper: () => Promise<string>;
  /** Sender of e-mails; undefined if the deployment sends none. */
  mails: Mails | undefined;
  nowMs: () => number;
  webhooks: WebhookRules;
}

/** Result of an attempt. `skipped`: another worker has begun this attempt. */
export type DeliveryResult = 'delivered' | 'refused' | 'failed' | 'skipped';

/** Time in ms for which a worker leases a delivery. */
const ATTEMPT_LEASE_MS = 120_000;
/** Time in ms, from the start of the first attempt, in which attempts are made. */
const ATTEMPTS_END_AFTER_MS = DAY_MS;
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 15 * 60_000;

/**
 * Makes an attempt.
 * @throws {Error} if the table fails, or the deployment's secret cannot be read; the delivery becomes due again
 */
export async function attemptDelivery(tools: DeliveryTools, delivery: AlertDelivery): Promise<DeliveryResult> {
  const { table, nowMs } = tools;
  if (await writeAlone(table, attemptBegin(table, delivery, nowMs() + ATTEMPT_LEASE_MS))) return 'skipped';
  const sent = await send(tools, delivery);
  const end = attemptEndOf(sent, delivery, nowMs());
  await writeAlone(table, attemptEnd(table, delivery, end));
  if (end.state !== 'delivered') logAttempt(delivery, end);
  return sent.outcome;
}

interface SentNotice {
  outcome: 'delivered' | 'refused' | 'failed';
  reason?: string;
}

async function send(
  { table, readPepper, mails, nowMs, webhooks }: DeliveryTools,
  delivery: AlertDelivery,
): Promise<SentNotice> {
  const { id, accountId, ownerKind, ownerId, channel, subject, text } = delivery;
  const settings = await readAlertSettings(table, accountId, { kind: ownerKind, id: ownerId });
  const to = channel === 'webhook' ? settings?.webhookUrl : settings?.email;
  if (settings === undefined || to === undefined) return { outcome: 'refused', reason: 'not configured' };
  if (channel === 'webhook') {
    const secret = callbackSecret(await readPepper(), accountId);
    const body = alertBody(delivery, settings);
    return postWebhook({ url: to, id: `msg_${id}`, body, secret }, nowMs(), webhooks);
  }
  if (!mails) return { outcome: 'refused', reason: 'no e-mails' };
  try {
    await mails.send({ to, subject, text });
    return { outcome: 'delivered' };
  } catch (error) {
    const outcome = isRejectedMail(error) ? 'refused' : 'failed';
    return { outcome, reason: describeError(error).reason ?? outcome };
  }
}

function attemptEndOf({ outcome, reason = outcome }: SentNotice, delivery: AlertDelivery, atMs: number): AttemptEnd {
  if (outcome === 'delivered') return { state: 'delivered', deliveredAtMs: atMs };
  if (outcome === 'refused') return { state: 'refused', reason };
  const nextAtMs = atMs + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** delivery.attempts);
  if (nextAtMs - delivery.begunAtMs > ATTEMPTS_END_AFTER_MS) return { state: 'dead', reason };
  return { state: 'pending', nextAtMs, reason };
}

/**
 * Logs an attempt that has not delivered the notice. Only e-mails depend on the operator's own service, so only they
 * raise an alarm.
 */
function logAttempt(
  { id, accountId, attempts, channel }: AlertDelivery,
  end: Exclude<AttemptEnd, { state: 'delivered' }>,
): void {
  const fields = { deliveryId: id, accountId, attempt: attempts + 1, reason: end.reason };
  if (end.state !== 'dead') log(end.state === 'refused' ? 'warn' : 'info', 'alert not delivered', fields);
  else if (channel === 'email') log('error', alertTripwires.mailsFail, fields);
  else log('warn', 'receiver of alerts failed for a day', fields);
}
