import { integrationSeconds, visibilityTimeoutSeconds, type QueueWorker, type Route } from '../../lambdas/route.ts';
import { functions, queueWorkers, routes, scheduledWorkers, UNKNOWN_ROUTE } from '../../lambdas/routes.ts';
import { wiredRoutes, type WiredRoute } from '../../lambdas/server/routing-table.ts';

/** Connections between routes, functions, queues and schedules. */
export interface Wiring {
  routes: WiredRoute[];
  /** Queues by the name under which functions get a queue's URL. */
  queues: Record<string, WiredQueue>;
  queueSources: { queue: string; functionName: string; batchSize: number; maxConcurrency: number }[];
  schedules: { functionName: string; everyMinutes: number }[];
  functionUrl: string | undefined;
  /** Function that handles requests that match no route. */
  unknownRoute: string;
  /** Time that API Gateway waits for a complete response, by function name. */
  integrationSeconds: Record<string, number>;
}

export interface WiredQueue {
  visibilityTimeoutSeconds: number;
  maxReceiveCount: number;
  /** Name of the dead-letter queue in the wiring. */
  deadLetters: string;
}

/** Returns the dead-letter queue of a queue that is named as in the manifest. */
export function deadLettersOf(queue: string): string {
  return `${queue}-dead-letters`;
}

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
    integrationSeconds: Object.fromEntries(
      Object.entries({ ...routes, [UNKNOWN_ROUTE]: functions[UNKNOWN_ROUTE]! }).map(([name, route]) => [
        name,
        integrationSeconds(route),
      ]),
    ),
  };
}
