/** Program of the workers' process. */

import { requireVariable, variables } from '../../lambdas/platform/environment.ts';
import { startInProcessHost } from '../../lambdas/server/in-process-host.ts';
import { belongToBoot } from './boot-processes.ts';
import { importHandler } from '../../lambdas/server/import-handler.ts';
import { connectSqs } from './queues.ts';
import type { Order, Report } from './workers-process.ts';
import { workersOf } from './workers.ts';

process.umask(0o077);
belongToBoot(process.argv[2]!);

const host = await startInProcessHost(['finalize-cost'], importHandler);
const sqs = connectSqs(requireVariable(variables.sqsEndpoint));
const workers = workersOf(sqs, host.invoke);

// If the report cannot be sent, the `disconnect` event follows.
const report = (message: Report) => process.send!(message, undefined, undefined, () => undefined);

process.on('message', (order: Order) => {
  switch (order.order) {
    case 'invoke':
      workers.invoke(order.name, order.event).then(
        () => report({ id: order.id }),
        (error: unknown) => report({ id: order.id, error: error instanceof Error ? error.name : 'Error' }),
      );
      break;
    case 'connect':
      workers.connect(order);
      break;
    case 'stop':
      void workers.stop().then(() => process.exit(0));
  }
});

report({ ready: true });
