/** Responses of API Gateway itself, for the deployed template and its local counterpart. */

import type { ErrorKind } from '../../lambdas/platform/errors.ts';

export interface EntryPointRefusal {
  kind: ErrorKind;
  text: string;
  retryAfterSeconds?: number;
}

/**
 * Response if Lambda has no capacity for a request, or if the function failed without responding: API Gateway does not
 * distinguish these cases.
 */
export const NO_ROOM = {
  kind: 'provider_overloaded',
  text: 'The gateway has no room for this request now, or its function failed. Try again in a second.',
  retryAfterSeconds: 1,
} as const satisfies EntryPointRefusal;

/** Response if all clients together exceed the stage's rate limit. */
export const TOO_MANY_REQUESTS = {
  kind: 'rate_limit_exceeded',
  text: 'The gateway as a whole gets too many requests. Try again in a second.',
  retryAfterSeconds: 1,
} as const satisfies EntryPointRefusal;

export const TOO_SLOW = {
  kind: 'timeout',
  text: 'The function behind this route took too long. Try again.',
} as const satisfies EntryPointRefusal;

/** Response to a body that API Gateway cannot decompress. It supports gzip and deflate. */
export const UNREADABLE_BODY = {
  kind: 'unsupported_media_type',
  text: 'Send the body with a content type that the route accepts, such as "application/json", uncompressed or with "content-encoding: gzip" or "deflate". Only the streaming address of the gateway, which its operator knows as StreamingUrl, accepts other encodings.',
} as const satisfies EntryPointRefusal;

export const TOO_LARGE = {
  kind: 'payload_too_large',
  text: 'The request is larger than about 5 MB of JSON, or 4.5 MB of files. Send images, documents and recordings by URL, or send files to the server of the gateway, which accepts 25 MB.',
} as const satisfies EntryPointRefusal;
