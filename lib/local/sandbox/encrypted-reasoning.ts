import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Not a secret: it only lets the sandbox know its own words again, after a restart as well. */
const REASONING_HMAC_KEY = 'sandbox';

/** What a reasoning item of this id thought, as only the sandbox can read it. */
export function encryptedReasoning(id: string): string {
  const thought = randomBytes(24).toString('base64url');
  return `${thought}.${tag(id, thought).toString('base64url')}`;
}

/** The sandbox wrote this, for an item of this id. */
export function isOwnReasoning(id: string, encrypted: string): boolean {
  const [thought = '', signed = ''] = encrypted.split('.');
  const found = Buffer.from(signed, 'base64url');
  const expected = tag(id, thought);
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function tag(id: string, thought: string): Buffer {
  return createHmac('sha256', REASONING_HMAC_KEY).update(`${id}.${thought}`).digest();
}
