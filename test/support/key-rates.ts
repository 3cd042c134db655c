import type { HoldRequest } from '../../lambdas/admission/hold.ts';
import { ratePartsOf, type RateLimits } from '../../lambdas/admission/rates/rate-limits.ts';
import { MINUTE_LENGTH_MS, minuteStart, rateItemKey, type RateKind } from '../../lambdas/store/counters/key-rates.ts';
import { readItems } from '../../lambdas/store/table/query.ts';
import { numberFrom, type Table } from '../../lambdas/store/table/table.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { update } from '../../lambdas/store/table/writes.ts';
import { holdRequest, rub, type Spender } from './spending.ts';

/** Returns a time in the next minute. All requests of a test use this time, so no minute ends between them. */
export const nextMinute = () => minuteStart(Date.now()) + MINUTE_LENGTH_MS + 1;

export const limitsOn = (limits: Partial<RateLimits>): RateLimits => ({
  requests: undefined,
  tokens: undefined,
  parallel: undefined,
  ...limits,
});

export function ratedRequest(
  spender: Spender,
  limits: RateLimits,
  {
    tokens = 30,
    atMs = nextMinute(),
    bootId = 'boot',
  }: { tokens?: number; atMs?: number; bootId?: string | undefined } = {},
): HoldRequest {
  const { keyHash } = spender.payer;
  return { ...holdRequest(spender, rub('0.01'), { atMs, bootId }), rates: { keyHash, limits, tokens, atMs } };
}

/** Returns the rate counts of a key, each summed over its parts. */
export async function countedOf(
  table: Table,
  { payer: { keyHash } }: Spender,
  limits: RateLimits,
  atMs: number,
): Promise<{ requests: number; tokens: number; running: number }> {
  const itemsOf = (kind: RateKind) =>
    readItems(
      table,
      Array.from({ length: ratePartsOf(limits, kind) }, (_, part) => rateItemKey(keyHash, { kind, part }, atMs)),
    );
  const [minute, running] = await Promise.all([itemsOf('minute'), itemsOf('running')]);
  const sum = (items: typeof minute, name: string) => items.reduce((total, item) => total + numberFrom(item[name]), 0);
  return { requests: sum(minute, 'requests'), tokens: sum(minute, 'tokens'), running: sum(running, 'running') };
}

/** Adds `counts` to each part of a key's rate count. */
export async function fillParts(
  table: Table,
  { payer: { keyHash } }: Spender,
  limits: RateLimits,
  { kind, atMs, counts }: { kind: RateKind; atMs: number; counts: Record<string, number> },
): Promise<void> {
  const parts = Array.from({ length: ratePartsOf(limits, kind) }, (_, part) => part);
  await Promise.all(
    parts.map((part) => writeAlone(table, update(table, rateItemKey(keyHash, { kind, part }, atMs), { add: counts }))),
  );
}
