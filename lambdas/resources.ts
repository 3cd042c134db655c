import { randomUUID } from 'node:crypto';
import { ExhaustedLimits } from './admission/exhausted-limits.ts';
import { openFreeCapacity } from './admission/free/free-capacity.ts';
import { RefusalLog } from './admission/refusal-log.ts';
import { nowMs } from './platform/clock.ts';
import { optionalVariable, queueVariable, variables } from './platform/environment.ts';
import { openQueue } from './platform/queues/queue.ts';
import { SharedHealth } from './routing/health.ts';
import { WarmPrompts } from './routing/warm-prompts.ts';
import { openStatistics } from './routing/statistics.ts';
import { readReports, writeReport } from './store/statistics/endpoint-health.ts';
import { measurementReader } from './store/statistics/endpoint-statistics.ts';
import { writeRefusal } from './store/generations/refusals.ts';
import { readBudgets } from './store/counters/service-budgets.ts';
import { once, perQueue } from './platform/concurrency/once.ts';
import { openTable } from './store/table/table.ts';
import { readWarmPrompt, writeWarmPrompt } from './store/statistics/warm-prompts.ts';

const table = once(() => openTable());

/**
 * Connections and caches that the requests of a process share. Each is opened at its first use, and stays open until
 * the process ends.
 */
export const resources = {
  table,
  /** Health of endpoints, as observed by this process and by other processes. */
  health: once(
    () =>
      new SharedHealth({
        instance: randomUUID(),
        reports: {
          write: async (report, to) => writeReport(table(), report, to),
          read: async (between) => readReports(table(), between),
        },
        nowMs,
      }),
  ),
  /** Measured performance of endpoints. */
  statistics: once(() => openStatistics(measurementReader(table), nowMs)),
  /** For each conversation, the endpoint that has cached its prompt. */
  warmPrompts: once(
    () =>
      new WarmPrompts(
        {
          read: async (conversation) => readWarmPrompt(table(), conversation),
          write: async (conversation, prompt) => writeWarmPrompt(table(), conversation, prompt),
        },
        nowMs,
      ),
  ),
  /** Records refused requests. If a request was refused because a limit is spent, also requests a check of alerts. */
  refusals: once(() => {
    const limits = new ExhaustedLimits(() => resources.queue('check-alerts'), nowMs);
    return new RefusalLog(
      [async (refusal) => writeRefusal(table(), refusal), async (refusal) => limits.report(refusal)],
      nowMs,
    );
  }),
  /** Free models that have used up today's budget. */
  freeCapacity: once(() => openFreeCapacity(async (date) => readBudgets(table(), date), nowMs)),
  queue: perQueue((name) => openQueue(queueVariable(name))),
  /**
   * Id of a run in generations and leases: the run of the local gateway that started this process, or else of this
   * process.
   */
  bootId: once(() => optionalVariable(variables.bootId) ?? randomUUID()),
};
