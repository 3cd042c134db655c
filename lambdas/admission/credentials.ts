/**
 * Secrets of keys: a prefix for the kind of key, and 256 random bits. A key's record has only HMAC-SHA-256(pepper,
 * secret) and six characters of the secret, so a copy of the table gives no access without the deployment's pepper.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { unauthenticated } from '../platform/errors.ts';
import { newSecretBits } from '../platform/ids.ts';
import type { KeyKind } from '../store/accounts/keys.ts';

const prefixes: Record<KeyKind, string> = { inference: 'sk-mg-v1-', management: 'mk-mg-v1-' };

const SECRET = /^[sm]k-mg-v1-[0-9a-f]{64}$/;

export function newKeySecret(kind: KeyKind): string {
  return `${prefixes[kind]}${newSecretBits()}`;
}

/** Returns the hash under which a key is stored, in hex. */
export function hashSecret(pepper: string, secret: string): string {
  return createHmac('sha256', pepper).update(secret).digest('hex');
}

/** Masks a secret for display: sk-mg-v1-abc…xyz. */
export function maskSecret(secret: string): string {
  const prefix = Object.values(prefixes).find((candidate) => secret.startsWith(candidate)) ?? '';
  return `${secret.slice(0, prefix.length + 3)}…${secret.slice(-3)}`;
}

export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * Returns the key of a request, from `x-api-key`, `xi-api-key` (ElevenLabs) or `Authorization: Bearer`. If several are
 * present, the first one with the pattern of this gateway's keys is used. A setting for a key may contain "Bearer", or a
 * setting for the header may lack it, so every header may have the word any number of times. Quotes around a key, which
 * an option such as Docker's `--env-file` keeps, are ignored. Some clients send a header twice, which joins the values
 * with a comma (https://github.com/microsoft/agent-lightning/pull/584).
 * @throws {GatewayError} 401 without a key, or for a text without the pattern of this gateway's keys
 */
export function secretFrom(headers: Record<string, string>): string {
  const sent = ['x-api-key', 'xi-api-key', 'authorization'].flatMap((name) =>
    (headers[name] ?? '').split(',').flatMap((value) => keyOfHeader(value) ?? []),
  );
  const secret = sent.find((one) => SECRET.test(one)) ?? sent[0];
  if (!secret) {
    throw unauthenticated('No API key was sent. Send one as "Authorization: Bearer <key>" or "x-api-key: <key>".');
  }
  if (!SECRET.test(secret)) throw isOfOurs(secret) ? unknownKey() : foreignKey();
  return secret;
}

/** Returns the key in a header's value; undefined for an empty value, and for another scheme, such as "Basic". */
function keyOfHeader(header: string): string | undefined {
  const words = header.split(/[\s"']+/).filter((word) => word !== '' && word.toLowerCase() !== 'bearer');
  return words.length === 1 ? words[0] : undefined;
}

function isOfOurs(secret: string): boolean {
  return Object.values(prefixes).some((prefix) => secret.startsWith(prefix));
}

function foreignKey() {
  return unauthenticated(
    `This is not an API key of this gateway. Its keys begin with "${prefixes.inference}" or "${prefixes.management}".`,
  );
}

export function unknownKey() {
  return unauthenticated('This API key is not valid: it is unknown, disabled, expired or deleted.');
}
