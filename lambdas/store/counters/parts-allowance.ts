/**
 * Whether counters of a table may have parts. Releases up to 0.2.0 read counters alone, and while such a release runs beside this one they would
 * show too little, and let a first limit admit too much. So parts are made only once an operator has said that all functions know them.
 */

import { readItem } from '../table/query.ts';
import type { Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put, remove } from '../table/writes.ts';

const KEY = { pk: 'SCHEMA', sk: 'COUNTER_PARTS' };

export async function arePartsAllowed(table: Table): Promise<boolean> {
  return (await readItem(table, KEY)) !== undefined;
}

export async function allowParts(table: Table): Promise<void> {
  await writeAlone(table, put(table, { ...KEY, entity: 'schema' }));
}

/** Counters get no new parts, but for those that were about to get them; those that have some keep them. */
export async function forbidParts(table: Table): Promise<void> {
  await writeAlone(table, remove(table, KEY));
}
