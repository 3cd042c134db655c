import { deadLettersVariable, queueVariable } from '../platform/environment.ts';
import { perQueue } from '../platform/concurrency/once.ts';
import { openQueueGauge } from '../platform/queues/queue-levels.ts';
import { openQueueReturns } from '../platform/queues/queue-returns.ts';

/** Queue functions that workers use, apart from sending and receiving messages. */
export const queues = {
  /** Clients that put messages back into the worker's own queue, to be delivered again. */
  returns: perQueue((name) => openQueueReturns(queueVariable(name))),
  gauge: perQueue((name) => openQueueGauge(queueVariable(name), deadLettersVariable(name))),
};
