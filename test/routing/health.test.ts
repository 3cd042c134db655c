import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  SharedHealth,
  type EndpointHealth,
  type HealthReport,
  type HealthReports,
} from '../../lambdas/routing/health.ts';
import type { AttemptResult } from '../../lambdas/routing/recent-attempts.ts';

const MINUTE = Date.UTC(2026, 10, 20, 12);
const ID = 'acme/model';

let nowMs = MINUTE;
let written: HealthReport[] = [];
let reads = 0;
let log = '';
beforeEach(() => {
  nowMs = MINUTE;
  written = [];
  reads = 0;
  log = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    log += String(line);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

const shared: HealthReports = {
  write: async (report) => void written.unshift(structuredClone(report)),
  read: async () => {
    reads += 1;
    return written;
  },
};
const broken: HealthReports = {
  write: () => Promise.reject(new Error('gone')),
  read: () => Promise.reject(new Error('gone')),
};
const silent: HealthReports = { write: () => new Promise(() => {}), read: () => new Promise(() => {}) };

const instance = (name: string, reports = shared) => new SharedHealth({ instance: name, reports, nowMs: () => nowMs });

function attempts(health: SharedHealth, ...results: AttemptResult[]): void {
  for (const result of results) health.record(ID, result);
}
const times = (count: number, result: AttemptResult) => Array.from({ length: count }, () => result);
const isFailing = (health: EndpointHealth) => health.isFailing(ID);

const crowd = (count: number, everyMs = 1): HealthReport[] =>
  Array.from({ length: count }, (_, number) => ({
    instance: `other-${number}`,
    publishedAtMs: nowMs - number * everyMs,
    attempts: {},
  }));
/**
 * Returns a storage of health reports, with separate contents for the first partition and for its copies, and with a
 * record of reads and writes.
 */
function reportsOf(first: () => HealthReport[], copy: () => HealthReport[]) {
  const asked: boolean[] = [];
  const told: boolean[] = [];
  const reports: HealthReports = {
    write: async (_report, { isCrowd }) => void told.push(isCrowd),
    read: async ({ isCrowd }) => {
      asked.push(isCrowd);
      return isCrowd ? copy() : first();
    },
  };
  return { reports, asked, told };
}
async function refreshedTimes(health: SharedHealth, count: number): Promise<void> {
  for (let reading = 0; reading < count; reading += 1) {
    await health.refresh();
    nowMs += 2_000;
  }
}

describe('the health seen by one instance', () => {
  it.each([
    ['nothing at all', [], false],
    ['only answers', times(5, 'ok'), false],
    ['one failure', times(1, 'failed'), true],
    ['a failure in five', [...times(4, 'ok'), 'failed' as const], true],
    ['a failure in six', [...times(5, 'ok'), 'failed' as const], false],
    ['two failures among hundreds of the same seconds', [...times(300, 'ok'), ...times(2, 'failed')], false],
  ])('is right for an endpoint with %s', (_what, results, failing) => {
    const health = instance('a');
    attempts(health, ...results);
    expect(isFailing(health)).toBe(failing);
  });

  it('uses only the latest attempts, so hundreds of earlier successes hide no failures', () => {
    const health = instance('a');
    attempts(health, ...times(300, 'ok'));
    nowMs += 3_000;
    attempts(health, 'failed', 'ok', 'failed');
    expect(isFailing(health)).toBe(true);
  });

  it('ignores a failure after half a minute', () => {
    const health = instance('a');
    attempts(health, 'failed');
    nowMs += 26_000;
    expect(isFailing(health)).toBe(true);
    nowMs += 4_000;
    expect(isFailing(health)).toBe(false);
  });

  it('is not affected for long if the clock is set back', () => {
    const health = instance('a');
    attempts(health, 'failed');
    nowMs -= 3_600_000;
    expect(isFailing(health)).toBe(false);
    attempts(health, 'failed');
    expect(isFailing(health)).toBe(true);
  });

  it('does not confuse endpoints', () => {
    const health = instance('a');
    attempts(health, 'failed');
    expect(health.isFailing('acme/other')).toBe(false);
  });

  it('keeps a bounded number of endpoints: the most recent ones', () => {
    const health = instance('a');
    for (let number = 0; number < 1_000; number += 1) health.record(`acme/${number}`, 'failed');
    const failing = Array.from({ length: 1_000 }, (_, number) => health.isFailing(`acme/${number}`));
    expect(failing.filter(Boolean)).toHaveLength(256);
    expect(failing.at(-1)).toBe(true);
  });
});

describe('the health reports between instances', () => {
  it('are empty without failures', async () => {
    const health = instance('a');
    attempts(health, ...times(5, 'ok'));
    await health.publish();
    expect(written).toEqual([]);
  });

  it('name only the endpoint that has failed', async () => {
    const [first, second] = [instance('a'), instance('b')];
    first.record('acme/other', 'ok');
    attempts(first, 'ok', 'failed');

    await first.publish();
    await second.refresh();

    expect(Object.keys(written[0]!.attempts)).toEqual([ID]);
    expect(written[0]).toMatchObject({ instance: 'a', publishedAtMs: MINUTE });
    expect(isFailing(second)).toBe(true);
    expect(second.isFailing('acme/other')).toBe(false);
  });

  it('include successes at that endpoint, so that one failure of few does not count as all', async () => {
    const [unlucky, other] = [instance('a'), instance('b')];
    attempts(unlucky, 'ok', 'failed');
    attempts(other, ...times(9, 'ok'));
    await unlucky.publish();
    await other.refresh();

    await other.publish();
    nowMs += 2_000;
    await unlucky.refresh();

    expect(isFailing(other)).toBe(false);
    expect(isFailing(unlucky)).toBe(false);
  });

  it('are not written by an instance without failures if the other reports have enough attempts', async () => {
    const [unlucky, other] = [instance('a'), instance('b')];
    attempts(unlucky, ...times(20, 'ok'), 'failed');
    await unlucky.publish();
    attempts(other, 'ok');
    await other.refresh();
    await other.publish();
    expect(written).toHaveLength(1);
  });

  it('are not counted twice: a newer report replaces earlier ones, and none is added to the own counts', async () => {
    const [first, second] = [instance('a'), instance('b')];
    attempts(second, ...times(6, 'ok'));
    attempts(first, 'failed');
    await first.publish();
    nowMs += 1_000;
    attempts(first, 'ok');
    await first.publish();

    await second.refresh();
    await first.refresh();

    attempts(first, ...times(4, 'ok'));
    expect(written).toHaveLength(2);
    // If the second instance also counted the earlier report, two of nine attempts would have failed. If the first
    // instance also counted its own report, two of eight would have failed.
    expect(isFailing(second)).toBe(false);
    expect(isFailing(first)).toBe(false);
  });

  it('expire as soon as the own counts of an instance', async () => {
    const [first, second] = [instance('a'), instance('b')];
    attempts(first, 'failed');
    nowMs += 20_000;
    await first.publish();
    await second.refresh();
    expect(isFailing(second)).toBe(true);
    nowMs += 10_000;
    expect(isFailing(second)).toBe(false);
  });

  it('are written at most once per second, and only with news', async () => {
    const health = instance('a');
    attempts(health, 'failed');
    await health.publish();
    attempts(health, 'failed');
    await health.publish();
    expect(written).toHaveLength(1);
    nowMs += 1_000;
    await health.publish();
    await health.publish();
    nowMs += 1_000;
    await health.publish();
    expect(written).toHaveLength(2);
  });

  it('are written less often if very many instances write', async () => {
    for (let number = 0; number < 64; number += 1) {
      const other = instance(`other-${number}`);
      attempts(other, 'failed');
      await other.publish();
    }
    const health = instance('a');
    await health.refresh();
    attempts(health, 'failed');
    await health.publish();
    written = [];
    nowMs += 5_000;
    attempts(health, 'failed');
    await health.publish();
    expect(written).toEqual([]);
    nowMs += 5_000;
    await health.publish();
    expect(written).toHaveLength(1);
  });

  describe('with more reports than one read returns', () => {
    it('are read from a copy, and reach all instances', async () => {
      const { reports, asked, told } = reportsOf(
        () => crowd(64),
        () => crowd(64),
      );
      const health = instance('a', reports);
      await refreshedTimes(health, 3);
      attempts(health, 'failed');
      await health.publish();

      expect(asked).toEqual([false, true, true]);
      expect(told).toEqual([true]);
    });

    it('are read from the first copy again if a copy has too few', async () => {
      const { reports, asked, told } = reportsOf(
        () => crowd(asked.length <= 3 ? 64 : 5),
        () => crowd(5),
      );
      const health = instance('a', reports);
      await refreshedTimes(health, 4);
      attempts(health, 'failed');
      await health.publish();

      expect(asked).toEqual([false, true, false, true, false, false]);
      expect(told).toEqual([false]);
    });

    it('are written at growing intervals while that lasts, and at shorter ones afterwards', async () => {
      let isDense = true;
      const { reports, told } = reportsOf(
        () => (isDense ? crowd(64) : crowd(64, 300)),
        () => (isDense ? crowd(64) : crowd(64, 300)),
      );
      const health = instance('a', reports);
      const isSaidAfter = async (ms: number) => {
        const before = told.length;
        nowMs += ms;
        attempts(health, 'failed');
        await health.publish();
        return told.length > before;
      };
      await refreshedTimes(health, 10);
      expect(await isSaidAfter(0)).toBe(true);
      expect(await isSaidAfter(119_000)).toBe(false);
      expect(await isSaidAfter(1_000)).toBe(true);

      isDense = false;
      await refreshedTimes(health, 10);
      expect(await isSaidAfter(0)).toBe(true);
      expect(await isSaidAfter(9_000)).toBe(false);
      expect(await isSaidAfter(1_000)).toBe(true);
    });
  });

  it('are bounded to the endpoints with the most failures', async () => {
    const health = instance('a');
    for (let number = 0; number < 100; number += 1) {
      health.record(`acme/${number}`, 'failed');
      if (number < 92) health.record(`acme/${number}`, 'ok');
    }
    await health.publish();
    expect(Object.keys(written[0]!.attempts)).toEqual(Array.from({ length: 8 }, (_, index) => `acme/${92 + index}`));
  });

  it('are read at most every two seconds, once for concurrent requests', async () => {
    const health = instance('a');
    await Promise.all([health.refresh(), health.refresh()]);
    nowMs += 1_999;
    await health.refresh();
    expect(reads).toBe(1);
    nowMs += 1;
    await health.refresh();
    expect(reads).toBe(2);
  });

  it('are read again although the clock was set back', async () => {
    const health = instance('a');
    await health.refresh();
    nowMs -= 3_600_000;
    await health.refresh();
    expect(reads).toBe(2);
  });

  it('are written again although the clock was set back', async () => {
    const health = instance('a');
    attempts(health, 'failed');
    await health.publish();
    nowMs -= 3_600_000;
    attempts(health, 'failed');
    await health.publish();
    expect(written).toHaveLength(2);
  });
});

describe('without the table', () => {
  it('an instance uses its own health, nothing rejects, and one line is logged for reads and one for writes', async () => {
    const health = instance('a', broken);
    for (let second = 0; second < 10; second += 2) {
      nowMs += 2_000;
      attempts(health, 'failed');
      await health.refresh();
      await health.publish();
    }
    expect(isFailing(health)).toBe(true);
    expect(health.isShared).toBe(false);
    expect(log.trim().split('\n')).toHaveLength(2);
    expect(log).toContain('health of endpoints not read');
    expect(log).toContain('health of endpoints not published');
  });

  it('an instance writes its report later', async () => {
    let isGone = true;
    const health = instance('a', { ...shared, write: (report, to) => (isGone ? broken : shared).write(report, to) });
    attempts(health, 'failed');
    await health.publish();
    isGone = false;
    nowMs += 1_000;
    await health.publish();
    expect(written).toHaveLength(1);
  });

  it('an instance waits once for an unresponsive table, and not for each request', () => {
    let asked = 0;
    const counting = () => {
      asked += 1;
      return new Promise<never>(() => {});
    };
    const health = instance('a', { ...silent, read: counting });
    for (let second = 0; second < 10; second += 1) {
      nowMs += 2_000;
      void health.refresh();
    }
    expect(asked).toBe(1);
    expect(isFailing(health)).toBe(false);
  });
});
