import { doorSeconds, visibilityTimeoutSeconds, type QueueWorker, type Route } from '../../lambdas/route.ts';
import { functions, queueWorkers, routes, scheduledWorkers, UNKNOWN_ROUTE } from '../../lambdas/routes.ts';
import { wiredRoutes, type WiredRoute } from '../../lambdas/server/routing-table.ts';

/** What the local runtime has to connect: the same facts, whether they come from the manifest or from a template. */
export interface Wiring {
  routes: WiredRoute[];
  /** Queues by the name under which functions get their URL. */
  queues: Record<string, WiredQueue>;
  queueSources: { queue: string; functionName: string; batchSize: number; maxConcurrency: number }[];
  schedules: { functionName: string; everyMinutes: number }[];
  /** The function that also answers on a function URL; undefined where there is none. */
  functionUrl: string | undefined;
  /** The function that answers what no route takes. */
  unknownRoute: string;
  /** How long API Gateway waits for the whole answer of each function that it calls. */
  doorSeconds: Record<string, number>;
}

export interface WiredQueue {
  visibilityTimeoutSeconds: number;
  maxReceiveCount: number;
  /** That name of its dead-letter queue. */
  deadLetters: string;
}

/** The name of a queue's dead-letter queue, where queues have their names from the manifest. */
export function deadLettersOf(queue: string): string {
  return `${queue}-dead-letters`;
}

/** The wiring that the manifest asks for. */
export function manifestWiring(): Wiring {
  return {
    routes: wiredRoutes(routes),
    queues: Object.fromEntries(
      Object.entries<QueueWorker>(queueWorkers).map(([name, worker]) => [
        name,
        {
          visibilityTimeoutSeconds: visibilityTimeoutSeconds(worker),
          maxReceiveCount: worker.maxReceiveCount,
          deadLetters: deadLettersOf(name),
        },
      ]),
    ),
    queueSources: Object.entries(queueWorkers).map(([name, { batchSize, maxConcurrency }]) => ({
      queue: name,
      functionName: name,
      batchSize,
      maxConcurrency,
    })),
    schedules: Object.entries(scheduledWorkers).map(([functionName, { everyMinutes }]) => ({
      functionName,
      everyMinutes,
    })),
    functionUrl: Object.entries<Route>(routes).find(([, route]) => route.functionUrl)![0],
    unknownRoute: UNKNOWN_ROUTE,
    doorSeconds: Object.fromEntries(
      Object.entries({ ...routes, [UNKNOWN_ROUTE]: functions[UNKNOWN_ROUTE]! }).map(([name, route]) => [
        name,
        doorSeconds(route),
      ]),
    ),
  };
}
