/**
 * URLs at which a provider reports progress of a job. Each URL is for one job. A request to the URL makes the
 * gateway poll the job a little sooner. Nothing in the request's body is used, except a challenge that the response
 * repeats.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { sealingKey } from '../../platform/secrets/sealing.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import type { JobMessage } from './message.ts';

const PARTS = /^([\w-]{1,64})\.(gen-[\w-]{1,64})\.([0-9a-f]{64})$/;

/** Last path segment of the URL for notices of a job. */
export function noticeName({ accountId, id }: JobMessage, pepper: string): string {
  return `${accountId}.${id}.${noticeSignature({ accountId, id }, pepper)}`;
}

/** Returns the job of a notice, or undefined for a URL that the gateway did not issue. */
export function noticedJob(name: string, pepper: string): JobMessage | undefined {
  const [, accountId, id, signature] = PARTS.exec(name) ?? [];
  if (accountId === undefined || generationTimeMs(id!) === undefined) return undefined;
  const expected = Buffer.from(noticeSignature({ accountId, id: id! }, pepper));
  return timingSafeEqual(expected, Buffer.from(signature!)) ? { accountId, id: id! } : undefined;
}

function noticeSignature({ accountId, id }: JobMessage, pepper: string): string {
  return createHmac('sha256', sealingKey(pepper, 'videos', 'provider notices'))
    .update(`${accountId} ${id}`)
    .digest('hex');
}
