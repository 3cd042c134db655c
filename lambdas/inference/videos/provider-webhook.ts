/**
 * Addresses at which a provider says that a job of it has moved on. Each is for one job, and known to its provider alone: whoever
 * writes to it has the job looked at a little sooner. What he writes is not read, so that a forged or repeated notice changes
 * nothing.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { sealingKey } from '../../platform/secrets/sealing.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import type { VideoMessage } from './message.ts';

const PARTS = /^([\w-]{1,64})\.(gen-[\w-]{1,64})\.([0-9a-f]{64})$/;

/** The last part of the address. */
export function noticeName({ accountId, id }: VideoMessage, pepper: string): string {
  return `${accountId}.${id}.${noticeSignature({ accountId, id }, pepper)}`;
}

/** The job that a notice is about; undefined for one that the gateway has not given an address. */
export function noticedJob(name: string, pepper: string): VideoMessage | undefined {
  const [, accountId, id, signature] = PARTS.exec(name) ?? [];
  if (accountId === undefined || generationTimeMs(id!) === undefined) return undefined;
  const expected = Buffer.from(noticeSignature({ accountId, id: id! }, pepper));
  return timingSafeEqual(expected, Buffer.from(signature!)) ? { accountId, id: id! } : undefined;
}

function noticeSignature({ accountId, id }: VideoMessage, pepper: string): string {
  return createHmac('sha256', sealingKey(pepper, 'videos', 'provider notices'))
    .update(`${accountId} ${id}`)
    .digest('hex');
}
