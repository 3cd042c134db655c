/**
 * Requests to Google Cloud, with a token that Google gives for an assertion signed with the key of a service account
 * (RFC 7523). The credential is the JSON file that Google makes for the key. Google does not bill for tokens; they last an hour.
 */

import { sign } from 'node:crypto';
import * as z from 'zod';
import { nowMs } from '../../platform/clock.ts';
import { readText, UpstreamRequest } from '../upstream-http.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { bearerOf, readTokenAnswer, tokenCache, type AccessToken } from './token-cache.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_SECONDS = 3_600;
const TIMEOUT_MS = 10_000;
const timeouts = { connectMs: 5_000, firstByteMs: TIMEOUT_MS, idleMs: TIMEOUT_MS };
const MAX_ANSWER_BYTES = 64 * 1024;

const serviceAccountSchema = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: z.url({ protocol: /^https?$/ }).default('https://oauth2.googleapis.com/token'),
});

const answerSchema = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]{1,16384}$/),
  expires_in: z.number().positive(),
});

const tokens = tokenCache();

/** @param credential the JSON of the account's key */
export async function authorizeWithServiceAccount(credential: string): Promise<Record<string, string>> {
  const token = await tokens.get(credential, () => exchange(credential));
  return { authorization: `Bearer ${token}` };
}

export function forgetServiceAccount(credential: string, headers: OutgoingRequest['headers']): void {
  tokens.drop(credential, bearerOf(headers));
}

/** Its errors name no part of the credential, and repeat no word of the answer. */
async function exchange(credential: string): Promise<AccessToken> {
  const askedAtMs = nowMs();
  const account = readServiceAccount(credential);
  const form = new URLSearchParams({ grant_type: GRANT_TYPE, assertion: assertionOf(account) });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const request = new UpstreamRequest({ url: account.token_uri, headers, timeouts }, AbortSignal.timeout(TIMEOUT_MS));
  const { status, body } = await request.send(form.toString());
  const text = await readText(body, MAX_ANSWER_BYTES);
  if (status !== 200) throw new Error(`Google refused a token for the service account (status ${status})`);
  const answer = answerSchema.safeParse(readTokenAnswer(text));
  if (!answer.success) throw new Error('Google answered without a token');
  const { access_token: token, expires_in: seconds } = answer.data;
  return { token, expiresAtMs: askedAtMs + seconds * 1_000 };
}

type ServiceAccount = z.infer<typeof serviceAccountSchema>;

/** @throws {Error} that does not contain any part of it */
function readServiceAccount(credential: string): ServiceAccount {
  const account = serviceAccountSchema.safeParse(readTokenAnswer(credential));
  if (account.success) return account.data;
  throw new Error('The credential is not the JSON file of a service account: client_email and private_key are missing');
}

function assertionOf({ client_email, private_key, private_key_id, token_uri }: ServiceAccount): string {
  const issuedAt = Math.floor(nowMs() / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(private_key_id ? { kid: private_key_id } : {}) };
  const claims = {
    iss: client_email,
    scope: SCOPE,
    aud: token_uri,
    iat: issuedAt,
    exp: issuedAt + ASSERTION_SECONDS,
  };
  const unsigned = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${unsigned}.${sign('RSA-SHA256', Buffer.from(unsigned), private_key).toString('base64url')}`;
}
