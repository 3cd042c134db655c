/**
 * Holds: money reserved before the gateway sends anything to a provider.
 *
 * Guarantee: one transaction records a generation and adds its hold to the counter of every limited scope. The hold of
 * a lease (leases.ts) was added earlier, in the lease's transaction. Under any concurrency, no hold raises the spent
 * and held money of a scope above its limit. Weakness: a scope that had no limit when the caller was read holds
 * nothing. Its first limit takes effect when the cached caller expires (three seconds), but never for a running stream.
 * A changed limit takes effect at the next transaction, except within leases.
 */

import { releaseInScopes } from '../accounting/release-in-scopes.ts';
import { Money } from '../money/money.ts';
import { windowsAt } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { readCounter, type Counter, type Scope, type ScopeKind } from '../store/counters/counters.ts';
import { generationFrom, type Hold, type PendingGeneration } from '../store/generations/generation.ts';
import { holdChange, pendingPut } from '../store/generations/generation-writes.ts';
import { claimFrom, type InferenceClaim } from '../store/generations/inference-claims.ts';
import { isLimited } from '../store/counters/limits.ts';
import { isTagKind } from '../store/counters/tag-scopes.ts';
import type { Item, Table } from '../store/table/table.ts';
import { StoreBusyError, writeAlone, type FailedCondition } from '../store/table/transact.ts';
import {
  afterFailure,
  contendedBudget,
  firstServiceHolds,
  freeWrites,
  refusedAtOnce,
  type FreeRefusal,
  type FreeUse,
} from './free/free-tier.ts';
import { processLeases, type LeasedHold, type LeaseSource } from './lease-source.ts';
import { isRateWrite, RateSearch, type RateRefusal, type RateUse } from './rates/rate-search.ts';
import { currentRefusals, noRoom, refusalOfFirstHold, tightest, type NoRoom } from './no-room.ts';
import { RefusalMemory } from './refusal-memory.ts';
import { claimWrite, type RequestClaim } from './request-claim.ts';
import { holdInScopes } from './scope-holds.ts';

export interface HoldRequest {
  generation: Omit<PendingGeneration, 'hold'>;
  amount: Money;
  scopes: Scope[];
  free?: FreeUse | undefined;
  rates?: RateUse | undefined;
  claim?: RequestClaim | undefined;
}

export interface PlacedHold {
  hold: Hold;
  scopes: Scope[];
}

export type HoldRefusal =
  | NoRoom
  | { kind: 'switched_off'; scope: ScopeKind }
  | { kind: 'settled' }
  | { kind: 'busy'; cause: Error }
  /** Another request with the same Idempotency-Key was admitted first. */
  | { kind: 'claimed'; known: InferenceClaim; fingerprint: string }
  | RateRefusal
  | FreeRefusal;

export type HoldResult =
  | {
      placed: PlacedHold;
      /** Pending write of the record; the money is already held. If it rejects, release the hold. */
      recording?: Promise<void>;
    }
  | {
      refused: HoldRefusal;
      /** Whether an earlier attempt may have placed a hold, or may still place one. */
      isUncertain: boolean;
    };

/** Scopes that recently had no room, so that repeated requests are refused without calls to the store. */
const holdRefusals = new RefusalMemory();

/**
 * Places the first hold of a generation. If the reply of an earlier attempt was lost, the returned hold has its
 * recorded amount, which may exceed the requested amount.
 * @param how.recordsLater whether a hold from a lease may be returned before its record is written; pass true only if
 *   the result of every earlier attempt is known
 * @returns the hold, or the refusal; if the refusal is uncertain, the caller must release the hold before it answers
 *   the client (accounting/release.ts)
 * @throws {Error} if the table is busy or fails, or if it is unknown whether the hold was placed
 */
