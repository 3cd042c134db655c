import { randomUUID } from 'node:crypto';
import type { Catalog } from './catalog/catalog.ts';
import { loadCatalog } from './catalog/load.ts';
import { optionalVariable, variables } from './platform/environment.ts';
import { openQueue, type QueueSender } from './platform/queue.ts';
import { openTable, type Table } from './store/table.ts';

/**
 * What lives as long as the process: connections and the catalog, each opened when a handler first asks. Nothing here
 * belongs to a request, so one process may serve many at once.
 */
export const resources = {
  table: once<Table>(() => openTable()),
  catalog: once<Catalog>(() => loadCatalog()),
  finalizeQueue: once<QueueSender>(() => openQueue(variables.finalizeQueueUrl)),
  rollUpQueue: once<QueueSender>(() => openQueue(variables.rollUpQueueUrl)),
  /** Names this life of the process on the holds it places. */
  bootId: once<string>(() => optionalVariable(variables.bootId) ?? randomUUID()),
};

function once<Value>(open: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= open());
}
