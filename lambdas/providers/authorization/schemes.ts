/**
 * How a provider learns whose request it is. The scheme is a fact of the provider, not of the wire: Claude is reached over
 * one wire with a key of Anthropic, with a signature of AWS, or with a token of Google.
 */

import type { AuthScheme } from '../../catalog/auth-schemes.ts';
import { authorizeWithSigV4 } from './aws-sigv4.ts';
import { authorizeWithServiceAccount } from './google-service-account.ts';
import type { Authorize } from './outgoing-request.ts';

const authorizers: Record<AuthScheme, Authorize> = {
  bearer: (credential) => ({ authorization: `Bearer ${credential}` }),
  'api-key-authorization': (credential) => ({ authorization: `Api-Key ${credential}` }),
  'x-api-key': (credential) => ({ 'x-api-key': credential }),
  'api-key': (credential) => ({ 'api-key': credential }),
  'x-goog-api-key': (credential) => ({ 'x-goog-api-key': credential }),
  'aws-sigv4': authorizeWithSigV4,
  'google-service-account': authorizeWithServiceAccount,
};

export function authorizer(scheme: AuthScheme): Authorize {
  return authorizers[scheme];
}
