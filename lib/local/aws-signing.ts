/** The arithmetic of AWS' signatures of version 4, after AWS' own description, and without the library that the gateway signs with. */

import { createHash, createHmac } from 'node:crypto';

export const SIGNING_ALGORITHM = 'AWS4-HMAC-SHA256';

interface SigningFacts {
  secret: string;
  /** The time of the signature, as the request has it. */
  date: string;
  /** Day, region, service and the end. */
  scope: readonly string[];
}

/** The signature that a request has to have, by its canonical form. */
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
