/** Checks the books of a history when no request is running. */

import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOCAL_TABLE } from '../../lib/shared/database/dynamodb.ts';
import { programOf } from '../support/programs.ts';
import {
  balanceDifferences,
  counterDifferences,
  excesses,
  leaseDifferences,
  overcharges,
  type Ceilings,
  type Difference,
} from './counter-books.ts';
import { budgetDifferences, completeDays, monthDifferences, recordedDays, rowDifferences } from './day-books.ts';
import { scanTable, textIn, type RawItem } from './raw-table.ts';
import { compareReported, type ClockSpan, type SweptAfterReport, type ReportedCost } from './reported-costs.ts';

export interface CheckTerms {
  name: string;
  endpoint: string;
  nowMs: () => number;
  ceilings: Ceilings;
  reported: readonly ReportedCost[];
  clocks: readonly ClockSpan[];
  data: string;
  isLast: boolean;
  /** Stores the items of the table if there is any difference. */
  keep: (items: readonly RawItem[]) => void;
}

export interface Checked {
  name: string;
  records: { final: number; pending: number; swept: number; leased: number };
  leases: { returned: number; open: number };
  reported: { compared: number; swept: SweptAfterReport };
  /** Verdict of `reconcile --deep`; null if it was not run. */
  reconciled: boolean | null;
  differences: Difference[];
}

/**
 * Maximum number of comparisons: settlements, returns of leases and the sweep may still be running during the first
 * ones.
 */
const LOOKS = 15;
const LOOK_EVERY_MS = 3_000;

export async function checkBooks(terms: CheckTerms): Promise<Checked> {
  for (let look = 1; ; look += 1) {
    const items = await scanTable(terms.endpoint, LOCAL_TABLE);
    const comparison = compareReported(items, terms.reported, terms.clocks);
    const differences = [...bookDifferences(items, terms), ...comparison.differences];
    if (differences.length > 0 && look < LOOKS) {
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    if (differences.length > 0) terms.keep(items);
    const reconciled = terms.isLast ? await reconcile(terms.data) : null;
    if (reconciled?.sound === false)
      differences.push({ kind: 'reconcile', where: 'reconcile --deep', stored: reconciled.says, expected: 'sound' });
    return {
      name: terms.name,
      ...countsOf(items),
      reported: { compared: comparison.compared, swept: comparison.swept },
      reconciled: reconciled?.sound ?? null,
      differences,
    };
  }
}

function bookDifferences(items: readonly RawItem[], { nowMs, ceilings, isLast }: CheckTerms): Difference[] {
  return [
    ...counterDifferences(items, nowMs()),
    ...excesses(items, ceilings),
    ...leaseDifferences(items),
    ...overcharges(items),
    ...balanceDifferences(items),
    ...monthDifferences(items),
    ...budgetDifferences(items),
    ...(isLast ? [...rowDifferences(items), ...unfinished(items)] : []),
  ];
}

/** Returns the days and records that the sweep and the roll-up have not completed yet. */
function unfinished(items: readonly RawItem[]): Difference[] {
  const complete = completeDays(items);
  const days = [...recordedDays(items)].filter((day) => !complete.has(day));
  const open = items
    .filter(({ entity, state }) => isOpen(entity, state))
    .map((item) => `${textIn(item, 'pk')} ${textIn(item, 'sk')}`);
  return [
    ...days.map((where) => ({ kind: 'day', where, stored: 'not complete', expected: 'complete' })),
    ...open.map((where) => ({ kind: 'left behind', where, stored: 'pending', expected: 'settled' })),
  ];
}

function isOpen(entity: unknown, state: unknown): boolean {
  return (entity === 'generation' && state === 'pending') || (entity === 'lease' && state === 'open');
}

export function isSettled(items: readonly RawItem[]): boolean {
  return unfinished(items).length === 0;
}

function countsOf(items: readonly RawItem[]): Pick<Checked, 'records' | 'leases'> {
  const records = items.filter(({ entity }) => entity === 'generation');
  const leases = items.filter(({ entity }) => entity === 'lease');
  return {
    records: {
      final: records.filter(({ state }) => state === 'final').length,
      pending: records.filter(({ state }) => state === 'pending').length,
      swept: records.filter(({ swept }) => swept === true).length,
      leased: records.filter(({ lease_id: lease }) => lease !== undefined).length,
    },
    leases: {
      returned: leases.filter(({ state }) => state === 'returned').length,
      open: leases.filter(({ state }) => state === 'open').length,
    },
  };
}

/** Runs the command, and returns its JSON answer. The exit code is not used. */
async function reconcile(data: string): Promise<{ sound: boolean; says: string }> {
  const program = await programOf('bin/admin.ts');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, '--json', '--data', data, 'reconcile', '--deep'],
      { encoding: 'utf8', maxBuffer: 2 ** 28 },
      (_, out, err) => {
        try {
          const { sound } = JSON.parse(out) as { sound: boolean };
          resolve({ sound, says: out });
        } catch {
          resolve({ sound: false, says: `${out}${err}` });
        }
      },
    );
  });
}
