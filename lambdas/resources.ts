import { randomUUID } from 'node:crypto';
import { loadCatalog } from './catalog/load.ts';
import { deadLettersVariable, optionalVariable, queueVariable, variables } from './platform/environment.ts';
import { openQueueGauge } from './platform/queue-levels.ts';
import { openQueueReturns } from './platform/queue-returns.ts';
import { openQueue } from './platform/queue.ts';
import type { QueueName } from './route.ts';
import { openTable } from './store/table.ts';

/**
 * What lives as long as the process: connections and the catalog, each opened on first use. Nothing here
 * belongs to a request, so one process may serve many at once.
 */
export const resources = {
  table: once(() => openTable()),
  catalog: once(() => loadCatalog()),
  queue: perQueue((name) => openQueue(queueVariable(name))),
  /** A worker's own queue. */
  returns: perQueue((name) => openQueueReturns(queueVariable(name))),
  gauge: perQueue((name) => openQueueGauge(queueVariable(name), deadLettersVariable(name))),
  /** Identifies this run of the process on the holds that it places. */
  bootId: once(() => optionalVariable(variables.bootId) ?? randomUUID()),
};

function once<Value>(open: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= open());
}

function perQueue<Value>(open: (name: QueueName) => Value): (name: QueueName) => Value {
  const opened: Partial<Record<QueueName, Value>> = {};
  return (name) => (opened[name] ??= open(name));
}
