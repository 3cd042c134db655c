import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Constant, so that the sandbox recognizes its own reasoning after a restart; it does not need to be secret. */
const REASONING_HMAC_KEY = 'sandbox';

/** Returns opaque reasoning for an output item. */
export function encryptedReasoning(id: string): string {
  const thought = randomBytes(24).toString('base64url');
  return `${thought}.${tag(id, thought).toString('base64url')}`;
}

/** Whether the sandbox produced this reasoning for the item. */
export function isOwnReasoning(id: string, encrypted: string): boolean {
  const [thought = '', signed = ''] = encrypted.split('.');
  const found = Buffer.from(signed, 'base64url');
  const expected = tag(id, thought);
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function tag(id: string, thought: string): Buffer {
  return createHmac('sha256', REASONING_HMAC_KEY).update(`${id}.${thought}`).digest();
}
