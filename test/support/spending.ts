import { randomUUID } from 'node:crypto';
import type { Settlement } from '../../lambdas/accounting/settlement.ts';
import * as holds from '../../lambdas/admission/hold.ts';
import type { HoldRequest, HoldResult, PlacedHold } from '../../lambdas/admission/hold.ts';
import { refusalError } from '../../lambdas/admission/refusal.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { Money } from '../../lambdas/money/money.ts';
import { intervals, windowsAt, type Interval } from '../../lambdas/money/periods.ts';
import { newGenerationId, uuidv7 } from '../../lambdas/platform/ids.ts';
import { configureUpdate, readCounter, type Scope, type OwnerKind } from '../../lambdas/store/counters/counters.ts';
import { generationsOfDay } from '../../lambdas/store/generations/generation-queries.ts';
import type { Hold } from '../../lambdas/store/generations/generation.ts';
import { emptyOutcome, type Outcome } from '../../lambdas/store/generations/outcome.ts';
import type { Payer } from '../../lambdas/store/accounts/payer.ts';
import type { Limits } from '../../lambdas/store/counters/limits.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { transact } from '../../lambdas/store/table/transact.ts';

export const rub = (text: string) => Money.parse(text);

export const pricing: Pricing = { prompt: rub('0.001'), completion: rub('0.002') };

/** Payer with its scopes (key, workspace, member, account). */
export interface Spender {
  payer: Payer;
  scopes: Scope[];
}

export async function newSpender(table: Table, limits: Partial<Record<OwnerKind, Limits>>): Promise<Spender> {
  const payer: Payer = {
    accountId: randomUUID(),
    workspaceId: randomUUID(),
    memberId: 'member-1',
    keyHash: randomUUID(),
  };
  const ids: Record<OwnerKind, string> = {
    key: payer.keyHash,
    workspace: payer.workspaceId,
    account: payer.accountId,
    member: `${payer.workspaceId}/${payer.memberId}`,
  };
  const scopes = (Object.keys(ids) as OwnerKind[]).map((kind) => ({
    kind,
    id: ids[kind],
    limits: limits[kind] ?? {},
    revision: 0,
  }));
  const counters = scopes.map((scope) => [
    scope.kind,
    configureUpdate(table, scope, { limits: scope.limits, revision: 0, active: true }),
  ]);
  await transact(table, Object.fromEntries(counters));
  return { payer, scopes };
}

export function holdRequest(
  spender: Spender,
  amount: Money,
  more: { atMs?: number; bootId?: string } = {},
): HoldRequest {
  const createdAtMs = more.atMs ?? Date.now();
  return {
    generation: {
      id: more.atMs === undefined ? newGenerationId() : `gen-${uuidv7(more.atMs)}`,
      payer: spender.payer,
      apiType: 'completions',
      model: 'test/model',
      modelPermaslug: 'test/model-1',
      endpointId: 'test/endpoint',
      providerName: 'Test',
      pricing,
      catalogVersion: 'test',
      streamed: true,
      createdAtMs,
      inputEstimate: { tokens: 100, units: undefined, cost: rub('0.1') },
      bootId: more.bootId ?? 'boot',
      sweepAtMs: createdAtMs + 60_000,
    },
    amount,
    scopes: spender.scopes,
  };
}

export function outcome(cost: Money): Outcome {
  const of = { model: 'test/model', modelPermaslug: 'test/model-1', endpointId: 'test/endpoint', providerName: 'Test' };
  return {
    ...emptyOutcome(of, 'complete'),
    cost,
    cancelled: false,
    finishReason: 'end_turn',
    promptTokens: 10,
    completionTokens: 20,
    latencyMs: 5,
    generationTimeMs: 50,
  };
}

export function settlement(request: HoldRequest, hold: Hold, cost: Money): Settlement {
  return { generationId: request.generation.id, payer: request.generation.payer, hold, outcome: outcome(cost) };
}

/**
 * Places a hold that must succeed.
 * @throws {GatewayError} the refusal that a client would get
 */
export async function placeHold(table: Table, request: HoldRequest): Promise<PlacedHold> {
  return placedOf(await holds.placeHold(table, request), request);
}

/**
 * Extends a hold that must succeed.
 * @throws {GatewayError} the refusal that a client would get
 */
export async function extendHold(table: Table, placed: PlacedHold, request: HoldRequest): Promise<PlacedHold> {
  return placedOf(await holds.extendHold(table, placed, request), request);
}

function placedOf(result: HoldResult, { generation }: HoldRequest): PlacedHold {
  if ('placed' in result) return result.placed;
  throw refusalError(result.refused, { atMs: generation.createdAtMs });
}

/** Returns "<settled> of <committed>" of every scope, by the time window that contains `atMs`. */
export async function books(table: Table, spender: Spender, atMs = Date.now()) {
  const windows = Object.entries(windowsAt(atMs)) as [Interval, string][];
  const entries = await Promise.all(
    spender.scopes.map(async (scope) => {
      const counter = await readCounter(table, scope);
      const amounts = windows.map(([interval, window]) => [
        interval,
        `${counter.spent(window)} of ${counter.committed(window)}`,
      ]);
      return [scope.kind, Object.fromEntries(amounts)] as const;
    }),
  );
  return Object.fromEntries(entries) as Record<OwnerKind, Record<Interval, string>>;
}

/**
 * Returns the same "<spent> of <committed>" for every time window. By default, both amounts are equal, so nothing is
 * held.
 */
export const settledEverywhere = (spent: string, committed = spent) =>
  Object.fromEntries(intervals.map((interval) => [interval, `${spent} of ${committed}`])) as Record<Interval, string>;

export async function finalCosts(table: Table, spender: Spender): Promise<Money> {
  const costs: Money[] = [];
  const date = new Date().toISOString().slice(0, 10);
  for await (const generation of generationsOfDay(table, spender.payer.accountId, date)) {
    if (generation.state === 'final') costs.push(generation.outcome!.cost);
  }
  return Money.sum(costs);
}
