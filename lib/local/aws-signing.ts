/**
 * AWS Signature Version 4, implemented without the signing library that the gateway uses, so that each implementation
 * tests the other.
 */

import { createHash, createHmac } from 'node:crypto';

export const SIGNING_ALGORITHM = 'AWS4-HMAC-SHA256';

interface SigningFacts {
  secret: string;
  /** Time of the signature, from the request. */
  date: string;
  /** Credential scope: day, region, service and terminator. */
  scope: readonly string[];
}

/** Returns the signature of a request with this canonical form. */
export function awsSignature({ secret, date, scope }: SigningFacts, canonicalRequest: string): Buffer {
  const toSign = [SIGNING_ALGORITHM, date, scope.join('/'), sha256Hex(canonicalRequest)].join('\n');
  const signingKey = scope.reduce<Buffer>((key, part) => hmacSha256(key, part), Buffer.from(`AWS4${secret}`));
  return hmacSha256(signingKey, toSign);
}

export function sha256Hex(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmacSha256(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
