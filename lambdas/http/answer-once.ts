import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { tagsInFingerprint } from '../admission/tags/sent-tags.ts';
import { nowMs } from '../platform/clock.ts';
import { AlreadyChargedError, BeingAnsweredError, conflict, GatewayError, invalidRequest } from '../platform/errors.ts';
import { describeError, log } from '../platform/logger.ts';
import { seal, sealingKey, unseal } from '../platform/secrets/sealing.ts';
import { readPepper } from '../platform/secrets/secrets.ts';
import { resources } from '../resources.ts';
import { AlreadyAnsweredError, keepAnswerPut, readAnswer, type KeptAnswer } from '../store/accounts/idempotency.ts';
import { writeAlone } from '../store/table/transact.ts';
import type { Write } from '../store/table/writes.ts';
import type { HttpRequest } from './request.ts';
import type { HttpResponse } from './response.ts';

const KEEP_ANSWERS_MS = 24 * 3_600_000;
/** Maximum time in ms to wait for the answer of an earlier request with the same `Idempotency-Key`. */
const PATIENCE_MS = 3_000;
/** Maximum time in ms between the charge of an answer and its storage. */
const STORAGE_MS = 500;
const POLL_EVERY_MS = 100;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

interface OnceRequest {
  route: string;
  /** Owner of the answer. Only the owner can receive it again. */
  owner: string;
  request: HttpRequest;
}

/**
 * Returns the write that stores an answer; undefined if the answer is not to be stored. Callers add it to the
 * transaction that changes the data.
 */
export type Keep = (response: HttpResponse) => Write | undefined;

/**
 * Processes requests with the same `Idempotency-Key` once within 24 hours. A repeated request gets the stored answer
 * and changes nothing.
 *
 * Guarantee: one transaction makes the change and stores the answer. The answer may contain a secret, so it is
 * encrypted (AES-256-GCM) with a key derived from the Idempotency-Key and the pepper. Only a hash of the
 * Idempotency-Key is stored. Failed answers are not stored.
 * @throws {GatewayError} 400 for an invalid header; 409 for the same key with another path, body or tags; the errors of
 *   `answer`
 */
export async function answerOnce(
  requested: OnceRequest,
  answer: (keep: Keep) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const idempotencyKey = requested.request.headers['idempotency-key'];
  if (idempotencyKey === undefined) return answer(() => undefined);
  if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
    throw invalidRequest('idempotency-key', 'must be 1 to 255 visible ASCII characters, for example a UUID');
  }
  const table = resources.table();
  const pepper = await readPepper();
  const name = keyedHash(pepper, [requested.owner, requested.route, idempotencyKey]);
  const { path, body, headers } = requested.request;
  const fingerprint = keyedHash(pepper, [idempotencyKey, path, body, ...tagsInFingerprint(headers)]);
  const key = sealingKey(idempotencyKey, pepper, 'kept answer');
  const again = async () => {
    const kept = await readAnswer(table, name, nowMs());
    return kept && repeat(kept, fingerprint, key);
  };
  const known = await again();
  if (known) return known;
  const keep: Keep = (response) =>
    keepAnswerPut(
      table,
      name,
      { fingerprint, sealed: sealedAnswer(response, key), expiresAtMs: nowMs() + KEEP_ANSWERS_MS },
      nowMs(),
    );
  try {
    return await answer(keep);
  } catch (error) {
    // A concurrent request with the same key may have been answered first; its answer is then returned.
    const mayBeStored = error instanceof GatewayError || error instanceof AlreadyAnsweredError;
    const theirs = mayBeStored ? await within(patienceMs(error), again) : undefined;
    if (theirs) return theirs;
    throw error;
  }
}

/**
 * Like `answerOnce`, for an answer that is charged before it is stored.
 *
 * Weakness: an answer of more than about 290 kB is not stored, and neither is the answer of a process that is killed
 * after the charge. A repeated request then gets 409 with the cost.
 */
export const chargedAnswerOnce: AnswerOnce = (requested, answer) =>
  answerOnce(requested, async (keep) => {
    const response = await answer(keep);
    await store(keep(response));
    return response;
  });

async function store(write: Write | undefined): Promise<void> {
  try {
    if (write) await writeAlone(resources.table(), write, { timeoutMs: STORAGE_MS });
  } catch (error) {
    log('warn', 'answer not stored', describeError(error));
  }
}

function patienceMs(error: Error): number {
  if (error instanceof BeingAnsweredError) return PATIENCE_MS;
  return error instanceof AlreadyChargedError ? STORAGE_MS : 0;
}

async function within<Answer>(ms: number, ask: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
  const deadlineMs = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer || performance.now() > deadlineMs) return answer;
    await sleep(POLL_EVERY_MS);
  }
}

export type AnswerOnce = typeof answerOnce;

function repeat(kept: KeptAnswer, fingerprint: string, key: Buffer): HttpResponse {
  if (kept.fingerprint !== fingerprint) {
    throw conflict('This Idempotency-Key was used for another request within the last 24 hours. Use a new one.', {
      field: 'idempotency-key',
    }).discourageRetry();
  }
  const response = JSON.parse(unseal(Buffer.from(kept.sealed, 'base64'), key)) as HttpResponse;
  return { ...response, headers: { ...response.headers, 'idempotent-replayed': 'true' } };
}

function keyedHash(pepper: string, parts: string[]): string {
  return createHmac('sha256', pepper).update(JSON.stringify(parts)).digest('hex');
}

function sealedAnswer({ statusCode, headers, body }: HttpResponse, key: Buffer): string {
  return seal(JSON.stringify({ statusCode, headers, body: body as string }), key).toString('base64');
}
