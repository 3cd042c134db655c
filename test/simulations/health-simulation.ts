/**
 * Simulates requests over several instances of a function and two endpoints, one of which is in trouble for a while.
 * Only time, chance and the table are simulated.
 */

import { SharedHealth, type HealthReport, type HealthReports } from '../../lambdas/routing/health.ts';
import { dice, simulatedTime, type SimulatedTime } from './simulated-time.ts';

export interface Scenario {
  seed: number;
  instances: number;
  requestsPerSecond: number;
  durationMs: number;
  /**
   * Whether the troubled endpoint fails an attempt at this time after the beginning. `chance` is a random number from 0
   * to 1.
   */
  fails: (atMs: number, chance: number) => boolean;
  /** Replaces the simulated storage of health reports. */
  reports?: HealthReports;
}

export interface Sent {
  atMs: number;
  isTroubledFirst: boolean;
}

const TROUBLED = 'acme/model';
const FAILED_AFTER_MS = 300;
const ANSWERED_AFTER_MS = 1_200;
/** A caller is cached for this time, as in admission. */
const CALLER_CACHE_MS = 3_000;
const START_MS = Date.UTC(2026, 10, 20);

interface Instance {
  health: SharedHealth;
  callerReadAtMs: number;
}

export async function simulate(scenario: Scenario): Promise<Sent[]> {
  const { seed, requestsPerSecond, durationMs, fails } = scenario;
  const chance = dice(seed);
  const time = simulatedTime(START_MS);
  const reports = scenario.reports
    ? outside(time, scenario.reports)
    : simulatedReports(time, dice(seed + 1_000_000_000));
  const instances = Array.from({ length: scenario.instances }, (_, index): Instance => {
    const health = new SharedHealth({ instance: `instance-${index}`, reports, nowMs: time.nowMs });
    return { health, callerReadAtMs: -Infinity };
  });
  const sent: Sent[] = [];
  const handle = async (instance: Instance) => {
    const { health } = instance;
    void health.refresh();
    await findCaller(instance, time, chance);
    const atMs = time.nowMs() - START_MS;
    const isTroubledFirst = !health.isFailing(TROUBLED);
    sent.push({ atMs, isTroubledFirst });
    if (isTroubledFirst) {
      const isFailure = fails(atMs, chance());
      await time.sleep(FAILED_AFTER_MS);
      health.record(TROUBLED, isFailure ? 'failed' : 'ok');
      if (isFailure) void health.publish();
    }
    await time.sleep(ANSWERED_AFTER_MS);
    await health.publish();
  };
  const arrive = () => {
    void handle(instances[Math.floor(chance() * instances.length)]!);
    // Requests of independent clients arrive at exponentially distributed intervals.
    const nextMs = time.nowMs() + (-Math.log(1 - chance()) * 1_000) / requestsPerSecond;
    if (nextMs < START_MS + durationMs) time.at(nextMs, arrive);
  };
  time.at(START_MS, arrive);
  await time.run(START_MS + durationMs);
  return sent;
}

/** Looks up a caller, which takes time unless the caller is cached. */
async function findCaller(instance: Instance, time: SimulatedTime, chance: () => number): Promise<void> {
  if (time.nowMs() - instance.callerReadAtMs < CALLER_CACHE_MS) return;
  instance.callerReadAtMs = time.nowMs();
  await time.sleep(callMs(chance));
}

function callMs(chance: () => number): number {
  return 4 + chance() * 20;
}

/**
 * Returns storage with the delays of a real table: some milliseconds per call, and readings that may be up to a second
 * old.
 */
function simulatedReports(time: SimulatedTime, chance: () => number): HealthReports {
  let written: { key: string; visibleAtMs: number; report: HealthReport }[] = [];
  return {
    async write(report) {
      await time.sleep(callMs(chance));
      const key = `${Math.floor(report.publishedAtMs / 10_000)}#${report.instance}`;
      const visibleAtMs = time.nowMs() + (chance() < 0.1 ? chance() * 1_000 : chance() * 20);
      // Old reports are removed, so that long runs stay fast.
      written = written.filter(({ report: { publishedAtMs } }) => publishedAtMs > time.nowMs() - 60_000);
      written.push({ key, visibleAtMs, report: structuredClone(report) });
    },
    async read({ fromMs, toMs, limit }) {
      await time.sleep(callMs(chance) / 2);
      const newest = new Map<string, HealthReport>();
      for (const { key, visibleAtMs, report } of written) {
        const matchesFilter = report.publishedAtMs >= fromMs && report.publishedAtMs <= toMs;
        if (visibleAtMs <= time.nowMs() && matchesFilter) newest.set(key, report);
      }
      const found = [...newest].toSorted(([a], [b]) => (a < b ? 1 : -1)).map(([, report]) => report);
      await time.sleep(callMs(chance) / 2);
      return found.slice(0, limit);
    },
  };
}

/** Returns reports in a real table. The simulated time stops during their calls. */
function outside(time: SimulatedTime, reports: HealthReports): HealthReports {
  return {
    write: (report, to) => time.outside(reports.write(report, to)),
    read: (between) => time.outside(reports.read(between)),
  };
}
