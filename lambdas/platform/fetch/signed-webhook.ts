/**
 * Sends a signed notification to a client's server, as standard-webhooks.com specifies. A notification has an id that
 * is the same for every attempt, the time of this attempt, and a signature of the id, the time and the body. The caller
 * decides about retries.
 */

import { Webhook } from 'standardwebhooks';
import type { FetchFault } from './fetch-faults.ts';
import type { PublicUrlRules } from './public-url.ts';
import { postPublic } from './safe-fetch.ts';

export interface SignedWebhook {
  url: string;
  /** Id of the notification, the same for every attempt. */
  id: string;
  /** JSON text. */
  body: string;
  /** Secret of the receiver, in the format of standard-webhooks (`callbackSecret`). */
  secret: string;
}

/**
 * Result of one attempt. After `refused`, retries at this address would probably fail too. After `failed`, a later
 * retry may succeed.
 */
export type WebhookOutcome =
  | { outcome: 'delivered' }
  | { outcome: 'refused'; reason: 'gone' | FetchFault }
  | { outcome: 'failed'; reason: `status ${number}` | FetchFault };

export interface WebhookRules extends PublicUrlRules {
  timeoutMs?: number;
}

const WEBHOOK_TIMEOUT_MS = 10_000;
const GONE = 410;
/** Faults of the address itself, which a retry would probably not fix. */
const lastingFaults = new Set<FetchFault>(['not_a_url', 'not_https', 'userinfo', 'port', 'not_public']);

/**
 * Makes one attempt. Never throws.
 * @param sentAtMs time of this attempt, in epoch milliseconds
 */
export async function postWebhook(
  { url, id, body, secret }: SignedWebhook,
  sentAtMs: number,
  rules: WebhookRules = {},
): Promise<WebhookOutcome> {
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAtMs / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(sentAtMs), body),
  };
  const posted = await postPublic(url, { headers, body }, { timeoutMs: WEBHOOK_TIMEOUT_MS, ...rules });
  if (!posted.ok) {
    const { reason } = posted;
    return lastingFaults.has(reason) ? { outcome: 'refused', reason } : { outcome: 'failed', reason };
  }
  if (posted.status >= 200 && posted.status < 300) return { outcome: 'delivered' };
  if (posted.status === GONE) return { outcome: 'refused', reason: 'gone' };
  return { outcome: 'failed', reason: `status ${posted.status}` };
}
