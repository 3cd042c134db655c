import type { PriceTier, Pricing } from '../../../lambdas/catalog/schema.ts';
import { countedUnits, type RecordedUnit } from '../../../lambdas/catalog/unit-lists.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { Generation } from '../../../lambdas/store/generations/generation.ts';
import type { Outcome } from '../../../lambdas/store/generations/outcome.ts';
import type { Payer } from '../../../lambdas/store/accounts/payer.ts';
import type { Refusal } from '../../../lambdas/store/generations/refusals.ts';
import { statusOf, type PastRequest } from '../../../lambdas/store/generations/request-history.ts';
import type { Row } from '../../shared/output.ts';

export interface RequestRow extends Row {
  created_at: string;
  model: string | null;
  provider: string | null;
  endpoint_id: string | null;
  status: string;
  /** Reason of a refusal by the gateway. */
  refusal: { status: number; error_type: string; field: string | null; limit_source: string | null } | null;
  cost_rub: string | null;
  tokens_prompt: number | null;
  tokens_completion: number | null;
  finish_reason: string | null;
  provider_status: number | null;
  /** Failure code of the last provider that was called; null if it did not fail, or is not known. */
  failure: string | null;
  latency_ms: number | null;
  key_hash: string;
  workspace_id: string;
  member_id: string | null;
  id: string;
}

export function requestRow(request: PastRequest): RequestRow {
  return 'refusal' in request ? refusalRow(request.refusal) : generationRow(request.generation);
}

function generationRow(generation: Generation): RequestRow {
  const { id, createdAtMs, outcome, payer, model, endpointId, providerName } = generation;
  return {
    created_at: new Date(createdAtMs).toISOString(),
    model: outcome?.model ?? model,
    provider: outcome?.providerName ?? providerName,
    endpoint_id: outcome?.endpointId ?? endpointId,
    status: statusOf(generation),
    refusal: null,
    cost_rub: outcome?.cost.toString() ?? null,
    tokens_prompt: outcome?.promptTokens ?? null,
    tokens_completion: outcome?.completionTokens ?? null,
    finish_reason: outcome?.finishReason ?? null,
    provider_status: outcome?.providerStatus ?? null,
    failure: outcome?.failures[outcome.failedAttempts.length] ?? null,
    latency_ms: outcome?.latencyMs ?? null,
    overhead_ms: outcome?.overheadMs ?? null,
    provider_ms: outcome?.providerMs ?? null,
    ...payerColumns(payer),
    id,
  };
}

function refusalRow({ id, createdAtMs, payer, status, kind, field, limit, model }: Refusal): RequestRow {
  return {
    created_at: new Date(createdAtMs).toISOString(),
    model: model ?? null,
    provider: null,
    endpoint_id: null,
    status: 'refused',
    refusal: { status, error_type: kind, field: field ?? null, limit_source: limit ?? null },
    cost_rub: '0',
    tokens_prompt: null,
    tokens_completion: null,
    finish_reason: null,
    provider_status: null,
    failure: null,
    latency_ms: null,
    ...payerColumns(payer),
    id,
  };
}

function payerColumns({ keyHash, workspaceId, memberId }: Payer) {
  return { key_hash: keyHash, workspace_id: workspaceId, member_id: memberId ?? null };
}

/** Absent conditions do not restrict the list. */
export interface RequestFilter {
  keyHash?: string | undefined;
  member?: string | undefined;
  model?: string | undefined;
  status?: string | undefined;
}

export function isIn(row: RequestRow, { keyHash, member, model, status }: RequestFilter): boolean {
  return (
    (keyHash === undefined || row.key_hash === keyHash) &&
    (member === undefined || row.member_id === member) &&
    (model === undefined || row.model === model) &&
    (status === undefined || row.status === status)
  );
}

/** Name of the status "refused_before" in tables and options: "refused" would look like a refusal by the gateway. */
export const FAILED_BEFORE = 'failed_before';

/** This many characters usually identify a key; `--key` accepts the beginning of a hash. */
const SHOWN_HASH_CHARACTERS = 8;

