/**
 * The secret with which an account verifies callbacks. It follows from the deployment's pepper and the account's id, so
 * it is not stored, and the operator can display it again at any time.
 */

import { sealingKey } from '../../platform/secrets/sealing.ts';

/** A secret in the form of standard-webhooks: the prefix, and 32 bytes in Base64. */
export function callbackSecret(pepper: string, accountId: string): string {
  return `whsec_${sealingKey(pepper, accountId, 'callback secret').toString('base64')}`;
}
