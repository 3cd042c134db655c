import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { nowMs } from '../platform/clock.ts';
import { conflict, GatewayError, invalidRequest } from '../platform/errors.ts';
import { readPepper } from '../platform/secrets.ts';
import { resources } from '../resources.ts';
import { AlreadyAnsweredError, keepAnswerPut, readAnswer, type KeptAnswer } from '../store/idempotency.ts';
import type { Write } from '../store/writes.ts';
import type { HttpRequest } from './request.ts';
import type { HttpResponse } from './response.ts';

/** How long an answer is kept. */
const KEEP_MS = 24 * 3_600_000;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

interface Asked {
  route: string;
  accountId: string;
  request: HttpRequest;
}

/** The write that keeps an answer, if it is kept; it belongs in the transaction of its effect. */
export type Keep = (response: HttpResponse) => Write | undefined;

/**
 * Answers a request with an `Idempotency-Key` once: the same key and body get the same answer for 24 hours without a
 * second effect, the same key with another body a 409. Without the header it only answers.
 *
 * Guarantee: effect and kept answer are one transaction, so two requests at once have one effect. The answer may hold
 * a secret: it is sealed (AES-256-GCM) with a key derived from the Idempotency-Key and the deployment's pepper, and the
 * Idempotency-Key itself is only stored hashed. Requests that failed are not kept.
 */
export async function answerOnce(asked: Asked, answer: (keep: Keep) => Promise<HttpResponse>): Promise<HttpResponse> {
  const idempotencyKey = asked.request.headers['idempotency-key'];
  if (idempotencyKey === undefined) return answer(() => undefined);
  if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
    throw invalidRequest('idempotency-key', 'must be 1 to 255 visible ASCII characters, for example a UUID');
  }
  const table = resources.table();
  const pepper = await readPepper();
  const name = keyedHash(pepper, [asked.accountId, asked.route, idempotencyKey]);
  const fingerprint = keyedHash(pepper, [idempotencyKey, asked.request.path, asked.request.body]);
  const key = Buffer.from(hkdfSync('sha256', idempotencyKey, pepper, 'kept answer', 32));
  const again = async () => {
    const kept = await readAnswer(table, name, nowMs());
    return kept && repeat(kept, fingerprint, key);
  };
  const known = await again();
  if (known) return known;
  const keep: Keep = (response) =>
    keepAnswerPut(table, name, { fingerprint, sealed: seal(response, key), expiresAtMs: nowMs() + KEEP_MS }, nowMs());
  try {
    return await answer(keep);
  } catch (error) {
    // The same request may have got there first; its change can be the reason why this one was refused.
    const theirs = error instanceof GatewayError || error instanceof AlreadyAnsweredError ? await again() : undefined;
    if (theirs) return theirs;
    throw error;
  }
}

export type AnswerOnce = typeof answerOnce;

function repeat(kept: KeptAnswer, fingerprint: string, key: Buffer): HttpResponse {
  if (kept.fingerprint !== fingerprint) {
    throw conflict('This Idempotency-Key was used for another request within the last 24 hours. Use a new one.', {
      field: 'idempotency-key',
    });
  }
  const response = unseal(kept.sealed, key);
  return { ...response, headers: { ...response.headers, 'idempotent-replayed': 'true' } };
}

function keyedHash(pepper: string, parts: string[]): string {
  return createHmac('sha256', pepper).update(JSON.stringify(parts)).digest('hex');
}

function seal({ statusCode, headers, body }: HttpResponse, key: Buffer): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const text = cipher.update(JSON.stringify({ statusCode, headers, body: body as string }), 'utf8');
  return Buffer.concat([iv, text, cipher.final(), cipher.getAuthTag()]).toString('base64');
}

function unseal(sealed: string, key: Buffer): HttpResponse {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  const text = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
  return JSON.parse(text) as HttpResponse;
}
