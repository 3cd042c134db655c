import type { HttpRequest } from './request.ts';

/** Returns the entity tag (ETag) of a configuration: its version number, which does not change when counters change. */
export function etag(version: number): Record<string, string> {
  return { etag: `"${version}"` };
}

/**
 * Returns the version in the `If-Match` header. undefined means that any version is accepted. -1 is returned for a tag
 * that the gateway did not issue, because no version is negative.
 */
export function expectedVersion(request: HttpRequest): number | undefined {
  const header = request.headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  const match = /^"(\d{1,15})"$/.exec(header);
  return match ? Number(match[1]) : -1;
}
