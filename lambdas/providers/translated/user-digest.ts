import { createHash } from 'node:crypto';
import type { MessagesRequest } from '../../messages/types.ts';

/**
 * Returns a digest to send instead of the end user's id. Providers limit the id's length, and do not need the real id.
 */
export function userDigest({ metadata }: MessagesRequest): string | undefined {
  return metadata?.user_id ? createHash('sha256').update(metadata.user_id).digest('hex') : undefined;
}
