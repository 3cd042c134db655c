/**
 * Signs documents. KMS does not export the private key; on a laptop, it is in a file. Signatures are ECDSA over P-256
 * with SHA-256, in DER, the form that `openssl dgst -sha256 -verify` reads.
 */

import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AwsCall } from '../aws/aws-call.ts';
import { ownIdentity } from '../aws/aws-identity.ts';
import { openAwsJson } from '../aws/aws-json.ts';
import { isOnOwnMachine, optionalVariable, variables } from '../environment.ts';

export interface DocumentSigner {
  keyId: string;
  sign(document: Buffer): Promise<Buffer>;
  /** Returns the public key as PEM. */
  publicKey(): Promise<string>;
}

/**
 * Opens the key that the environment names; undefined if it names none.
 * @throws {Error} for a key file in production
 */
export function openDocumentSigner(): DocumentSigner | undefined {
  const keyId = optionalVariable(variables.sealingKey);
  if (keyId !== undefined) return signerInKms(keyId);
  const file = optionalVariable(variables.sealingKeyFile);
  if (file === undefined) return undefined;
  if (!isOnOwnMachine()) throw new Error(`${variables.sealingKeyFile} must not be set in production`);
  return signerInFile(file);
}

const KMS = {
  name: 'kms',
  target: 'TrentService',
  version: '1.1',
  address: { id: 'KMS', host: 'kms' },
} as const;

export function signerInKms(
  keyId: string,
  call: AwsCall = openAwsJson(KMS, { identity: ownIdentity }),
): DocumentSigner {
  return {
    keyId,
    async sign(document) {
      const { Signature } = await call<{ Signature: string }>('Sign', {
        KeyId: keyId,
        Message: createHash('sha256').update(document).digest('base64'),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      });
      return Buffer.from(Signature, 'base64');
    },
    async publicKey() {
      const { PublicKey } = await call<{ PublicKey: string }>('GetPublicKey', { KeyId: keyId });
      const key = createPublicKey({ key: Buffer.from(PublicKey, 'base64'), format: 'der', type: 'spki' });
      return key.export({ format: 'pem', type: 'spki' }) as string;
    },
  };
}

/**
 * Opens a private key in a file.
 * @param file path of the key in PEM
 */
export function signerInFile(file: string): DocumentSigner {
  const key = createPrivateKey(readFileSync(file, 'utf8'));
  const publicKey = createPublicKey(key);
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return {
    keyId: `local:${createHash('sha256').update(der).digest('hex').slice(0, 16)}`,
    sign: async (document) => sign('sha256', document, key),
    publicKey: async () => publicKey.export({ format: 'pem', type: 'spki' }) as string,
  };
}

/**
 * Returns whether a document was signed with the private key that belongs to a public key; false for a malformed
 * signature.
 */
export function isSignedBy(publicKey: string, document: Buffer, signature: Buffer): boolean {
  return verify('sha256', document, createPublicKey(publicKey), signature);
}
