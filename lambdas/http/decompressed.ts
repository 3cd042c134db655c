/**
 * Decompresses request bodies, which Codex and some SDKs compress. A few bytes can expand to gigabytes, so size, ratio
 * and time are limited.
 */

import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { GatewayError, invalidRequest } from '../platform/errors.ts';
import { isForm, decodedText, type HttpRequest } from './request.ts';

/** Maximum size in bytes of a decompressed body, the same as Lambda's limit for an event. */
const MAX_UNPACKED_BYTES = 6 * 1024 * 1024;
/** Maximum compression ratio. Typical ratios are 8 for the JSON of agents, and 100 for a list of equal texts. */
const MAX_RATIO = 500;
/** Size in bytes up to which any ratio is allowed. */
const SMALL_BYTES = 256 * 1024;
const MAX_MS = 5_000;
/** Maximum size in bytes of all decompressed bodies in one process. */
const MAX_OPEN_BYTES = 96 * 1024 * 1024;

const decoders = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
  // The old name of gzip (RFC 9110, section 8.4.1.3), which API Gateway does not support.
  'x-gzip': createGunzip,
} as const;
type Encoding = keyof typeof decoders;
const ENCODINGS = 'gzip, deflate, br, zstd';

let openBytes = 0;

/** Decompressed body of one request. `release` returns its share of the process's memory limit. */
export class UnpackedBody {
  #bytes = 0;

  /**
   * Decompresses the body of a request, if it is compressed.
   * @throws {GatewayError} 415 for an unsupported encoding; 400 for invalid or slow data; 413 for a body that is too
   *   large, or compressed too much; 529 if the process's memory limit is reached
   */
  async unpack(request: HttpRequest): Promise<void> {
    const encoding = encodingOf(request.headers['content-encoding']);
    if (encoding === undefined || isUnpackedBefore(request, encoding)) return;
    if (request.bodyBytes === undefined) throw cameAsText(encoding);
    const chunks: Buffer[] = [];
    let size = 0;
    const packed = request.bodyBytes;
    const decoder = decoders[encoding]();
    const timer = setTimeout(() => decoder.destroy(new Error('too slow')), MAX_MS);
    try {
      for await (const chunk of Readable.from([packed]).pipe(decoder) as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_UNPACKED_BYTES) throw unpackedTooLarge();
        if (size > SMALL_BYTES && size > packed.length * MAX_RATIO) throw tooDense();
        this.#grow(chunk.length);
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      throw invalidRequest(
        'body',
        `is not complete ${encoding} data, which the header content-encoding declares; compress the body again, or send it uncompressed`,
      );
    } finally {
      clearTimeout(timer);
      decoder.destroy();
    }
    const bytes = Buffer.concat(chunks);
    if (isForm(request.headers['content-type'])) {
      request.bodyBytes = bytes;
      return;
    }
    Object.assign(request, decodedText(bytes));
    delete request.bodyBytes;
  }

  release(): void {
    openBytes -= this.#bytes;
    this.#bytes = 0;
  }

  #grow(bytes: number): void {
    if (openBytes + bytes > MAX_OPEN_BYTES) {
      throw new GatewayError(
        'provider_overloaded',
        'The gateway is reading the maximum of compressed requests at once. Try again in a second.',
      );
    }
    openBytes += bytes;
    this.#bytes += bytes;
  }
}

/**
 * Returns the encoding of a body; undefined for an uncompressed body.
 * @throws {GatewayError} 415 for an encoding that is not supported
 */
function encodingOf(header: string | undefined): Encoding | undefined {
  const name = header?.trim().toLowerCase();
  if (name === undefined || name === '' || name === 'identity') return undefined;
  if (name in decoders) return name as Encoding;
  throw new GatewayError(
    'unsupported_media_type',
    `"content-encoding: ${name.slice(0, 40)}" is not supported. Compress the body with one of ${ENCODINGS}, or send it uncompressed.`,
    { headers: { 'accept-encoding': ENCODINGS } },
  );
}

/**
 * Encodings that API Gateway decompresses itself; it keeps the `content-encoding` header.
 * @see
 *   https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-make-request-with-compressed-payload.html
 */
const unpackedByApiGateway: readonly Encoding[] = ['gzip', 'deflate'];

function isUnpackedBefore({ unrouted, bodyBytes, headers }: HttpRequest, encoding: Encoding): boolean {
  if (unrouted || !unpackedByApiGateway.includes(encoding)) return false;
  return bodyBytes === undefined || (isForm(headers['content-type']) && beginsAsForm(bodyBytes));
}

/**
 * Whether bytes are an uncompressed form, which begins with a hyphen. gzip and deflate data never begin with a hyphen.
 */
function beginsAsForm(bytes: Buffer): boolean {
  return bytes[0] === '-'.charCodeAt(0);
}

/** Returns the error for a compressed body that API Gateway has forwarded as text, which corrupts it. */
function cameAsText(encoding: Encoding): GatewayError {
  const accepted = unpackedByApiGateway.join(', ');
  return new GatewayError(
    'unsupported_media_type',
    `"content-encoding: ${encoding}" is not supported at this address. Compress the body with one of ${accepted}, send it uncompressed, or send it to the streaming address of the gateway, which its operator knows as StreamingUrl.`,
    { headers: { 'accept-encoding': accepted } },
  );
}

function unpackedTooLarge(): GatewayError {
  return new GatewayError(
    'payload_too_large',
    'The decompressed body is larger than 6 MB. Send images and documents by URL.',
  );
}

function tooDense(): GatewayError {
  return new GatewayError(
    'payload_too_large',
    `The decompressed body is more than ${MAX_RATIO} times as large as the compressed body. Send it uncompressed.`,
  );
}
