/**
 * Circuit breaker: failing endpoints are tried last. Each instance counts its own attempts, and publishes its counts
 * when an attempt fails. If a tenth of all published attempts at an endpoint failed, instances without failures publish
 * too. Without their counts, one failure among a thousand attempts could look like one among three.
 *
 * No request waits for the published counts or fails because of them. If the table cannot be reached, an instance uses
 * only its own counts.
 */

import { describeError, log } from '../platform/logger.ts';
import { refreshed, type Refreshed } from '../platform/concurrency/refreshing-value.ts';
import {
  binAt,
  failedShare,
  failuresIn,
  RecentAttempts,
  WINDOW_MS,
  type AttemptResult,
  type Bin,
} from './recent-attempts.ts';

export interface EndpointHealth {
  /** Whether at least a fifth of the latest attempts within half a minute failed. */
  isFailing: (endpointId: string) => boolean;
}

/** Counts of one instance for endpoints that may be failing. */
export interface HealthReport {
  instance: string;
  publishedAtMs: number;
  attempts: Record<string, Bin[]>;
}

export interface HealthReports {
  write: (report: HealthReport, to: { isCrowd: boolean }) => Promise<void>;
  /** Returns the newest reports of the interval, newest first. */
  read: (between: { fromMs: number; toMs: number; limit: number; isCrowd: boolean }) => Promise<HealthReport[]>;
}

const FAILING_SHARE = 0.2;
/** If at least this share of the attempts of all instances failed, instances without failures also report. */
const DOUBTFUL_SHARE = 0.1;
const HEALTH_REFRESH_MS = 2_000;
const PUBLISH_EVERY_MS = 1_000;
/**
 * Bounds in ms on the interval between two reports of an instance in a crowd. The instances are a crowd if a read
 * returns `MAX_REPORTS` reports.
 */
const MIN_PUBLISH_MS_IN_CROWD = 10_000;
const MAX_PUBLISH_MS_IN_CROWD = 120_000;
const MAX_REPORTS = 64;
const MAX_ENDPOINTS_IN_REPORT = 8;

interface Reported {
  byOthers: RecentAttempts;
  byAll: RecentAttempts;
  isCrowd: boolean;
  publishEveryMs: number;
}

export class SharedHealth implements EndpointHealth {
  readonly #instance: string;
  readonly #reports: HealthReports;
  readonly #nowMs: () => number;
  readonly #own = new RecentAttempts();
  readonly #reported: Refreshed<Reported>;
  /** Whether attempts were counted since the last report. */
  #hasNews = false;
  #publishedAtMs: number | undefined;
  #publishing: Promise<void> | undefined;
  #isPublishingBroken = false;

