import { createHash } from 'node:crypto';
import type { MessagesRequest } from '../../messages/types.ts';

/**
 * Returns a digest to send instead of the end user's id. Providers limit the id's length, and do not need the real id.
 */
export function userDigest({ metadata }: MessagesRequest): string | undefined {
  return metadata?.user_id ? digestOf(metadata.user_id) : undefined;
}

/** Returns the metadata of a request with a digest in the place of the end user's id. */
export function withDigest<Metadata extends NonNullable<MessagesRequest['metadata']>>(metadata: Metadata): Metadata {
  return metadata.user_id ? { ...metadata, user_id: digestOf(metadata.user_id) } : metadata;
}

function digestOf(userId: string): string {
  return createHash('sha256').update(userId).digest('hex');
}
