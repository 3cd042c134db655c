/**
 * Derives the secret with which an account verifies callbacks about videos and alerts. It is computed from the
 * deployment's secret (pepper) and the account's id. The secret is not stored, and the operator can display it again
 * until the pepper changes.
 */

import { sealingKey } from './sealing.ts';

/** Returns a secret in the format of standard-webhooks: the prefix `whsec_`, and 32 bytes in Base64. */
export function callbackSecret(pepper: string, accountId: string): string {
  return `whsec_${sealingKey(pepper, accountId, 'callback secret').toString('base64')}`;
}
