import { familyOf, type ConverseTarget } from './families.ts';

type CachePlace = 'tools' | 'system' | 'messages';

/**
 * Where the Messages API marks a block, Converse has a point after it. Families without caches get none: a mark is a hint.
 * @returns the point that follows the block, as a list of one or none
 */
export function cachePointAfter(
  marked: Readonly<Record<string, unknown>>,
  place: CachePlace,
  target: ConverseTarget,
): object[] {
  const { cachePoints, hasCacheTtl } = familyOf(target);
  const control = marked['cache_control'] as { ttl?: string | null } | null | undefined;
  if (!control || !cachePoints.has(place)) return [];
  // Five minutes are what it means without saying so, also to models that know no other time.
  const ttl = hasCacheTtl && control.ttl === '1h' ? { ttl: '1h' } : {};
  return [{ cachePoint: { type: 'default', ...ttl } }];
}

export function isCachePoint(block: object | undefined): boolean {
  return block !== undefined && 'cachePoint' in block;
}
