import { Concurrency } from './concurrency.ts';
import type { Invoke } from './event-source.ts';
import { startEventSource } from './event-source.ts';
import type { LocalSqs } from './queues.ts';
import { startSchedule } from './scheduler.ts';
import type { Wiring } from './wiring.ts';

export interface Connections {
  queueSources: Wiring['queueSources'];
  schedules: Wiring['schedules'];
  /** Queue URLs by name in the wiring. */
  queueUrls: Record<string, string>;
  /** Maximum number of concurrent runs of each function; undefined means unlimited. */
  concurrency: number | undefined;
  /** Whether each scheduled run is started twice, and may overlap the next run. */
  repeatsSchedules: boolean;
}

/** Runs functions for queues and schedules. */
export interface Workers {
  invoke: (name: string, event: unknown) => Promise<unknown>;
  connect: (connections: Connections) => void;
  /** Processes the visible messages in the queues, then ends. */
  stop: () => Promise<void>;
}

/** @param invoke invokes a function by its name in the manifest */
export function workersOf(sqs: LocalSqs, invoke: (name: string, event: unknown) => Promise<unknown>): Workers {
  const sources: { stopPolling?: () => void; stop: () => Promise<void> }[] = [];
  return {
    invoke,
    connect({ queueSources, schedules, queueUrls, concurrency, repeatsSchedules }) {
      const atOnce = new Concurrency(concurrency);
      // At the concurrency limit, a run fails as on AWS: a batch is delivered again after its visibility timeout, and a
      // schedule waits for its next run.
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
      // Stops all polls first, so that they end in parallel.
      for (const source of sources) source.stopPolling?.();
      for (const source of sources.splice(0).toReversed()) await source.stop();
    },
  };
}
