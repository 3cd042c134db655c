/** Chooses how requests are authorized. The scheme depends on the provider, not on the wire. */

import type { AuthScheme } from '../../catalog/auth-schemes.ts';
import { authorizeWithSigV4 } from './aws-sigv4.ts';
import { authorizeAtGigachat, forgetAtGigachat } from './gigachat-oauth.ts';
import { authorizeWithServiceAccount, forgetServiceAccount } from './google-service-account.ts';
import type { Authorize, Forget } from './outgoing-request.ts';

const authorizers: Record<AuthScheme, Authorize> = {
  bearer: (credential) => ({ authorization: `Bearer ${credential}` }),
  'api-key-authorization': (credential) => ({ authorization: `Api-Key ${credential}` }),
  'x-api-key': (credential) => ({ 'x-api-key': credential }),
  'api-key': (credential) => ({ 'api-key': credential }),
  'x-goog-api-key': (credential) => ({ 'x-goog-api-key': credential }),
  'x-key': (credential) => ({ 'x-key': credential }),
  'xi-api-key': (credential) => ({ 'xi-api-key': credential }),
  'token-authorization': (credential) => ({ authorization: `Token ${credential}` }),
  'aws-sigv4': authorizeWithSigV4,
  'google-service-account': authorizeWithServiceAccount,
  'gigachat-oauth': authorizeAtGigachat,
};

/** Functions that drop a cached token, by scheme. A provider may reject a token that has not expired. */
const forgetters: Partial<Record<AuthScheme, Forget>> = {
  'gigachat-oauth': forgetAtGigachat,
  'google-service-account': forgetServiceAccount,
};

export function authorizer(scheme: AuthScheme): Authorize {
  return authorizers[scheme];
}

export function forgetter(scheme: AuthScheme): Forget | undefined {
  return forgetters[scheme];
}
