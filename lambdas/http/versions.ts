import type { HttpRequest } from './request.ts';

/** Returns the header with the version number of a configuration, which spending does not change. */
export function etag(version: number): Record<string, string> {
  return { etag: `"${version}"` };
}

/**
 * Returns the version in the `If-Match` header; undefined if any version is accepted. Returns -1, which no
 * configuration has, for a tag that the gateway did not issue.
 */
export function expectedVersion(request: HttpRequest): number | undefined {
  const header = request.headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  const match = /^"(\d{1,15})"$/.exec(header);
  return match ? Number(match[1]) : -1;
}
