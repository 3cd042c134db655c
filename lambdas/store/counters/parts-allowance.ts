/**
 * Decides whether counters of a table may have parts. Releases up to 0.2.0 do not read parts. Parts are created only
 * after an operator has confirmed that all deployed functions support them.
 */

import { readItem } from '../table/query.ts';
import type { Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put, remove, type Write } from '../table/writes.ts';

const KEY = { pk: 'SCHEMA', sk: 'COUNTER_PARTS' };

export async function arePartsAllowed(table: Table): Promise<boolean> {
  return (await readItem(table, KEY)) !== undefined;
}

/**
 * Returns the write that allows or forbids that counters are divided into parts. Existing parts stay, and a creation that has already begun
 * may still succeed.
 */
export function partsAllowance(table: Table, isAllowed: boolean): Write {
  return isAllowed ? put(table, { ...KEY, entity: 'schema' }) : remove(table, KEY);
}

export async function allowParts(table: Table): Promise<void> {
  await writeAlone(table, partsAllowance(table, true));
}

export async function forbidParts(table: Table): Promise<void> {
  await writeAlone(table, partsAllowance(table, false));
}
