import { readItem } from '../../lambdas/store/table/query.ts';
import { numberFrom, type Table } from '../../lambdas/store/table/table.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { put } from '../../lambdas/store/table/writes.ts';
import { StartFailure } from './failure.ts';

/**
 * Brings all records from one version to the next. A step changes each record on condition that it is still old: it may be
 * interrupted, repeated, and run while the gateway serves.
 * @returns how many records it has changed
 */
export type UpgradeStep = (table: Table) => Promise<number>;

/** The version of the first release. */
const FIRST_VERSION = 2;
/** The steps from there on, in order. A release that changes what records look like adds one. */
const releaseSteps: readonly UpgradeStep[] = [];

const MARK = { pk: 'SCHEMA', sk: 'VERSION' };

export interface Upgraded {
  /** The version that all records have now. */
  version: number;
  changed: number;
}

/**
 * Upgrades the records of an earlier version. A table without a version is new.
 *
 * Guarantee: the version is written after each step, so a step that was carried out is not begun again.
 * @throws {StartFailure} for records of a later version, which this one may not understand
 */
export async function upgradeRecords(table: Table, steps: readonly UpgradeStep[] = releaseSteps): Promise<Upgraded> {
  const current = FIRST_VERSION + steps.length;
  const mark = await readItem(table, MARK);
  const found = mark ? numberFrom(mark['version']) : undefined;
  if (found !== undefined && found > current) {
    throw new StartFailure(
      `The records are of version ${found}, and this gateway knows versions up to ${current}: run the newer gateway.`,
    );
  }
  let changed = 0;
  for (let version = found ?? current; version < current; version += 1) {
    changed += await steps[version - FIRST_VERSION]!(table);
    await writeVersion(table, version + 1);
  }
  if (found === undefined) await writeVersion(table, current);
  return { version: current, changed };
}

async function writeVersion(table: Table, version: number): Promise<void> {
  await writeAlone(table, put(table, { ...MARK, entity: 'schema', version }));
}
