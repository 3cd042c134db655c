/**
 * Derives the secret with which an account verifies callbacks about videos and alerts. It is not stored, and changes
 * with the pepper.
 */

import { sealingKey } from './sealing.ts';

/** Returns a secret in the format of standard-webhooks: the prefix `whsec_`, and 32 bytes in Base64. */
export function callbackSecret(pepper: string, accountId: string): string {
  return `whsec_${sealingKey(pepper, accountId, 'callback secret').toString('base64')}`;
}
