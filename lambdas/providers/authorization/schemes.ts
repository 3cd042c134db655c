/**
 * How a provider learns whose request it is. The scheme is a fact of the provider, not of the wire: Claude is reached over
 * one wire with a key of Anthropic, with a signature of AWS, or with a token of Google.
 */

import type { AuthScheme } from '../../catalog/auth-schemes.ts';

/** A request as it leaves. */
export interface OutgoingRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/**
 * The headers that authorize one request. Called when its body is final, before every try to send it.
 * @param credential as the operator set it
 * @throws an error of any kind: it counts as the provider's failure, and must not contain the credential
 */
type Authorize = (
  credential: string,
  request: OutgoingRequest,
) => Record<string, string> | Promise<Record<string, string>>;

const authorizers: Record<AuthScheme, Authorize> = {
  bearer: (credential) => ({ authorization: `Bearer ${credential}` }),
  'api-key-authorization': (credential) => ({ authorization: `Api-Key ${credential}` }),
  'x-api-key': (credential) => ({ 'x-api-key': credential }),
  'api-key': (credential) => ({ 'api-key': credential }),
  'x-goog-api-key': (credential) => ({ 'x-goog-api-key': credential }),
};

export function authorizer(scheme: AuthScheme): Authorize {
  return authorizers[scheme];
}