export async function placeHold(
  table: Table,
  request: HoldRequest,
  { leases = processLeases(), recordsLater = false }: { leases?: LeaseSource | undefined; recordsLater?: boolean } = {},
): Promise<HoldResult> {
  const limited = request.scopes.filter(({ limits }) => isLimited(limits));
  const isTagged = limited.some(({ kind }) => isTagKind(kind));
  const needsTable = request.free || request.claim || request.rates || isTagged;
  const leased = needsTable ? undefined : await leases?.take(table, limited, request);
  if (leased) {
    const { placed, recorded } = holdFromLease(table, request, limited, leased);
    if (!recordsLater) return recorded;
    return { placed, recording: recorded.then(() => undefined) };
  }
  // A request with an Idempotency-Key ignores remembered refusals (also below). If the key is repeated, the client
  // must get the result of the first request, whether or not the limits have room.
  const remembered = request.claim ? undefined : rememberedRefusal(request);
  if (remembered) return refusedBy(remembered);
  const result = await withoutOwnLeases(leases, () => placeInTable(table, request));
  if ('refused' in result && result.refused.kind === 'no_room') {
    const { scope, windows, counter, amount } = result.refused;
    holdRefusals.remember(scope, windows, counter, amount, nowMs());
  }
  return result;
}

/** Takes a hold from a lease. `recorded` rejects if the record was not written, or if this is unknown. */
function holdFromLease(
  table: Table,
  request: HoldRequest,
  scopes: Scope[],
  leased: LeasedHold,
): { placed: PlacedHold; recorded: Promise<HoldResult> } {
  const { generation, amount } = request;
  const kinds = scopes.map(({ kind }) => kind);
  const hold: Hold = { amount, steps: 1, scopes: kinds, serviceHolds: [], rateHolds: [] };
  const record = pendingPut(table, { ...generation, hold, lease: { id: leased.leaseId, amount } });
  const placed = { hold, scopes };
  const recorded = leased
    .record((timeoutMs) => writeAlone(table, record, { timeoutMs }))
    .then((existing) => (existing ? placedBefore(existing, request) : { placed }));
  return { placed, recorded };
}

/** If a scope has no room, returns the money of this process's leases and requests the hold again. */
async function withoutOwnLeases(
  leases: LeaseSource | undefined,
  place: () => Promise<HoldResult>,
): Promise<HoldResult> {
  const endedBefore = leases?.ended;
  const result = await place();
  if (!leases || !('refused' in result) || result.refused.kind !== 'no_room') return result;
  await leases.returnIn(result.refused.scope);
  if (leases.ended === endedBefore) return result;
  const again = await place();
  return 'refused' in again ? { ...again, isUncertain: again.isUncertain || result.isUncertain } : again;
}

/**
 * Returns whether a limit of the scope is 0, or was recently found spent. This is a hint: read the store before you
 * refuse.
 */
export function isKnownUsedUp(scope: Scope, atMs: number): boolean {
  return isLimited(scope.limits) && holdRefusals.isUsedUp(scope, windowsAt(atMs), atMs);
}

function rememberedRefusal(request: HoldRequest): HoldRefusal | undefined {
  const windows = windowsAt(request.generation.createdAtMs);
  for (const scope of request.scopes) {
    const counter = isLimited(scope.limits) && holdRefusals.recall(scope, windows, request.amount, nowMs());
    if (counter) return noRoom(scope, counter, request);
  }
  return undefined;
}

