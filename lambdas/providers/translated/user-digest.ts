import { createHash } from 'node:crypto';
import type { MessagesRequest } from '../../messages/types.ts';

/**
 * Returns a digest of the end user's id; undefined without an id. Providers limit the length of the id, and do not need
 * the real id.
 */
export function userDigest({ metadata }: MessagesRequest): string | undefined {
  return metadata?.user_id ? digest(metadata.user_id) : undefined;
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
