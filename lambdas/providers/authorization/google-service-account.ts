/** Authorizes requests to Google Cloud with access tokens for a service account's key, a JSON file (RFC 7523). */

import { sign } from 'node:crypto';
import * as z from 'zod';
import { nowMs, nowSeconds } from '../../platform/clock.ts';
import { readResponse } from '../http/read-text.ts';
import { UpstreamRequest } from '../http/upstream-http.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { RefusedCredential, tokenRefusal } from './refused-credential.ts';
import { bearerOf, readTokenAnswer, tokenCache, type AccessToken } from './token-cache.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_SECONDS = 3_600;
const GOOGLE_TIMEOUT_MS = 10_000;
const googleTimeouts = { connectMs: 5_000, firstByteMs: GOOGLE_TIMEOUT_MS, idleMs: GOOGLE_TIMEOUT_MS };
const MAX_GOOGLE_TOKEN_BYTES = 64 * 1024;

const serviceAccountSchema = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: z.url({ protocol: /^https?$/ }).default('https://oauth2.googleapis.com/token'),
});

const googleTokenSchema = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]{1,16384}$/),
  expires_in: z.number().positive(),
});

const googleTokens = tokenCache();

/**
 * Returns the header with an access token.
 * @param credential JSON of the service account's key
 */
export async function authorizeWithServiceAccount(credential: string): Promise<Record<string, string>> {
  const token = await googleTokens.get(credential, () => exchangeGoogleAssertion(credential));
  return { authorization: `Bearer ${token}` };
}

export function forgetServiceAccount(credential: string, headers: OutgoingRequest['headers']): void {
  googleTokens.drop(credential, bearerOf(headers));
}

/** Exchanges a signed assertion for a token. Error messages contain neither the credential nor the response's body. */
async function exchangeGoogleAssertion(credential: string): Promise<AccessToken> {
  const requestedAtMs = nowMs();
  const account = readServiceAccount(credential);
  const form = new URLSearchParams({ grant_type: GRANT_TYPE, assertion: assertionOf(account) });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const request = new UpstreamRequest(
    { url: account.token_uri, headers, timeouts: googleTimeouts },
    AbortSignal.timeout(GOOGLE_TIMEOUT_MS),
  );
  const response = await request.send(form.toString());
  const text = await readResponse(response, MAX_GOOGLE_TOKEN_BYTES);
  if (response.status !== 200) {
    throw tokenRefusal(response.status, `Google refused a token for the service account (status ${response.status})`);
  }
  const answer = googleTokenSchema.safeParse(readTokenAnswer(text));
  if (!answer.success) throw new Error('Google answered without a token');
  const { access_token: token, expires_in: seconds } = answer.data;
  return { token, expiresAtMs: requestedAtMs + seconds * 1_000 };
}

type ServiceAccount = z.infer<typeof serviceAccountSchema>;

/**
 * Reads the JSON of a service account's key.
 * @throws {RefusedCredential} for an unreadable credential; the message contains no part of it
 */
function readServiceAccount(credential: string): ServiceAccount {
  const account = serviceAccountSchema.safeParse(readTokenAnswer(credential));
  if (account.success) return account.data;
  throw new RefusedCredential(
    'The credential is not the JSON file of a service account: client_email and private_key are missing',
  );
}

function assertionOf({ client_email, private_key, private_key_id, token_uri }: ServiceAccount): string {
  const issuedAt = nowSeconds();
  const header = { alg: 'RS256', typ: 'JWT', ...(private_key_id ? { kid: private_key_id } : {}) };
  const claims = {
    iss: client_email,
    scope: SCOPE,
    aud: token_uri,
    iat: issuedAt,
    exp: issuedAt + ASSERTION_SECONDS,
  };
  const unsigned = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${unsigned}.${rs256Signature(unsigned, private_key).toString('base64url')}`;
}

/**
 * Returns the signature of the assertion.
 * @throws {RefusedCredential} if the key cannot sign
 */
function rs256Signature(unsigned: string, privateKey: string): Buffer {
  try {
    return sign('RSA-SHA256', Buffer.from(unsigned), privateKey);
  } catch {
    throw new RefusedCredential('The private key of the service account cannot sign');
  }
}
