import { deadLettersVariable, queueVariable } from '../platform/environment.ts';
import { perQueue } from '../platform/once.ts';
import { openQueueGauge } from '../platform/queue-levels.ts';
import { openQueueReturns } from '../platform/queue-returns.ts';

/** What workers do with queues beside taking their messages. */
export const queues = {
  /** A worker's own queue. */
  returns: perQueue((name) => openQueueReturns(queueVariable(name))),
  gauge: perQueue((name) => openQueueGauge(queueVariable(name), deadLettersVariable(name))),
};
