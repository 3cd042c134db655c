import { MAX_RATE_PARTS } from '../../../lambdas/admission/rates/rate-limits.ts';
import { requireAccount } from '../../../lambdas/management/accounts.ts';
import { commitChange, type ChangeContext } from '../../../lambdas/management/change.ts';
import { datesBetween, DAY_MS, utcDate } from '../../../lambdas/money/periods.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { allKeys, inferenceKeysOf } from '../../../lambdas/store/accounts/key-directory.ts';
import { listWorkspaces } from '../../../lambdas/store/accounts/workspaces.ts';
import { rateItemKey, runningCorrection } from '../../../lambdas/store/counters/key-rates.ts';
import { generationsOfDay } from '../../../lambdas/store/generations/generation-queries.ts';
import { readItems } from '../../../lambdas/store/table/query.ts';
import { numberFrom, type Table } from '../../../lambdas/store/table/table.ts';

export interface RunningFinding {
  keyHash: string;
  part: number;
  counted: number;
  /** Number of running requests in the records; undefined if the part was busy and could not be measured. */
  recorded: number | undefined;
}

interface RunningCount extends Omit<RunningFinding, 'recorded'> {
  /** Number of times that the count was changed; undefined if only releases without this number have changed it. */
  changes: number | undefined;
}

/** Number of days before today whose records are read. */
const DAYS_BEFORE = 15;
const KEYS_AT_ONCE = 3;
const MAX_MEASUREMENTS = 3;

/**
 * Corrects the counts of running requests (`parallel_limit`) of an account that differ from its open holds, with audit
 * entries. Yields each correction after it was made, then the parts that stayed busy.
 *
 * Guarantee: a correction is exact. It is written only if the count and its `changes` are the same as before the
 * records were read.
 * Weakness: processes of releases without `changes` change only the count, so run the command after a rollout.
 */
export async function* recomputeRunning(context: ChangeContext): AsyncGenerator<RunningFinding, void> {
  let counts = await countsOfKeys(context.table, await keysOf(context));
  for (let measurement = 1; counts.length > 0 && measurement <= MAX_MEASUREMENTS; measurement += 1) {
    const recorded = await openRequests(context);
    const after = await readAgain(context.table, counts);
    const busy: RunningCount[] = [];
    for (const count of counts) {
      const drift = { ...count, recorded: recorded.get(nameOf(count)) ?? 0 };
      if (!isSame(count, after.get(nameOf(count)))) busy.push(count);
      else if (drift.counted === drift.recorded) continue;
      else if (await correctRunning(context, drift)) yield findingOf(drift);
      else busy.push(count);
    }
    const latest = await readAgain(context.table, busy);
    counts = busy.map((count) => latest.get(nameOf(count)) ?? count);
  }
  yield* counts.map((count) => findingOf({ ...count, recorded: undefined }));
}

function findingOf({ keyHash, part, counted, recorded }: RunningFinding): RunningFinding {
  return { keyHash, part, counted, recorded };
}

function isSame(before: RunningCount, after: RunningCount | undefined): boolean {
  return after?.counted === before.counted && after.changes === before.changes;
}

function nameOf({ keyHash, part }: { keyHash: string; part: number }): string {
  return `${keyHash}#${part}`;
}

async function keysOf({ table, accountId }: ChangeContext): Promise<string[]> {
  const hashes: string[] = [];
  for (const { id: workspaceId } of await listWorkspaces(table, accountId)) {
    const keys = allKeys(table, inferenceKeysOf({ workspaceId, includeDisabled: true }));
    for await (const hash of keys) hashes.push(hash);
  }
  return hashes;
}

async function readAgain(table: Table, counts: readonly RunningCount[]): Promise<Map<string, RunningCount>> {
  const hashes = new Set(counts.map(({ keyHash }) => keyHash));
  return new Map((await countsOfKeys(table, [...hashes])).map((count) => [nameOf(count), count]));
}

async function countsOfKeys(table: Table, hashes: readonly string[]): Promise<RunningCount[]> {
  const counts: RunningCount[] = [];
  for (let first = 0; first < hashes.length; first += KEYS_AT_ONCE) {
    counts.push(...(await countsOf(table, hashes.slice(first, first + KEYS_AT_ONCE))));
  }
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

/**
 * Returns the numbers of pending records that count as running, by key and part. Around midnight UTC, clocks of
 * machines may have different days, so the range of days is longer by one at both ends.
 */
async function openRequests({ table, accountId }: ChangeContext): Promise<Map<string, number>> {
  const open = new Map<string, number>();
  const { createdAt } = await requireAccount(table, accountId);
  const firstMs = Math.max(Date.parse(createdAt) - DAY_MS, nowMs() - DAYS_BEFORE * DAY_MS);
  for (const date of datesBetween(utcDate(firstMs), utcDate(nowMs() + DAY_MS))) {
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

/**
 * Corrects a count.
 * @returns false if a request began or ended in the meantime
 */
async function correctRunning(context: ChangeContext, drift: RunningCount & { recorded: number }): Promise<boolean> {
  const { keyHash, part, counted, recorded, changes } = drift;
  const change = {
    action: 'counters.recompute',
    target: `key ${keyHash}`,
    before: { [`running ${part}`]: counted },
    after: { [`running ${part}`]: recorded },
  };
  const count = runningCorrection(context.table, { keyHash, part }, { counted, recorded, changes });
  return (await commitChange(context, change, { count })).committed;
}
