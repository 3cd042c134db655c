/**
 * Decides whether counters of a table may have parts. Releases up to 0.2.0 do not read parts. While such a release runs
 * concurrently with this one, it would report too little spending, and a first limit would admit too much. So parts are
 * created only after an operator has confirmed that all functions support them.
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

/** Prevents new parts, except for counters that are just getting them. Existing parts stay. */
export async function forbidParts(table: Table): Promise<void> {
  await writeAlone(table, remove(table, KEY));
}
