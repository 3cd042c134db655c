/**
 * Decides whether counters of a table may have parts. Releases up to 0.2.0 do not read parts. If such a release runs
 * next to this one, it reports too little spending, and admits too much under a new limit. Parts are therefore created
 * only after an operator has confirmed that all deployed functions support them.
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

/**
 * Prevents the creation of further parts. Existing parts stay, and a creation that has already begun may still succeed.
 */
export async function forbidParts(table: Table): Promise<void> {
  await writeAlone(table, remove(table, KEY));
}
