/**
 * Authorizes requests to GigaChat and SaluteSpeech with a token that is valid for about half an hour. The credential is
 * the authorization key from the provider's console (base64). A prefix such as `GIGACHAT_API_CORP:` is the OAuth scope;
 * by default, GigaChat's scope for individuals.
 */

import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { readResponse } from '../http/read-text.ts';
import { UpstreamRequest } from '../http/upstream-http.ts';
import type { AuthSettings, OutgoingRequest } from './outgoing-request.ts';
import { RefusedCredential, tokenRefusal } from './refused-credential.ts';
import { bearerOf, readTokenAnswer, tokenCache, type AccessToken } from './token-cache.ts';

const GIGACHAT_TIMEOUT_MS = 10_000;
const gigachatTimeouts = { connectMs: 5_000, firstByteMs: GIGACHAT_TIMEOUT_MS, idleMs: GIGACHAT_TIMEOUT_MS };
const MAX_GIGACHAT_TOKEN_BYTES = 64 * 1024;
const DEFAULT_SCOPE = 'GIGACHAT_API_PERS';
const CREDENTIAL = /^(?:((?:GIGACHAT_API|SALUTE_SPEECH)_[A-Z0-9]{1,20}):)?([A-Za-z0-9+/=_-]{1,1024})$/;

const gigachatTokenSchema = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]{1,16384}$/),
  /** Time of expiry, in epoch milliseconds. */
  expires_at: z.int().positive(),
});

const gigachatTokens = tokenCache();

export async function authorizeAtGigachat(
  credential: string,
  _request: OutgoingRequest,
  settings: AuthSettings,
): Promise<Record<string, string>> {
  const token = await gigachatTokens.get(gigachatKey(credential, settings), () =>
    exchangeGigachatKey(credential, settings),
  );
  return { authorization: `Bearer ${token}` };
}

export function forgetAtGigachat(
  credential: string,
  headers: OutgoingRequest['headers'],
  settings: AuthSettings,
): void {
  gigachatTokens.drop(gigachatKey(credential, settings), bearerOf(headers));
}

function gigachatKey(credential: string, { tokenUrl }: AuthSettings): string {
  return `${tokenUrl} ${credential}`;
}

/** Exchanges the authorization key for a token. Error messages have neither the credential nor the response's body. */
async function exchangeGigachatKey(credential: string, { tokenUrl, ca }: AuthSettings): Promise<AccessToken> {
  const [, scope = DEFAULT_SCOPE, key] = CREDENTIAL.exec(credential) ?? [];
  if (!key || !tokenUrl)
    throw new RefusedCredential('The credential is not an authorization key in base64, with or without a scope');
  const headers = {
    authorization: `Basic ${key}`,
    rquid: randomUUID(),
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const request = new UpstreamRequest(
    { url: tokenUrl, headers, ca, timeouts: gigachatTimeouts },
    AbortSignal.timeout(GIGACHAT_TIMEOUT_MS),
  );
  const response = await request.send(new URLSearchParams({ scope }).toString());
  const text = await readResponse(response, MAX_GIGACHAT_TOKEN_BYTES);
  if (response.status !== 200) {
    throw tokenRefusal(response.status, `The token address refused the credential (status ${response.status})`);
  }
  const answer = gigachatTokenSchema.safeParse(readTokenAnswer(text));
  if (!answer.success) throw new Error('The token address answered without a token');
  return { token: answer.data.access_token, expiresAtMs: answer.data.expires_at };
}
