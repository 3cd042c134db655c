import type { HttpRequest } from './request.ts';

/** Entity tags of configuration: the number of its version, which counters do not touch. */
export function etag(version: number): Record<string, string> {
  return { etag: `"${version}"` };
}

/** The version that `If-Match` asks for; undefined when any will do, -1 (never a version) for a tag that is not ours. */
export function expectedVersion(request: HttpRequest): number | undefined {
  const header = request.headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  const match = /^"(\d{1,15})"$/.exec(header);
  return match ? Number(match[1]) : -1;
}
