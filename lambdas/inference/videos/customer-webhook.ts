/** Notifies a client's server that a video has ended. The caller decides about retries. */

import type { Money } from '../../money/money.ts';
import { postWebhook, type WebhookOutcome, type WebhookRules } from '../../platform/fetch/signed-webhook.ts';
import { callbackSecret } from '../../platform/secrets/callback-secret.ts';

/** An ended video: its model, and fields of GET /videos/{id}. */
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
 * Sends one notification. Never throws.
 * @param sentAtMs time of this attempt, in epoch milliseconds
 */
export function sendCallback(
  { url, accountId, video, endedAtMs }: Callback,
  pepper: string,
  sentAtMs: number,
  rules: WebhookRules = {},
): Promise<WebhookOutcome> {
  const webhook = { url, id: `msg_${video.id}`, body: callbackBody(video, endedAtMs) };
  return postWebhook({ ...webhook, secret: callbackSecret(pepper, accountId) }, sentAtMs, rules);
}

function callbackBody(video: CallbackVideo, endedAtMs: number): string {
  return JSON.stringify({
    type: `video.generation.${video.status}`,
    created_at: Math.floor(endedAtMs / 1_000),
    data: video,
  });
}
