import { awaitsCorrection } from '../../../lambdas/accounting/return-lease.ts';
import { reconcile, type CounterDrift } from '../../../lambdas/books/reconcile.ts';
import { commitChange, type ChangeContext } from '../../../lambdas/management/change.ts';
import { requireAccount } from '../../../lambdas/management/accounts.ts';
import { datesBetween, utcDate } from '../../../lambdas/money/periods.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { conflict } from '../../../lambdas/platform/errors.ts';
import {
  correctionUpdate,
  isKept,
  readCorrections,
  type CounterDeltas,
  type ScopeId,
} from '../../../lambdas/store/counters/counters.ts';

export interface RecomputeOptions {
  progressOf?: (days: number) => (date: string) => void;
  /** Pause before the differences are measured again. */
  pauseMs?: number;
}

/**
 * Corrects the counters of an account that differ from its records, with audit entries. Yields the corrected windows of
 * each counter after its correction was made.
 *
 * Guarantee: the result is exact even during requests. A correction adds a difference that two measurements have found.
 * A settlement between them does not change the difference, because it changes records and counters by the same amount.
 * Weakness: a difference of the current day may be found only by a run on the next day.
 *
 * Guarantee: a difference is corrected once, even if commands are repeated or run concurrently.
 * @throws {GatewayError} 404 if the account does not exist; 409 if the differences changed, if a returned lease awaits
 *   its correction, or if another command corrected a counter; run the command again
 */
export async function* recomputeCounters(
  context: ChangeContext,
  options: RecomputeOptions = {},
): AsyncGenerator<CounterDrift, void> {
  const found = await measure(context, options);
  if (found.length === 0) return;
  const scopes = scopesOf(found);
  const corrections = await Promise.all(scopes.map((scope) => readCorrections(context.table, scope)));
  // If a returned lease is corrected between this check and the second measurement, the measurements differ.
  await refuseWhileAwaiting(context);
  const confirmed = await measure(context, options);
  if (!isSame(found, confirmed))
    throw conflict('The differences have changed during the measurement. Run the command again.');
  await refuseWhileAwaiting(context);
  for (const [index, scope] of scopes.entries()) {
    const drifts = confirmed.filter((drift) => isOf(scope, drift));
    await correct(context, scope, { drifts, corrections: corrections[index]! });
    yield* drifts;
  }
}

async function refuseWhileAwaiting({ table, accountId }: ChangeContext): Promise<void> {
  if (!(await awaitsCorrection(table, accountId))) return;
  throw conflict(
    'A lease of the account was returned too early, and will be corrected within half an hour. Run the command again then.',
  );
}

/** Returns the windows of counters that differ from the account's records, except windows that may be removed already. */
async function measure(
  { table, accountId }: ChangeContext,
  { progressOf, pauseMs }: RecomputeOptions,
): Promise<CounterDrift[]> {
  const account = await requireAccount(table, accountId);
  const today = utcDate(nowMs());
  const dates = datesBetween(account.createdAt.slice(0, today.length), today);
  const question = { account, dates, isDeep: true, isWhole: true, progress: progressOf?.(dates.length) };
  const { drifts } = await reconcile(table, pauseMs === undefined ? question : { ...question, pauseMs });
  return drifts.filter(({ window }) => isKept(window, nowMs()));
}

async function correct(
  context: ChangeContext,
  scope: ScopeId,
  { drifts, corrections }: { drifts: readonly CounterDrift[]; corrections: number },
): Promise<void> {
  const target = `${scope.kind} ${scope.id}`;
  const amounts = (side: 'counted' | 'recorded') =>
    Object.fromEntries(drifts.map((drift) => [`${drift.what} ${drift.window}`, String(drift[side])]));
  const change = { action: 'counters.recompute', target, before: amounts('counted'), after: amounts('recorded') };
  const counter = correctionUpdate(context.table, scope, deltasOf(drifts), corrections);
  const outcome = await commitChange(context, change, { counter });
  if (!outcome.committed) throw conflict(`Another run has corrected the counter of ${target}. Run the command again.`);
}

/**
 * Returns the corrections of a counter's attributes. `committed_<window>` contains the spent plus the held amount, so a
 * correction of the spent amount changes it too.
 */
function deltasOf(drifts: readonly CounterDrift[]): CounterDeltas {
  const deltas: CounterDeltas = new Map();
  const add = (name: string, pico: bigint) => deltas.set(name, (deltas.get(name) ?? 0n) + pico);
  for (const { window, what, counted, recorded } of drifts) {
    const { pico } = recorded.minus(counted);
    if (what === 'spent') add(`spent_${window}`, pico);
    add(`committed_${window}`, pico);
  }
  return deltas;
}

function scopesOf(drifts: readonly CounterDrift[]): ScopeId[] {
  return drifts
    .filter((drift, index) => drifts.findIndex((other) => isOf(other, drift)) === index)
    .map(({ kind, id }) => ({ kind, id }));
}

function isOf({ kind, id }: ScopeId, drift: ScopeId): boolean {
  return drift.kind === kind && drift.id === id;
}

/** Returns whether two measurements found the same differences, even if the measured amounts have changed. */
function isSame(before: readonly CounterDrift[], after: readonly CounterDrift[]): boolean {
  const names = new Set(before.map(nameOf));
  return after.length === before.length && after.every((drift) => names.has(nameOf(drift)));
}

function nameOf({ kind, id, window, what, counted, recorded }: CounterDrift): string {
  return [kind, id, window, what, recorded.minus(counted)].join(' ');
}
