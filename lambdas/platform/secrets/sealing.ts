/** Encrypts texts that the gateway sends to clients and gets back (AES-256-GCM). A changed text cannot be decrypted. */

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Derives a key for one purpose from a secret. */
export function sealingKey(secret: string, salt: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, purpose, 32));
}

/**
 * Encrypts a text.
 * @param owner must be given again to decrypt the text
 */
export function seal(text: string, key: Buffer, owner = ''): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner));
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts a text.
 * @throws {Error} unless the text was encrypted with this key, for this owner
 */
export function unseal(sealed: Buffer, key: Buffer, owner = ''): string {
  if (sealed.length < IV_BYTES + TAG_BYTES) throw new Error('The text is too short for an encrypted text');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES)).setAAD(Buffer.from(owner));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
}
