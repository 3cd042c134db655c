import { familyOf, type ConverseTarget } from './families.ts';
import { DOCUMENT_TEXT } from './media.ts';

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

/**
 * Adapts the cache points of a message. A text is added before a point that follows a document other than a PDF, because
 * Bedrock rejects the point there (https://github.com/aws/aws-sdk-java-v2/issues/6277). Points that the model accepts
 * only after a text are dropped elsewhere.
 */
export function withAcceptedPoints(content: object[], target: ConverseTarget): object[] {
  const { cachesOnlyTexts } = familyOf(target);
  return content.flatMap((block, index) => {
    const previous: { text?: string; document?: { format?: string } } = content[index - 1] ?? {};
    if (!isCachePoint(block) || previous.text !== undefined) return [block];
    const format = previous.document?.format;
    if (format !== undefined && (cachesOnlyTexts || format !== 'pdf')) return [{ text: DOCUMENT_TEXT }, block];
    return cachesOnlyTexts ? [] : [block];
  });
}

export function isCachePoint(block: object | undefined): boolean {
  return block !== undefined && 'cachePoint' in block;
}