async function placeInTable(table: Table, request: HoldRequest): Promise<HoldResult> {
  let scopes = request.scopes.filter((scope) => isLimited(scope.limits));
  for (const scope of scopes) {
    if (!exceedsSomeLimit(scope, request.amount)) continue;
    const counter = await readCounter(table, scope);
    const fresh = { ...scope, limits: counter.limits, revision: counter.revision };
    if (exceedsSomeLimit(fresh, request.amount)) {
      const others = scopes.filter((other) => other !== scope);
      const refusals = await currentRefusals(table, others, request);
      return refusedBy(refusalOfFirstHold([noRoom(scope, counter, request), ...refusals]));
    }
    scopes = scopes.map((other) => (other === scope ? fresh : other)).filter(({ limits }) => isLimited(limits));
  }
  const scopeHold = { windows: windowsAt(request.generation.createdAtMs), amount: request.amount };
  const { free, claim } = request;
  const refused = free && refusedAtOnce(free, !claim);
  if (refused) return refusedBy(refused);
  const rates = request.rates && new RateSearch(table, request.rates);
  const usedUp = claim ? undefined : rates?.refusedAtOnce();
  if (usedUp) return refusedBy(usedUp);
  let wasUncertain = false;
  let serviceHolds = free ? firstServiceHolds(free, request.generation.id) : [];
  // Makes up to three attempts. Moves to other parts of the key's counts do not count as attempts.
  for (let attempt = 1; attempt - (rates?.moves ?? 0) <= 3; attempt += 1) {
    const kinds = scopes.map((scope) => scope.kind);
    const rateHolds = rates?.holds ?? [];
    const hold: Hold = { amount: request.amount, steps: 1, scopes: kinds, serviceHolds, rateHolds };
    const record = pendingPut(table, { ...request.generation, hold });
    if (scopes.length === 0 && !free && !claim && !rates) {
      const existing = await writeAlone(table, record);
      return existing ? placedBefore(existing, request) : { placed: { hold, scopes } };
    }
    const writes = {
      record,
      ...(free && freeWrites(table, free, serviceHolds)),
      ...(claim && { claim: claimWrite(table, claim, request.generation.id) }),
      ...rates?.writes(),
    };
    const outcome = await holdInScopes(table, scopes, scopeHold, writes, rates && isRateWrite).catch(
      async (error: unknown) => {
        if (!rates || !(error instanceof StoreBusyError)) throw error;
        wasUncertain ||= error.isUncertain;
        return { overRate: await rates.afterConflict(error) };
      },
    );
    if ('overRate' in outcome) {
      if (outcome.overRate) return refusedBy(outcome.overRate, wasUncertain);
      continue;
    }
    if (outcome.committed) {
      rates?.noteAdmitted();
      return { placed: { hold, scopes } };
    }
    if (outcome.failed.record) return placedBefore(outcome.failed.record, request);
    wasUncertain ||= outcome.isUncertain;
    const claimed = claim && claimedBy(claim, outcome.failed.claim);
    if (claimed) return refusedBy(claimed, wasUncertain);
    const overRate = await rates?.afterFailure(outcome.failed);
    if (overRate) return refusedBy(overRate, wasUncertain);
    const next = scopesAfterRefusal(scopes, outcome.counters, request, refusalOfFirstHold);
    if ('refused' in next) return refusedBy(next.refused, wasUncertain);
    scopes = next.scopes.filter(({ limits }) => isLimited(limits));
    const moved = free && (await afterFailure(table, free, serviceHolds, outcome.failed));
    if (moved && 'refused' in moved) return refusedBy(moved.refused, wasUncertain);
    serviceHolds = moved?.holds ?? serviceHolds;
    if (moved && attempt - (rates?.moves ?? 0) >= 3) return refusedBy(contendedBudget(free), wasUncertain);
  }
  return refusedBy(busy(new StoreBusyError(new Error('Limits kept changing while a hold was placed'))), wasUncertain);
}

/** Returns the recorded hold of an earlier attempt. Limits and the amount may have differed at that attempt. */
function placedBefore({ item }: FailedCondition, { generation, scopes }: HoldRequest): HoldResult {
  const stored = item && generationFrom(item);
  if (stored?.state !== 'pending' || stored.bootId !== generation.bootId) {
    throw new Error('A generation with this id exists already');
  }
  const { hold } = stored;
  return { placed: { hold, scopes: scopes.filter(({ kind }) => hold.scopes.includes(kind)) } };
}

/** Adds `request.amount` to a placed hold if each scope of the hold has room and is not switched off. Never throws. */
export function extendHold(
  table: Table,
  placed: PlacedHold,
  request: HoldRequest,
  leases = processLeases(),
): Promise<HoldResult> {
  return withoutOwnLeases(leases, () => extendOnce(table, placed, request));
}

