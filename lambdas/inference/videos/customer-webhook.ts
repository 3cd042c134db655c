/**
 * Notifies a client's server that a video has ended, as standard-webhooks.com specifies. A notification has an id that
 * is the same for every attempt, the time of this attempt, and a signature of both with the body. The caller decides
 * about retries.
 */

import { Webhook } from 'standardwebhooks';
import type { Money } from '../../money/money.ts';
import type { FetchFault } from '../../platform/fetch/fetch-faults.ts';
import type { PublicUrlRules } from '../../platform/fetch/public-url.ts';
import { postPublic } from '../../platform/fetch/safe-fetch.ts';
import { callbackSecret } from './callback-secret.ts';

/** An ended video, with the fields of GET /videos/{id}. */
interface CallbackVideo {
  id: string;
  status: 'completed' | 'failed' | 'cancelled' | 'expired';
  generation_id: string;
  model: string;
  unsigned_urls?: string[];
  usage?: { cost: Money };
  error?: string;
}

export interface Callback {
  url: string;
  accountId: string;
  video: CallbackVideo;
  /** Time at which the video ended, in epoch milliseconds. */
  endedAtMs: number;
}

/**
 * Result of one notification. After `refused`, retries at this address would fail too. After `failed`, a later retry
 * may succeed.
 */
export type CallbackOutcome =
  | { outcome: 'delivered' }
  | { outcome: 'refused'; reason: 'gone' | FetchFault }
  | { outcome: 'failed'; reason: `status ${number}` | FetchFault };

const CALLBACK_TIMEOUT_MS = 10_000;
const GONE = 410;
/** Faults of the address itself. Every retry would fail in the same way. */
const lastingFaults = new Set<FetchFault>(['not_a_url', 'not_https', 'userinfo', 'port', 'not_public']);

/**
 * Sends one notification. Never throws.
 * @param sentAtMs time of this attempt, in epoch milliseconds
 */
export async function sendCallback(
  { url, accountId, video, endedAtMs }: Callback,
  pepper: string,
  sentAtMs: number,
  rules: PublicUrlRules & { timeoutMs?: number } = {},
): Promise<CallbackOutcome> {
  const body = callbackBody(video, endedAtMs);
  const id = `msg_${video.id}`;
  const sentAt = new Date(sentAtMs);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAtMs / 1_000)),
    'webhook-signature': new Webhook(callbackSecret(pepper, accountId)).sign(id, sentAt, body),
  };
  const posted = await postPublic(url, { headers, body }, { timeoutMs: CALLBACK_TIMEOUT_MS, ...rules });
  if (!posted.ok) {
    const { reason } = posted;
    return lastingFaults.has(reason) ? { outcome: 'refused', reason } : { outcome: 'failed', reason };
  }
  if (posted.status >= 200 && posted.status < 300) return { outcome: 'delivered' };
  if (posted.status === GONE) return { outcome: 'refused', reason: 'gone' };
  return { outcome: 'failed', reason: `status ${posted.status}` };
}

function callbackBody(video: CallbackVideo, endedAtMs: number): string {
  return JSON.stringify({
    type: `video.generation.${video.status}`,
    created_at: Math.floor(endedAtMs / 1_000),
    data: video,
  });
}
