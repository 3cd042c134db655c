import { createHash, createHmac, createSecretKey, type Hash, type Hmac, type KeyObject } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsCredentials } from './aws-identity.ts';

type SourceData = string | ArrayBuffer | ArrayBufferView;

/**
 * Creates a signer of requests to AWS (Signature Version 4).
 * @param scope.service name of the service in signatures
 */
export function newAwsSigner(scope: {
  credentials: AwsCredentials | (() => Promise<AwsCredentials>);
  region: string;
  service: string;
}): SignatureV4 {
  // S3 signs paths as they are sent. The other services sign paths that are escaped a second time.
  return new SignatureV4({ ...scope, sha256: Sha256, uriEscapePath: scope.service !== 's3' });
}

/** Key objects by the bytes of a key: converting the bytes takes longer than a digest. */
const keysOfBytes = new WeakMap<object, KeyObject>();

function hmacKey(secret: SourceData): string | KeyObject {
  if (typeof secret === 'string') return secret;
  const known = keysOfBytes.get(secret);
  if (known) return known;
  const key = createSecretKey(bytesOf(secret));
  keysOfBytes.set(secret, key);
  return key;
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/** Computes SHA-256 digests, or keyed digests (HMAC) with a secret. */
class Sha256 {
  readonly #digest: Hash | Hmac;

  constructor(secret?: SourceData) {
    this.#digest = secret === undefined ? createHash('sha256') : createHmac('sha256', hmacKey(secret));
  }

  update(data: SourceData): void {
    this.#digest.update(typeof data === 'string' ? data : bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#digest.digest();
  }
}
