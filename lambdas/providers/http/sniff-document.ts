import { resumed, type PullIterator } from '../../platform/concurrency/pull-iterator.ts';

/** Maximum number of bytes of white space before the first other character of a body. */
const MAX_BLANK_BYTES = 64 * 1024;
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;

/**
 * Detects a JSON document in place of a stream of events, with which some providers respond.
 * @returns whether the body is a document, and an iterator over the body from its first byte
 */
export async function sniffDocument(
  body: PullIterator<Buffer>,
): Promise<{ isDocument: boolean; body: PullIterator<Buffer> }> {
  const seen: Buffer[] = [];
  let blankBytes = 0;
  for (;;) {
    const next = await body.next();
    if (next.done) break;
    seen.push(next.value);
    const first = next.value.find((byte) => !BLANKS.has(byte));
    if (first !== undefined) {
      return { isDocument: first === OPENING_BRACE || first === OPENING_BRACKET, body: resumed(seen, body) };
    }
    blankBytes += next.value.length;
    if (blankBytes > MAX_BLANK_BYTES) break;
  }
  return { isDocument: false, body: resumed(seen, body) };
}
