/** The functions that queues and schedules call, and what calls them. */

import { Concurrency } from './concurrency.ts';
import type { Invoke } from './event-source.ts';
import { startEventSource } from './event-source.ts';
import type { LocalSqs } from './queues.ts';
import { startSchedule } from './scheduler.ts';
import type { Wiring } from './wiring.ts';

/** What workers are connected to. */
export interface Connections {
  queueSources: Wiring['queueSources'];
  schedules: Wiring['schedules'];
  /** By the names of the wiring. */
  queueUrls: Record<string, string>;
  /** How often each may run at once; undefined where nothing ends that. */
  concurrency: number | undefined;
  /** Schedules run as EventBridge may call them. */
  repeatsSchedules: boolean;
}

/** Runs what queues and schedules ask for. */
export interface Workers {
  invoke: (name: string, event: unknown) => Promise<unknown>;
  /** From now on, queues and schedules are heard. */
  connect: (connections: Connections) => void;
  /** Handles what is in the queues, then ends. */
  stop: () => Promise<void>;
}

/** @param invoke how a function is called, by its name in the manifest */
export function workersOf(sqs: LocalSqs, invoke: (name: string, event: unknown) => Promise<unknown>): Workers {
  const sources: { stopPolling?: () => void; stop: () => Promise<void> }[] = [];
  return {
    invoke,
    connect({ queueSources, schedules, queueUrls, concurrency, repeatsSchedules }) {
      const atOnce = new Concurrency(concurrency);
      // A run without room fails as it does on AWS: a batch comes again when its visibility ends, a schedule with its next run.
      const callOf =
        (name: string): Invoke =>
        (event) =>
          atOnce.run(name, () => invoke(name, event));
      for (const source of queueSources) {
        sources.push(startEventSource(sqs, queueUrls[source.queue]!, source, callOf(source.functionName)));
      }
      for (const { functionName, everyMinutes } of schedules) {
        sources.push(startSchedule({ everyMinutes, isRepeated: repeatsSchedules }, callOf(functionName)));
      }
    },
    async stop() {
      // All at once, so that what is under way of each ends meanwhile.
      for (const source of sources) source.stopPolling?.();
      for (const source of sources.splice(0).toReversed()) await source.stop();
    },
  };
}
