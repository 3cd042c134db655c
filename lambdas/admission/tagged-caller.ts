import type { Scope } from '../store/counters/counters.ts';
import { tagScope, tagText } from '../store/counters/tag-scopes.ts';
import type { RequestTags } from '../store/generations/request-tags.ts';
import type { InferenceCaller } from './caller.ts';

/**
 * Returns the caller of a request with these tags. Each tag with a budget adds a scope, whose counter counts the hold
 * and the cost in the same transactions as the counters of the key and its owners.
 *
 * Weakness: a tag without a budget is not counted, so its first budget starts at zero. A new budget takes effect when
 * cached callers expire, after at most three seconds.
 */
export function withTags(caller: InferenceCaller, tags: RequestTags): InferenceCaller {
  const texts = Object.entries(tags).map(([name, value]) => tagText(name, value));
  if (texts.length === 0) return caller;
  const counted = caller.tagBudgets.filter(({ tag }) => texts.includes(tag));
  if (counted.length === 0) return { ...caller, tags };
  const scopes = counted.map(({ tag, limits, revision }): Scope => {
    return { ...tagScope(caller.account.id, tag), limits, revision };
  });
  return {
    ...caller,
    tags,
    payer: { ...caller.payer, countedTags: counted.map(({ tag }) => tag) },
    scopes: [...caller.scopes, ...scopes],
  };
}
