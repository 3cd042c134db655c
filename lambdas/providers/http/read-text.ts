import { UpstreamError } from './upstream-error.ts';

/** Maximum number of bytes of an error body that are read. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/**
 * Reads a body as text.
 * @throws {UpstreamError} `too_large` if the body is longer than `maxBytes`; the rest is not read
 */
export async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const { bytes, isCut } = await readBytes(body, maxBytes);
  if (!isCut) return bytes.toString('utf8');
  throw new UpstreamError('too_large', `The provider sent an answer of more than ${sizeText(maxBytes)}`);
}

/**
 * Reads the text of a response; of an error body, only MAX_REFUSAL_BYTES.
 * @throws {UpstreamError} `too_large` if a body with a success status exceeds maxBytes
 */
export async function readResponse(
  { status, body }: { status: number; body: AsyncIterable<Buffer> },
  maxBytes: number,
): Promise<string> {
  const isSuccess = status >= 200 && status <= 299;
  return isSuccess ? readText(body, maxBytes) : (await readBytes(body, MAX_REFUSAL_BYTES)).bytes.toString('utf8');
}

/** Reads and drops a body, up to MAX_REFUSAL_BYTES, so that its connection can be reused. */
export async function readAway(body: AsyncIterable<Buffer>): Promise<void> {
  await readBytes(body, MAX_REFUSAL_BYTES);
}

async function readBytes(body: AsyncIterable<Buffer>, maxBytes: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes };
}

const KIBIBYTE = 1024;

function sizeText(bytes: number): string {
  const kibibytes = Math.round(bytes / KIBIBYTE);
  return kibibytes < KIBIBYTE ? `${kibibytes} KiB` : `${Math.round(kibibytes / KIBIBYTE)} MiB`;
}
