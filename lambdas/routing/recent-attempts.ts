/**
 * Results of the attempts in the last half minute, in bins of three seconds, so that memory is bounded. Bins of several
 * instances are added up, so their times come from the wall clock. A bin far in the future is ignored, because clocks
 * may be set back.
 */

import { BoundedMap } from '../platform/bounded-map.ts';

export type AttemptResult = 'ok' | 'failed';

/** Numbers of attempts in one bin. The `number` of the bin is the time in epoch ms divided by BIN_MS, rounded down. */
export interface Bin {
  number: number;
  ok: number;
  failed: number;
}

const BIN_MS = 3_000;
export const WINDOW_MS = 30_000;
const BINS_IN_WINDOW = WINDOW_MS / BIN_MS;
const LATEST_ATTEMPTS = 10;
/** Maximum number of endpoints. If there are more, the least recently updated endpoint is dropped. */
const MAX_WATCHED_ENDPOINTS = 256;

export class RecentAttempts {
  readonly #bins = new BoundedMap<string, Bin[]>(MAX_WATCHED_ENDPOINTS);

  add(endpointId: string, attempts: Bin, atMs: number): void {
    const bins = this.at(endpointId, atMs);
    const bin = bins.find(({ number }) => number === attempts.number);
    if (bin) {
      bin.ok += attempts.ok;
      bin.failed += attempts.failed;
    } else if (isRecent(attempts, atMs)) {
      bins.push({ ...attempts });
    }
    if (bins.length > 0) this.#bins.set(endpointId, bins);
    else this.#bins.delete(endpointId);
  }

  at(endpointId: string, atMs: number): Bin[] {
    return (this.#bins.get(endpointId) ?? []).filter((bin) => isRecent(bin, atMs));
  }

  endpointIds(): Iterable<string> {
    return this.#bins.keys();
  }
}

export function binAt(atMs: number, result: AttemptResult): Bin {
  return { number: binNumber(atMs), ok: result === 'ok' ? 1 : 0, failed: result === 'failed' ? 1 : 0 };
}

export function failuresIn(bins: readonly Bin[]): number {
  return bins.reduce((sum, { failed }) => sum + failed, 0);
}

/** Returns the time of the last failure in epoch ms, rounded down to three seconds; undefined without failures. */
export function lastFailureMs(bins: readonly Bin[]): number | undefined {
  const failed = bins.filter((bin) => bin.failed > 0).map(({ number }) => number * BIN_MS);
  return failed.length === 0 ? undefined : Math.max(...failed);
}

/**
 * Returns the share of failures among the latest ten attempts, from 0 to 1; 0 without attempts. If only some attempts
 * of a bin are among the ten, the same share of its failures is used. The newest bin is used as a whole, so that two
 * failures among hundreds of attempts remain a small share.
 */
export function failedShare(bins: readonly Bin[]): number {
  let latest = 0;
  let failures = 0;
  for (const { all, failed } of newestAttemptsFirst(bins)) {
    const part = latest === 0 ? 1 : Math.min(1, (LATEST_ATTEMPTS - latest) / all);
    if (part <= 0) break;
    latest += part * all;
    failures += part * failed;
  }
  return latest === 0 ? 0 : failures / latest;
}

/** Attempts of each bin, summed over all instances, newest first. */
function newestAttemptsFirst(bins: readonly Bin[]): { all: number; failed: number }[] {
  const byNumber = new Map<number, { all: number; failed: number }>();
  for (const { number, ok, failed } of bins) {
    const sum = byNumber.get(number) ?? { all: 0, failed: 0 };
    byNumber.set(number, { all: sum.all + ok + failed, failed: sum.failed + failed });
  }
  return [...byNumber].toSorted(([a], [b]) => b - a).map(([, sum]) => sum);
}

function isRecent({ number }: Bin, atMs: number): boolean {
  return Math.abs(binNumber(atMs) - number) < BINS_IN_WINDOW;
}

function binNumber(atMs: number): number {
  return Math.floor(atMs / BIN_MS);
}
