import { createHash } from 'node:crypto';
import type { Quirks } from '../../catalog/schema.ts';

/**
 * An id of a tool call as the upstream takes it. Where the upstream has a rule that the id breaks, it is replaced by a
 * digest: the same id becomes the same replacement in the call and in its result, in this request and in the next.
 */
export function toolCallId(id: string, quirks: Quirks): string {
  if (quirks.tool_call_ids !== 'nine_alphanumerics' || /^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}
