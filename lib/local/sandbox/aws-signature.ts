/** Checks request signatures, without the signing library that the gateway uses. */

import { timingSafeEqual } from 'node:crypto';
import { awsSignature, sha256Hex } from '../aws-signing.ts';

export interface SignedRequest {
  method: string;
  /** Path and query, as sent. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

interface Key {
  id: string;
  secret: string;
}

const BEDROCK_AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

/** Whether method, path, query, signed headers and body are signed with the key. */
export function isSignedWith({ id, secret }: Key, request: SignedRequest): boolean {
  const [, keyId, scope = '', names = '', signature = ''] =
    BEDROCK_AUTHORIZATION.exec(headerOf(request, 'authorization')) ?? [];
  if (keyId !== id || !names.split(';').includes('host')) return false;
  const facts = { secret, date: headerOf(request, 'x-amz-date'), scope: scope.split('/') };
  const expected = awsSignature(facts, canonicalRequest(request, names));
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

function canonicalRequest(request: SignedRequest, names: string): string {
  const [path = '', query = ''] = request.url.split('?');
  const headers = names.split(';').map((name) => `${name}:${headerOf(request, name).trim().replaceAll(/ +/g, ' ')}\n`);
  return [
    request.method,
    // AWS encodes the already encoded path a second time.
    path.split('/').map(encoded).join('/'),
    query,
    headers.join(''),
    names,
    sha256Hex(request.body),
  ].join('\n');
}

function encoded(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function headerOf({ headers }: SignedRequest, name: string): string {
  return [headers[name] ?? ''].flat().join(',');
}
