import { randomUUID } from 'node:crypto';
import type { Catalog } from './catalog/catalog.ts';
import { loadCatalog } from './catalog/load.ts';
import { optionalVariable, variables } from './platform/environment.ts';
import { openQueueGauge, type QueueGauge } from './platform/queue-levels.ts';
import { openQueueReturns, type QueueReturns } from './platform/queue-returns.ts';
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
  /** Of the two workers: their own queues. */
  finalizeReturns: once<QueueReturns>(() => openQueueReturns(variables.finalizeQueueUrl)),
  rollUpReturns: once<QueueReturns>(() => openQueueReturns(variables.rollUpQueueUrl)),
  finalizeGauge: once<QueueGauge>(() => openQueueGauge(variables.finalizeQueueUrl, variables.finalizeDeadLettersUrl)),
  /** Names this life of the process on the holds it places. */
  bootId: once<string>(() => optionalVariable(variables.bootId) ?? randomUUID()),
};

function once<Value>(open: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= open());
}
