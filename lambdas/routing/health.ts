/**
 * The circuit breaker: it tells which endpoints are failing now, and the order of candidates tries those last. Each instance of a function counts its own attempts; when one fails, it tells the
 * others, and they tell what they know of the same endpoint, so that one failure among a thousand attempts is not taken
 * for one among three. While all is well nothing is written.
 *
 * No request waits for any of it, none fails because of it: without the table an instance knows its own attempts.
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

/** What the order of candidates asks. */
export interface EndpointHealth {
  /** Of its latest ten attempts, in the last half minute, a fifth or more failed. */
  isFailing: (endpointId: string) => boolean;
}

/** What one instance knows of the endpoints in question. */
export interface HealthReport {
  instance: string;
  publishedAtMs: number;
  attempts: Record<string, Bin[]>;
}

/** Where instances leave their reports for each other. */
export interface HealthReports {
  write: (report: HealthReport, to: { isCrowd: boolean }) => Promise<void>;
  /** The newest reports, newest first, of those that were published between these times; each has all of its instance's counts. */
  read: (between: { fromMs: number; toMs: number; limit: number; isCrowd: boolean }) => Promise<HealthReport[]>;
}

const FAILING_SHARE = 0.2;
/** When reports come to less than that, nobody needs to hear more: the endpoint is fine, one attempt of many has failed. */
const DOUBTFUL_SHARE = 0.1;
const HEALTH_REFRESH_MS = 2_000;
const PUBLISH_EVERY_MS = 1_000;
/** When a reading is full, many report, and each need not do so as often. */
const MIN_PUBLISH_MS_IN_CROWD = 10_000;
const MAX_PUBLISH_MS_IN_CROWD = 120_000;
const MAX_REPORTS = 64;
const MAX_ENDPOINTS_IN_REPORT = 8;

/** What has been reported: by the others, and by all, this instance included. */
interface Reported {
  byOthers: RecentAttempts;
  byAll: RecentAttempts;
  isCrowd: boolean;
  /** How long an instance should wait between reports. */
  publishEveryMs: number;
}

export class SharedHealth implements EndpointHealth {
  readonly #instance: string;
  readonly #reports: HealthReports;
  readonly #nowMs: () => number;
  readonly #own = new RecentAttempts();
  readonly #reported: Refreshed<Reported>;
  /** Counted since the last report. */
  #hasNews = false;
  #publishedAtMs: number | undefined;
  #publishing: Promise<void> | undefined;
  #isPublishingBroken = false;

  /** @param options.instance tells this instance's reports from those of others */
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

  /** Notes what came of an attempt; a request that was at fault itself, or whose client left, says nothing. */
  record(endpointId: string, result: AttemptResult): void {
    const atMs = this.#nowMs();
    this.#own.add(endpointId, binAt(atMs, result), atMs);
    this.#hasNews = true;
  }

  isFailing(endpointId: string): boolean {
    return this.#failedShare(endpointId, this.#nowMs()) >= FAILING_SHARE;
  }

  /** Whether the reports of others have been read. */
  get isShared(): boolean {
    return this.#reported.value() !== undefined;
  }

  /** Reads the reports of others, if that was not done in the last two seconds. Not to be waited for. Never rejects. */
  refresh(): Promise<void> {
    return this.#reported.refresh();
  }

  /** Reports what this instance knows of endpoints in question, at most once a second. Never rejects. */
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
    // Less than nothing: the clock was set back.
    return sinceMs >= everyMs || sinceMs < 0;
  }

  /** @returns undefined while all is well */
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

  /** A copy may have too few: of a crowd that has just begun, or is over. */
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
      // The newest one has what the others had.
      if (seen.has(instance)) continue;
      seen.add(instance);
      for (const sums of instance === this.#instance ? [byAll] : [byAll, byOthers]) addAll(sums, attempts, atMs);
    }
    const isCrowd = reports.length >= MAX_REPORTS;
    const publishEveryMs = isCrowd ? publishInCrowdMs(reports, before?.publishEveryMs ?? 0, atMs) : PUBLISH_EVERY_MS;
    return { byOthers, byAll, isCrowd, publishEveryMs };
  }
}

/** All wait twice as long where a full reading came in less time than they wait at least, and half as long where it did not. */
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
