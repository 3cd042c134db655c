/** The words of API Gateway where a function does not answer: its template has them, and so has what stands for it on one machine. */

import type { ErrorKind } from '../../lambdas/platform/errors.ts';

export interface DoorRefusal {
  kind: ErrorKind;
  text: string;
  /** When to try again. */
  retryAfterSeconds?: number;
}

/** Lambda has no room for another request, or the function failed without a word: both look the same to API Gateway. */
export const NO_ROOM = {
  kind: 'provider_overloaded',
  text: 'The gateway has no room for this request now, or its function failed. Try again in a second.',
  retryAfterSeconds: 1,
} as const satisfies DoorRefusal;

/** All clients together ask more often than the stage lets them. */
export const TOO_MANY_REQUESTS = {
  kind: 'rate_limit_exceeded',
  text: 'The gateway as a whole gets too many requests. Try again in a second.',
  retryAfterSeconds: 1,
} as const satisfies DoorRefusal;

export const TOO_SLOW = {
  kind: 'timeout',
  text: 'The function behind this route took too long. Try again.',
} as const satisfies DoorRefusal;

/** API Gateway unpacks gzip and deflate by itself, and refuses all other encodings before it asks a function. */
export const UNREADABLE_BODY = {
  kind: 'unsupported_media_type',
  text: 'Send the body as "content-type: application/json", uncompressed, or as what "content-encoding: gzip" or "deflate" says. Other encodings are for the streaming address of the gateway.',
} as const satisfies DoorRefusal;

export const TOO_LARGE = {
  kind: 'payload_too_large',
  text: 'The request is too large. Send images and documents by URL.',
} as const satisfies DoorRefusal;
