import { createHash } from 'node:crypto';
import type { MessagesRequest } from '../../messages/types.ts';

/** Stands for the person who asks: providers limit the length of a name, and need not know who it is. */
export function userDigest({ metadata }: MessagesRequest): string | undefined {
  return metadata?.user_id ? createHash('sha256').update(metadata.user_id).digest('hex') : undefined;
}