  /** @param options.instance name that distinguishes this instance's reports */
  constructor(options: { instance: string; reports: HealthReports; nowMs: () => number }) {
    this.#instance = options.instance;
    this.#reports = options.reports;
    this.#nowMs = options.nowMs;
    this.#reported = refreshed(() => this.#readReports(), {
      name: 'health of endpoints',
      everyMs: HEALTH_REFRESH_MS,
      nowMs: options.nowMs,
    });
  }

  /**
   * Counts an attempt at an endpoint. Do not record an attempt if the request was at fault, or if the client
   * disconnected.
   */
  record(endpointId: string, result: AttemptResult): void {
    const atMs = this.#nowMs();
    this.#own.add(endpointId, binAt(atMs, result), atMs);
    this.#hasNews = true;
  }

  isFailing(endpointId: string): boolean {
    return this.#failedShare(endpointId, this.#nowMs()) >= FAILING_SHARE;
  }

  get isShared(): boolean {
    return this.#reported.value() !== undefined;
  }

  /** Reads the reports of all instances, at most every two seconds. Never rejects. */
  refresh(): Promise<void> {
    return this.#reported.refresh();
  }

  /** Reports this instance's counts for endpoints that may be failing, at most once a second. Never rejects. */
  async publish(): Promise<void> {
    this.#publishing ??= this.#publishNews().finally(() => (this.#publishing = undefined));
    await this.#publishing;
  }

  async #publishNews(): Promise<void> {
    const atMs = this.#nowMs();
    if (!this.#hasNews || !this.#mayPublish(atMs)) return;
    const attempts = this.#attemptsInQuestion(atMs);
    if (!attempts) return;
    this.#publishedAtMs = atMs;
    this.#hasNews = false;
    try {
      const isCrowd = this.#reported.value()?.isCrowd ?? false;
      await this.#reports.write({ instance: this.#instance, publishedAtMs: atMs, attempts }, { isCrowd });
      this.#isPublishingBroken = false;
    } catch (error) {
      this.#hasNews = true;
      if (!this.#isPublishingBroken) log('warn', 'health of endpoints not published', describeError(error));
      this.#isPublishingBroken = true;
    }
  }

  #mayPublish(atMs: number): boolean {
    const everyMs = this.#reported.value()?.publishEveryMs ?? PUBLISH_EVERY_MS;
    const sinceMs = this.#publishedAtMs === undefined ? Infinity : atMs - this.#publishedAtMs;
    // A negative interval means that the clock was set back.
    return sinceMs >= everyMs || sinceMs < 0;
  }

  /** Returns this instance's counts for endpoints that may be failing; undefined if there are no such endpoints. */
  #attemptsInQuestion(atMs: number): Record<string, Bin[]> | undefined {
    const inQuestion: { endpointId: string; share: number; bins: Bin[] }[] = [];
    for (const endpointId of this.#own.endpointIds()) {
      const bins = this.#own.at(endpointId, atMs);
      if (bins.length === 0) continue;
      const reported = this.#reported.value()?.byAll.at(endpointId, atMs) ?? [];
      const isInQuestion = failuresIn(bins) > 0 || failedShare(reported) >= DOUBTFUL_SHARE;
      if (isInQuestion) inQuestion.push({ endpointId, share: failedShare([...bins, ...reported]), bins });
    }
    if (inQuestion.length === 0) return undefined;
    const worst = inQuestion.sort((a, b) => b.share - a.share).slice(0, MAX_ENDPOINTS_IN_REPORT);
    return Object.fromEntries(worst.map(({ endpointId, bins }) => [endpointId, bins]));
  }

  #failedShare(endpointId: string, atMs: number): number {
    const others = this.#reported.value()?.byOthers.at(endpointId, atMs) ?? [];
    return failedShare([...this.#own.at(endpointId, atMs), ...others]);
  }

  /**
   * Reads the newest reports. In a crowd, instances write each report to several copies, and read one of the copies.
   * When a crowd has just formed or dissolved, a copy has too few reports, so the first copy is read instead.
   */
  async #readNewest(atMs: number, wasCrowd: boolean): Promise<HealthReport[]> {
    const between = { fromMs: atMs - WINDOW_MS, toMs: atMs + WINDOW_MS, limit: MAX_REPORTS };
    const copied = wasCrowd ? await this.#reports.read({ ...between, isCrowd: true }) : [];
    return copied.length >= MAX_REPORTS ? copied : this.#reports.read({ ...between, isCrowd: false });
  }

  async #readReports(): Promise<Reported> {
    const atMs = this.#nowMs();
    const before = this.#reported.value();
    const reports = await this.#readNewest(atMs, before?.isCrowd ?? false);
    const [byOthers, byAll] = [new RecentAttempts(), new RecentAttempts()];
    const seen = new Set<string>();
    for (const { instance, attempts } of reports) {
      // The newest report of an instance replaces its older reports.
      if (seen.has(instance)) continue;
      seen.add(instance);
      for (const sums of instance === this.#instance ? [byAll] : [byAll, byOthers]) addAll(sums, attempts, atMs);
    }
    const isCrowd = reports.length >= MAX_REPORTS;
    const publishEveryMs = isCrowd ? publishInCrowdMs(reports, before?.publishEveryMs ?? 0, atMs) : PUBLISH_EVERY_MS;
    return { byOthers, byAll, isCrowd, publishEveryMs };
  }
}

/**
 * Doubles the interval in ms between two reports if all read reports are newer than the minimum interval, otherwise
 * halves it. All instances read the same reports, so they adapt in a similar way.
 */
function publishInCrowdMs(reports: HealthReport[], lastMs: number, atMs: number): number {
  const isDense = reports.every(({ publishedAtMs }) => atMs - publishedAtMs < MIN_PUBLISH_MS_IN_CROWD);
  const wantedMs = isDense ? lastMs * 2 : lastMs / 2;
  return Math.min(MAX_PUBLISH_MS_IN_CROWD, Math.max(MIN_PUBLISH_MS_IN_CROWD, wantedMs));
}

function addAll(sums: RecentAttempts, attempts: HealthReport['attempts'], atMs: number): void {
  for (const [endpointId, bins] of Object.entries(attempts)) {
    for (const bin of bins) sums.add(endpointId, bin, atMs);
  }
}
