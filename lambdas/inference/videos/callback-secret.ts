/**
 * What an account checks callbacks with. It follows from the deployment's pepper and the account's id, so that nothing has to be
 * stored, and the operator can tell it again at any time.
 */

import { sealingKey } from '../../platform/secrets/sealing.ts';

/** A secret in the form of standard-webhooks: the prefix, and 32 bytes in Base64. */
export function callbackSecret(pepper: string, accountId: string): string {
  return `whsec_${sealingKey(pepper, accountId, 'callback secret').toString('base64')}`;
}
