import { beforeEach, expect, it } from 'vitest';
import type { Table } from '../../lambdas/store/table/table.ts';
import { upgradeRecords, type UpgradeStep } from '../../lib/shared/upgrade.ts';
import { newTable } from '../support/table.ts';

let table: Table;
let begun: string[];
beforeEach(async () => {
  table = await newTable();
  begun = [];
});

const step =
  (name: string, changes: number): UpgradeStep =>
  async () => {
    begun.push(name);
    return changes;
  };
const fails: UpgradeStep = async () => {
  begun.push('fails');
  throw new Error('interrupted');
};

it('an upgrade of a new table runs no steps', async () => {
  expect(await upgradeRecords(table, [step('a', 1)])).toEqual({ version: 3, changed: 0 });
  expect(begun).toEqual([]);
});

it('an upgrade runs each newer step once, in order', async () => {
  await upgradeRecords(table, []);

  expect(await upgradeRecords(table, [step('a', 1), step('b', 2)])).toEqual({ version: 4, changed: 3 });
  expect(await upgradeRecords(table, [step('a', 1), step('b', 2)])).toEqual({ version: 4, changed: 0 });

  expect(begun).toEqual(['a', 'b']);
});

it('an upgrade resumes at the interrupted step', async () => {
  await upgradeRecords(table, []);
  await expect(upgradeRecords(table, [step('a', 1), fails])).rejects.toThrow('interrupted');

  expect(await upgradeRecords(table, [step('a', 1), step('b', 2)])).toEqual({ version: 4, changed: 2 });

  expect(begun).toEqual(['a', 'fails', 'b']);
});

it('an upgrade refuses records of a newer version', async () => {
  await upgradeRecords(table, [step('a', 1)]);

  await expect(upgradeRecords(table, [])).rejects.toThrow(/version 3, .* up to 2\. Run a newer release/);
});