async function extendOnce(table: Table, placed: PlacedHold, request: HoldRequest): Promise<HoldResult> {
  const generation = { accountId: request.generation.payer.accountId, id: request.generation.id };
  const scopeHold = { windows: windowsAt(request.generation.createdAtMs), amount: request.amount };
  const raised = changedBy(placed.hold, request.amount);
  let scopes = placed.scopes;
  try {
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const outcome = await holdInScopes(table, scopes, scopeHold, {
        record: holdChange(table, generation, { from: placed.hold.steps, amount: request.amount }),
      });
      if (outcome.committed) return { placed: { hold: raised, scopes } };
      if (outcome.failed.record) return afterLostReply(outcome.failed.record.item, raised, scopes);
      // If the limit of a scope was removed, the scope stays in the hold, because its counter already contains the
      // amount held before. The settlement subtracts the whole hold from it.
      const next = scopesAfterRefusal(scopes, outcome.counters, request, tightest);
      if ('refused' in next) return refusedBy(next.refused, outcome.isUncertain);
      scopes = next.scopes;
    }
    return refusedBy(busy(new StoreBusyError(new Error('Limits kept changing while a hold was extended'))));
  } catch (error) {
    return refusedBy(busy(error as Error), true);
  }
}

/**
 * Returns a part of a hold to the scopes. Never throws. If the reply is lost, settlement reads the real amount from the
 * record.
 */
export async function shrinkHold(table: Table, placed: PlacedHold, request: HoldRequest): Promise<HoldResult> {
  const { payer, id, createdAtMs } = request.generation;
  const back = request.amount.negated();
  const lowered = changedBy(placed.hold, back);
  const record = holdChange(table, { accountId: payer.accountId, id }, { from: placed.hold.steps, amount: back });
  try {
    const scopeHold = { windows: windowsAt(createdAtMs), amount: request.amount };
    const failed = await releaseInScopes(table, placed.scopes, scopeHold, record);
    return failed ? afterLostReply(failed.item, lowered, placed.scopes) : { placed: { ...placed, hold: lowered } };
  } catch (error) {
    return refusedBy(busy(error as Error), true);
  }
}

function changedBy(hold: Hold, amount: Money): Hold {
  return { ...hold, amount: hold.amount.plus(amount), steps: hold.steps + 1 };
}

/** If the record has one change more than this process knows, returns its hold, perhaps with another amount. */
function afterLostReply(record: Item | undefined, expected: Hold, scopes: Scope[]): HoldResult {
  const stored = record && generationFrom(record);
  return stored?.state === 'pending' && stored.hold.steps === expected.steps
    ? { placed: { hold: stored.hold, scopes } }
    : refusedBy({ kind: 'settled' });
}

/**
 * Returns the refusal if another request has the claim. Callers first handle a record from an earlier attempt of the
 * same request, because that attempt may have placed the claim.
 */
function claimedBy({ fingerprint }: RequestClaim, failed: FailedCondition | undefined): HoldRefusal | undefined {
  return failed?.item && { kind: 'claimed', known: claimFrom(failed.item), fingerprint };
}

function scopesAfterRefusal(
  scopes: Scope[],
  counters: { [Kind in ScopeKind]?: Counter },
  request: HoldRequest,
  refusalIn: (refusals: readonly NoRoom[]) => NoRoom,
): { scopes: Scope[] } | { refused: HoldRefusal } {
  const fresh: Scope[] = [];
  const refusals: NoRoom[] = [];
  for (const scope of scopes) {
    const counter = counters[scope.kind];
    if (!counter) {
      fresh.push(scope);
      continue;
    }
    if (!counter.active) return { refused: { kind: 'switched_off', scope: scope.kind } };
    const changed = { ...scope, limits: counter.limits, revision: counter.revision };
    // A counter without spending accepts any amount, so an amount that alone exceeds the limit is refused here.
    if (counter.revision === scope.revision || exceedsSomeLimit(changed, request.amount)) {
      refusals.push(noRoom(scope, counter, request));
    }
    fresh.push(changed);
  }
  return refusals.length > 0 ? { refused: refusalIn(refusals) } : { scopes: fresh };
}

function busy(cause: Error): HoldRefusal {
  return { kind: 'busy', cause };
}

function refusedBy(refused: HoldRefusal, isUncertain = false): HoldResult {
  return { refused, isUncertain };
}

/** Returns whether the amount alone exceeds a limit. A limit of 0 blocks even a request that costs nothing. */
function exceedsSomeLimit(scope: Scope, amount: Money): boolean {
  return Object.values(scope.limits).some((limit) => limit.isZero || amount.exceeds(limit));
}
