import { postWebhook, type WebhookOutcome, type WebhookRules } from '../../platform/fetch/signed-webhook.ts';
import { callbackSecret } from '../../platform/secrets/callback-secret.ts';

interface CallbackJob {
  id: string;
  status: 'completed' | 'failed' | 'cancelled' | 'expired';
  generation_id: string;
  model: string;
  [field: string]: unknown;
}

export interface Callback {
  url: string;
  accountId: string;
  noun: string;
  job: CallbackJob;
  /** Time at which the job ended, in epoch milliseconds. */
  endedAtMs: number;
}

/** Notifies a client's server that a job has ended. Never throws. */
export function sendCallback(
  { url, accountId, noun, job, endedAtMs }: Callback,
  pepper: string,
  sentAtMs: number,
  rules: WebhookRules = {},
): Promise<WebhookOutcome> {
  const webhook = { url, id: `msg_${job.id}`, body: callbackBody(noun, job, endedAtMs) };
  return postWebhook({ ...webhook, secret: callbackSecret(pepper, accountId) }, sentAtMs, rules);
}

function callbackBody(noun: string, job: CallbackJob, endedAtMs: number): string {
  return JSON.stringify({
    type: `${noun}.generation.${job.status}`,
    created_at: Math.floor(endedAtMs / 1_000),
    data: job,
  });
}
