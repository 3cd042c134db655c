/**
 * Lambda's limit of an answer that does not stream, in bytes of its JSON. The body is a text in it, so its own quotes are
 * escaped, and a little stands around it.
 */
const MAX_BYTES = 6 * 1024 * 1024;
const AROUND_BYTES = 4_096;

/** Whether a body of JSON is more than a function may answer with. */
export function exceedsLambda(body: string): boolean {
  // JSON has no more to escape than quotes and backslashes: that at most doubles it.
  if (Buffer.byteLength(body) * 2 + AROUND_BYTES < MAX_BYTES) return false;
  return Buffer.byteLength(JSON.stringify(body)) + AROUND_BYTES > MAX_BYTES;
}
