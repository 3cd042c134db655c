import { readItem } from '../../lambdas/store/table/query.ts';
import { numberFrom, type Table } from '../../lambdas/store/table/table.ts';
import { writeAlone } from '../../lambdas/store/table/transact.ts';
import { put } from '../../lambdas/store/table/writes.ts';
import { StartFailure } from './failure.ts';

/**
 * Upgrades the records from one version to the next, and returns the number of changed records. A step changes a record
 * only if the record still has the old version. So a step can be interrupted, repeated, and run while the gateway
 * serves requests.
 */
export type UpgradeStep = (table: Table) => Promise<number>;

/** Version of the records of the first release. */
const FIRST_VERSION = 2;
/** Upgrade steps since the version of the first release, in order. */
const releaseSteps: readonly UpgradeStep[] = [];

const MARK = { pk: 'SCHEMA', sk: 'VERSION' };

export interface Upgraded {
  version: number;
  changed: number;
}

/**
 * Upgrades the records to the current version. A table in which no version is stored counts as new, and needs no steps.
 *
 * An interrupted upgrade repeats at most one step.
 * @throws {StartFailure} if the records have a later version, which this gateway does not support
 */
export async function upgradeRecords(table: Table, steps: readonly UpgradeStep[] = releaseSteps): Promise<Upgraded> {
  const current = FIRST_VERSION + steps.length;
  const mark = await readItem(table, MARK);
  const found = mark ? numberFrom(mark['version']) : undefined;
  if (found !== undefined && found > current) {
    throw new StartFailure(
      `The records have version ${found}, but this gateway only supports versions up to ${current}. Run a newer release of the gateway.`,
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
