/**
 * Tells a client's server that a video is over, as standard-webhooks.com lays down: an id that is the same for every try, the
 * time of this try, and a signature of both with the body. Whether and when to try again is for the caller.
 */

import { Webhook } from 'standardwebhooks';
import type { Money } from '../../money/money.ts';
import type { FetchFault } from '../../platform/fetch/fetch-faults.ts';
import type { PublicUrlRules } from '../../platform/fetch/public-url.ts';
import { postPublic } from '../../platform/fetch/safe-fetch.ts';
import { callbackSecret } from './callback-secret.ts';

/** A video that is over, with the fields that GET /videos/{id} has. */
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
  /** When the video was over, in epoch milliseconds. */
  endedAtMs: number;
}

/** `refused`: this address is not asked again; `failed`: it may be, later. */
export type CallbackOutcome =
  | { outcome: 'delivered' }
  | { outcome: 'refused'; reason: 'gone' | FetchFault }
  | { outcome: 'failed'; reason: `status ${number}` | FetchFault };

const CALLBACK_TIMEOUT_MS = 10_000;
const GONE = 410;
/** Faults of the address itself, which it will have the next time, too. */
const lastingFaults = new Set<FetchFault>(['not_a_url', 'not_https', 'userinfo', 'port', 'not_public']);

/** @param sentAtMs the time of this try, in epoch milliseconds; never throws */
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
