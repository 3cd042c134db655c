import { familyOf, type ConverseTarget } from './families.ts';

type CachePlace = 'tools' | 'system' | 'messages';

/**
 * Cache points: the Messages API marks a block, Converse has a point after it. Families without caches get none,
 * because a mark is only a hint.
 * @returns the point after the block, as a list of one or none
 */
export function cachePointAfter(
  marked: Readonly<Record<string, unknown>>,
  place: CachePlace,
  target: ConverseTarget,
): object[] {
  const { cachePoints, hasCacheTtl } = familyOf(target);
  const control = marked['cache_control'] as { ttl?: string | null } | null | undefined;
  if (!control || !cachePoints.has(place)) return [];
  // Five minutes are the default, also for models that support no other lifetime.
  const ttl = hasCacheTtl && control.ttl === '1h' ? { ttl: '1h' } : {};
  return [{ cachePoint: { type: 'default', ...ttl } }];
}

export function isCachePoint(block: object | undefined): boolean {
  return block !== undefined && 'cachePoint' in block;
}
