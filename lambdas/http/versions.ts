import type { HttpRequest } from './request.ts';

/** Entity tag of configuration: its version number, which does not change with the counters. */
export function etag(version: number): Record<string, string> {
  return { etag: `"${version}"` };
}

/** The version in `If-Match`; undefined accepts any version, and -1 (never a version) stands for a foreign tag. */
export function expectedVersion(request: HttpRequest): number | undefined {
  const header = request.headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  const match = /^"(\d{1,15})"$/.exec(header);
  return match ? Number(match[1]) : -1;
}
