import type { HttpRequest } from './request.ts';

/** Returns the `etag` header of a configuration: its version number. Spending does not change the version. */
export function etag(version: number): Record<string, string> {
  return { etag: `"${version}"` };
}

/**
 * Returns the version in the `If-Match` header. Returns undefined if any version is accepted. Returns -1, which no
 * configuration has as its version, for a tag that the gateway did not issue.
 */
export function expectedVersion(request: HttpRequest): number | undefined {
  const header = request.headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  const match = /^"(\d{1,15})"$/.exec(header);
  return match ? Number(match[1]) : -1;
}
