/**
 * Inference requests with an `Idempotency-Key`.
 *
 * Guarantee: for each key, route and value of the header, the gateway charges at most one answer that the client has
 * received, whole or in part. The transaction of the hold claims the value, so only one of two concurrent requests is
 * admitted. A claim lasts 24 hours, but ends earlier in two cases:
 * - Its generation is final, was not completed and cost nothing.
 * - Its answer was not streamed and failed. The client may retry; each attempt costs its reported usage.
 *
 * Weakness: the gateway stores only answers of decisions and videos (http/answer-once). Other lost answers cannot be
 * fetched again; the client gets their cost.
 */

import { createHmac } from 'node:crypto';
import {
  AlreadyChargedError,
  BeingAnsweredError,
  conflict,
  invalidRequest,
  type GatewayError,
} from '../platform/errors.ts';
import { nowMs } from '../platform/clock.ts';
import { describeError, log } from '../platform/logger.ts';
import { readPepper } from '../platform/secrets/secrets.ts';
import { readGeneration } from '../store/generations/generation-queries.ts';
import type { Generation } from '../store/generations/generation.ts';
import { claimEnd, claimPut, readClaim, type InferenceClaim } from '../store/generations/inference-claims.ts';
import type { Payer } from '../store/accounts/payer.ts';
import type { Table } from '../store/table/table.ts';
import { writeAlone } from '../store/table/transact.ts';
import type { Write } from '../store/table/writes.ts';
import { tagsInFingerprint } from './tags/sent-tags.ts';

const KEEP_CLAIMS_MS = 24 * 3_600_000;
/** Maximum time in ms to end a claim. */
const MAX_GIVING_UP_MS = 1_000;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

export interface RequestClaim {
  name: string;
  fingerprint: string;
  /** Earlier generation that had the claim, was not completed and cost nothing; undefined for a new claim. */
  replaced: string | undefined;
}

interface ClaimingRequest {
  route: string;
  headers: Record<string, string>;
  body: string;
  query: Record<string, string>;
  pathParameters: Record<string, string>;
  payer: Payer;
}

/**
 * Returns the claim of a request, or undefined without the header.
 *
 * Cost: one read, or two for a known value.
 * @throws {GatewayError} 400 for a malformed header; 409 if the value was used for a different request, or if its
 *   request is still running, was completed or was charged
 */
export async function claimOf(
  table: Table,
  { route, headers, body, query, pathParameters, payer }: ClaimingRequest,
): Promise<RequestClaim | undefined> {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  if (!IDEMPOTENCY_KEY.test(header)) {
    throw invalidRequest('idempotency-key', 'must be 1 to 255 visible ASCII characters, for example a UUID');
  }
  const pepper = await readPepper();
  const name = keyedHash(pepper, [payer.keyHash, route, header]);
  const inUrl = Object.entries({ ...query, ...pathParameters }).flat();
  const fingerprint = keyedHash(pepper, [header, body, ...inUrl, ...tagsInFingerprint(headers)]);
  const known = await readClaim(table, name, nowMs());
  if (!known) return { name, fingerprint, replaced: undefined };
  const { generationId } = known;
  const generation = await readGeneration(table, payer.accountId, generationId);
  const refusal = claimRefusal(known, { fingerprint, generation });
  if (refusal) throw refusal;
  return { name, fingerprint, replaced: generationId };
}

/** Returns the write of a claim. Its condition is that no other request has made the claim since it was read. */
export function claimWrite(table: Table, { name, fingerprint, replaced }: RequestClaim, generationId: string): Write {
  const atMs = nowMs();
  return claimPut(table, name, { generationId, fingerprint, expiresAtMs: atMs + KEEP_CLAIMS_MS }, { atMs, replaced });
}

/** Ends the claim of a generation whose client received nothing. Never rejects. */
export async function giveUpClaim(table: Table, { name }: RequestClaim, generationId: string): Promise<void> {
  try {
    await writeAlone(table, claimEnd(table, name, generationId, nowMs()), { timeoutMs: MAX_GIVING_UP_MS });
  } catch (error) {
    log('warn', 'claim not ended', { generationId, ...describeError(error) });
  }
}

/**
 * Returns the refusal of a request whose `Idempotency-Key` is known. Undefined if the request may be repeated, because
 * the known generation is final, was not completed and cost nothing.
 */
export function claimRefusal(
  known: InferenceClaim,
  now: { fingerprint: string; generation: Generation | undefined },
): GatewayError | undefined {
  if (known.fingerprint !== now.fingerprint) {
    return conflict('This Idempotency-Key was used for another request within the last 24 hours. Use a new one.', {
      field: 'idempotency-key',
    }).discourageRetry();
  }
  const { generation } = now;
  if (generation?.state === 'final') {
    const { cost, ending, finishReason } = generation.outcome!;
    return cost.isZero && ending !== 'complete'
      ? undefined
      : alreadyAnswered(generation.id, { cost: cost.toString(), ending, finishReason });
  }
  return new BeingAnsweredError(known.generationId);
}

function alreadyAnswered(
  id: string,
  { cost, ending, finishReason }: { cost: string; ending: string | null; finishReason: string | null },
): GatewayError {
  return new AlreadyChargedError(
    `The request with this Idempotency-Key was answered as ${id}, for ${cost} RUB. The answer is not stored. Send a new Idempotency-Key to pay for a new answer.`,
    { field: 'idempotency-key', generation_id: id, total_cost_rub: cost, ending, finish_reason: finishReason },
  );
}

function keyedHash(pepper: string, parts: string[]): string {
  return createHmac('sha256', pepper).update(JSON.stringify(parts)).digest('hex');
}
