import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Not a secret: the fixed key lets the sandbox recognize its own output, even after a restart. */
const REASONING_HMAC_KEY = 'sandbox';

/** Opaque reasoning of an item, which only the sandbox can verify. */
export function encryptedReasoning(id: string): string {
  const thought = randomBytes(24).toString('base64url');
  return `${thought}.${tag(id, thought).toString('base64url')}`;
}

/** Whether the sandbox produced this reasoning for an item with this id. */
export function isOwnReasoning(id: string, encrypted: string): boolean {
  const [thought = '', signed = ''] = encrypted.split('.');
  const found = Buffer.from(signed, 'base64url');
  const expected = tag(id, thought);
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function tag(id: string, thought: string): Buffer {
  return createHmac('sha256', REASONING_HMAC_KEY).update(`${id}.${thought}`).digest();
}
