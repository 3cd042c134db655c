/**
 * Sends a signed notification to a client's server, as standard-webhooks.com specifies. The caller decides about
 * retries.
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
  /** Secret of the receiver, from `callbackSecret`. */
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
/** Faults of the URL itself, or of its host's addresses. A retry would probably not remove them. */
const lastingFaults = new Set<FetchFault>(['not_a_url', 'not_https', 'userinfo', 'port', 'not_public']);

/**
 * Makes one attempt to deliver a notification.
 * @param sentAtMs time of this attempt, in epoch milliseconds
 * @throws {Error} if the secret is malformed
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