export function requestTableRow(row: RequestRow): Row {
  const { created_at, model, refusal, cost_rub, tokens_prompt, tokens_completion, key_hash, member_id, id } = row;
  const reason = refusal && (refusal.limit_source ?? refusal.field ?? refusal.error_type);
  return {
    'time (UTC)': created_at.slice(0, '2026-11-20T12:00:00'.length).replace('T', ' '),
    model,
    status: refusal ? `${refusal.status} ${reason}` : row.status === 'refused_before' ? FAILED_BEFORE : row.status,
    cost_rub,
    in: tokens_prompt,
    out: tokens_completion,
    key: key_hash.slice(0, SHOWN_HASH_CHARACTERS),
    member: member_id,
    id,
  };
}

export function describedRefusal(refusal: Refusal): Row {
  const { refusal: reason, id, ...row } = refusalRow(refusal);
  const { created_at, status, model, cost_rub, key_hash, workspace_id, member_id } = row;
  return {
    id,
    created_at,
    route: refusal.route,
    status,
    ...reason,
    ...amountsRow(refusal),
    model,
    cost_rub,
    key_hash,
    workspace_id,
    member_id,
  };
}

/** Amounts of the exceeded limit at the time of the refusal; empty if no rouble limit was exceeded. */
function amountsRow({ amounts }: Refusal): Row {
  if (!amounts) return {};
  const { interval, limit, spent, held, left, required } = amounts;
  return {
    limit_interval: interval,
    limit_rub: limit.toString(),
    spend_rub: spent.toString(),
    held_rub: held.toString(),
    remaining_rub: left.toString(),
    required_rub: required.toString(),
  };
}

/**
 * Returns the details of a generation: prices and failed attempts if it has an outcome, its hold (reserved money) while
 * it is pending.
 */
export function describedGeneration(generation: Generation): Row {
  const { refusal: _, id, created_at, ...row } = generationRow(generation);
  const { apiType, streamed, hold, outcome, state } = generation;
  return {
    id,
    created_at,
    api_type: apiType,
    streamed,
    ...row,
    ...(outcome ? describedOutcome(outcome) : {}),
    ...(state === 'pending'
      ? { held_rub: hold.amount.toString(), held_in: hold.scopes.join(', ') || 'no limit' }
      : { swept: generation.swept }),
  };
}

const recordedUnits = countedUnits.filter(
  (unit): unit is RecordedUnit & { shownAs: string } => unit.shownAs !== undefined,
);

function describedOutcome(outcome: Outcome): Row {
  const { pricing, cacheSaved, serviceCost, failedAttempts, failures, rounds } = outcome;
  return {
    ...Object.fromEntries(recordedUnits.map(({ shownAs, record: [field] }) => [shownAs, outcome[field]])),
    prices_rub: pricing ? pricesRow(pricing) : null,
    cache_saved_rub: cacheSaved.toString(),
    ...(serviceCost ? { service_cost_rub: serviceCost.toString() } : {}),
    estimated: outcome.estimated,
    capped: outcome.capped,
    native_finish_reason: outcome.nativeFinishReason,
    left_out: outcome.leftOut.join(', ') || null,
    generation_time_ms: outcome.generationTimeMs,
    rounds: rounds.length || 1,
    failed_attempts: failedAttempts.map(
      ({ providerName, status, durationMs }, index) =>
        `${providerName}: ${[status ?? 'no answer', failures[index] ?? []].flat().join(', ')} after ${durationMs} ms`,
    ),
  };
}

/** Returns the nonzero prices as decimal text, including those for longer prompts. */
function pricesRow(pricing: Pricing | PriceTier): Row {
  const entries = Object.entries(pricing).filter(([, price]) => !(price instanceof Money && price.isZero));
  return Object.fromEntries(entries.map(([name, price]: [string, unknown]) => [name, priceCell(price)]));
}

function priceCell(price: unknown): unknown {
  if (price instanceof Money) return price.toString();
  return Array.isArray(price) ? price.map((tier: PriceTier) => pricesRow(tier)) : price;
}
