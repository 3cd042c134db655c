import { familyOf, type ConverseTarget } from './families.ts';

type CachePlace = 'tools' | 'system' | 'messages';

/** Returns the cache point that follows a block with `cache_control`; empty if there is none. */
export function cachePointAfter(
  marked: Readonly<Record<string, unknown>>,
  place: CachePlace,
  target: ConverseTarget,
): object[] {
  const { cachePoints, hasCacheTtl } = familyOf(target);
  const control = marked['cache_control'] as { ttl?: string | null } | null | undefined;
  if (!control || !cachePoints.has(place)) return [];
  // Without a `ttl`, a cache point lasts five minutes.
  const ttl = hasCacheTtl && control.ttl === '1h' ? { ttl: '1h' } : {};
  return [{ cachePoint: { type: 'default', ...ttl } }];
}

/** Drops the cache points of a message that the model does not accept at their place. */
export function withAcceptedPoints(content: object[], target: ConverseTarget): object[] {
  if (!familyOf(target).cachesOnlyTexts) return content;
  return content.filter((block, index) => !isCachePoint(block) || 'text' in (content[index - 1] ?? {}));
}

export function isCachePoint(block: object | undefined): boolean {
  return block !== undefined && 'cachePoint' in block;
}
