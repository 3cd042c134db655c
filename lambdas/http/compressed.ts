import { promisify } from 'node:util';
import { Readable } from 'node:stream';
import { gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import type { HttpRequest } from './request.ts';
import type { HttpResponse } from './response.ts';

/** Minimum length of a compressed answer. Shorter answers usually fit into one network packet. */
export const MIN_COMPRESSED_CHARACTERS = 1_400;

const compress: (text: string) => Promise<Buffer> = promisify(gzip);

/**
 * Compresses the text of an answer for clients that prefer compression. Use it only for streaming routes, because API
 * Gateway accepts only text from other functions.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
 */
export function compressed(request: Compressible, response: HttpResponse): Promise<void> {
  return compressWith(compress, request, response);
}

/** Caches the latest text and its compressed bytes, for a route that often sends the same answer. */
export function compressedOnce(): Compressed {
  let last: { text: string; bytes: Promise<Buffer> } | undefined;
  const zip = (text: string) => {
    if (last?.text !== text) last = { text, bytes: compress(text) };
    return last.bytes;
  };
  return (request, response) => compressWith(zip, request, response);
}

type Compressible = Pick<HttpRequest, 'headers'>;
export type Compressed = (request: Compressible, response: HttpResponse) => Promise<void>;

async function compressWith(
  zip: (text: string) => Promise<Buffer>,
  { headers }: Compressible,
  response: HttpResponse,
): Promise<void> {
  const { body } = response;
  if (typeof body !== 'string' || body.length < MIN_COMPRESSED_CHARACTERS) return;
  response.headers['vary'] = 'accept-encoding';
  // By the HTTP standard, a client without `accept-encoding` accepts any encoding. It gets plain text, which every
  // client can read.
  if (headers['accept-encoding'] === undefined) return;
  if (new Negotiator({ headers }).encoding(['gzip', 'identity']) !== 'gzip') return;
  response.headers['content-encoding'] = 'gzip';
  response.body = Readable.from([await zip(body)]);
}
