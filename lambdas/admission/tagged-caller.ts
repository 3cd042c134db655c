import type { Scope } from '../store/counters/counters.ts';
import { tagScope, tagText } from '../store/counters/tag-scopes.ts';
import type { RequestTags } from '../store/generations/request-tags.ts';
import type { InferenceCaller } from './caller.ts';

/**
 * Returns the caller of a request with these tags. Each tag with a budget adds a scope.
 *
 * Weakness: the counter of a tag's first budget starts at zero. A new budget takes effect when cached callers expire,
 * normally after at most three seconds.
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
