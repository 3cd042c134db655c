import { MAX_RATE_PARTS } from '../../../lambdas/admission/rates/rate-limits.ts';
import { requireAccount } from '../../../lambdas/management/accounts.ts';
import { commitChange, type ChangeContext } from '../../../lambdas/management/change.ts';
import { datesBetween, DAY_MS, utcDate } from '../../../lambdas/money/periods.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { conflict } from '../../../lambdas/platform/errors.ts';
import { allKeys, inferenceKeysOf } from '../../../lambdas/store/accounts/key-directory.ts';
import { listWorkspaces } from '../../../lambdas/store/accounts/workspaces.ts';
import { rateItemKey, runningCorrection } from '../../../lambdas/store/counters/key-rates.ts';
import { generationsOfDay } from '../../../lambdas/store/generations/generation-queries.ts';
import { readItems } from '../../../lambdas/store/table/query.ts';
import { numberFrom, type Table } from '../../../lambdas/store/table/table.ts';

/** A count of running requests that differs from the records. */
export interface RunningDrift {
  keyHash: string;
  part: number;
  counted: number;
  recorded: number;
}

interface RunningCount extends Omit<RunningDrift, 'recorded'> {
  /** Number of changes of the count; undefined if it has none. */
  changes: number | undefined;
}

/** Number of days before today whose records may be of running requests. Every request ends within hours. */
const DAYS_BEFORE = 15;
const KEYS_AT_ONCE = 3;
/** Maximum number of measurements, if requests of a wrong count begin or end during a measurement. */
const MAX_MEASUREMENTS = 5;

/**
 * Corrects the counts of running requests (`parallel_limit`) of an account that differ from its open holds, with an
 * audit entry for each correction.
 *
 * Guarantee: a correction is exact. Each request that begins or ends adds 1 to `changes` of its count. The correction
 * is made only if `changes` is the same as before the records were read, so the records are those of the count.
 * @returns the corrected counts
 * @throws {GatewayError} 409 if requests of a wrong count kept beginning and ending; run the command again
 */
export async function recomputeRunning(context: ChangeContext): Promise<RunningDrift[]> {
  const corrected: RunningDrift[] = [];
  for (let measurement = 1; measurement <= MAX_MEASUREMENTS; measurement += 1) {
    const counts = await runningCounts(context);
    if (counts.length === 0) return corrected;
    const recorded = await openRequests(context);
    let isChanged = false;
    for (const count of counts) {
      const drift = { ...count, recorded: recorded.get(nameOf(count)) ?? 0 };
      if (drift.counted === drift.recorded) continue;
      if (await correctRunning(context, drift)) corrected.push(drift);
      else isChanged = true;
    }
    if (!isChanged) return corrected;
  }
  throw conflict('Requests of a key with a wrong count kept beginning and ending. Run the command again.');
}

function nameOf({ keyHash, part }: { keyHash: string; part: number }): string {
  return `${keyHash}#${part}`;
}

/** Returns the counts of all keys of the account. */
async function runningCounts({ table, accountId }: ChangeContext): Promise<RunningCount[]> {
  const counts: RunningCount[] = [];
  let hashes: string[] = [];
  const readBatch = async () => {
    counts.push(...(await countsOf(table, hashes)));
    hashes = [];
  };
  for (const { id: workspaceId } of await listWorkspaces(table, accountId)) {
    for await (const hash of allKeys(table, inferenceKeysOf({ workspaceId, includeDisabled: true }))) {
      if (hashes.push(hash) >= KEYS_AT_ONCE) await readBatch();
    }
  }
  await readBatch();
  return counts;
}

async function countsOf(table: Table, hashes: readonly string[]): Promise<RunningCount[]> {
  const parts = Array.from({ length: MAX_RATE_PARTS }, (_, part) => part);
  const asked = hashes.flatMap((keyHash) =>
    parts.map((part) => ({ keyHash, part, key: rateItemKey(keyHash, { kind: 'running', part }, 0) })),
  );
  const items = await readItems(
    table,
    asked.map(({ key }) => key),
  );
  return items.map((item) => {
    const { keyHash, part } = asked.find(({ key }) => key.pk === item['pk'])!;
    const changes = item['changes'] === undefined ? undefined : numberFrom(item['changes']);
    return { keyHash, part, counted: numberFrom(item['running']), changes };
  });
}

/** Returns the numbers of pending records that count as running, by key and part. */
async function openRequests({ table, accountId }: ChangeContext): Promise<Map<string, number>> {
  const open = new Map<string, number>();
  const { createdAt } = await requireAccount(table, accountId);
  const firstMs = Math.max(Date.parse(createdAt), nowMs() - DAYS_BEFORE * DAY_MS);
  for (const date of datesBetween(utcDate(firstMs), utcDate(nowMs()))) {
    for await (const { state, payer, hold } of generationsOfDay(table, accountId, date)) {
      if (state !== 'pending') continue;
      for (const { kind, part } of hold.rateHolds) {
        const name = nameOf({ keyHash: payer.keyHash, part });
        if (kind === 'running') open.set(name, (open.get(name) ?? 0) + 1);
      }
    }
  }
  return open;
}

/** @returns whether the count was corrected; it was not if a request began or ended in the meantime */
async function correctRunning(context: ChangeContext, drift: RunningDrift & RunningCount): Promise<boolean> {
  const { keyHash, part, counted, recorded, changes } = drift;
  const change = {
    action: 'counters.recompute',
    target: `key ${keyHash}`,
    before: { [`running ${part}`]: counted },
    after: { [`running ${part}`]: recorded },
  };
  const count = runningCorrection(context.table, { keyHash, part }, { add: recorded - counted, changes });
  return (await commitChange(context, change, { count })).committed;
}
