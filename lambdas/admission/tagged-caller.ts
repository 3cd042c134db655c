import type { RequestTags } from '../store/generations/request-tags.ts';
import type { InferenceCaller } from './caller.ts';

/** Returns the caller of a request with these tags. Its payer and scopes include the tags that have budgets. */
export function withTags(caller: InferenceCaller, tags: RequestTags): InferenceCaller {
  return Object.keys(tags).length === 0 ? caller : { ...caller, tags };
}
