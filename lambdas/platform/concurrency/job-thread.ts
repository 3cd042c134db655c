/**
 * Runs jobs in a separate thread, because they would block the event loop. The thread starts with the first job, and
 * ends after a minute without jobs. Its code is in `<name>.ts`, which calls `answerJobs`.
 */

import { extname } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';
import { FairQueue, type JobOwner } from './fair-queue.ts';
import { describeError, log } from '../logger.ts';

const IDLE_MS = 60_000;
/**
 * Time in ms for which a job without `turnMs` may still run after its caller has stopped waiting, before its thread is
 * terminated.
 */
const GRACE_MS = 500;

export interface JobRequest {
  owner: JobOwner;
  /** Aborts when the client disconnects; undefined if that cannot be detected. */
  clientLeft: AbortSignal | undefined;
}

interface JobTimes {
  /** Maximum time in ms that the job may wait: before its start, and after each interruption, together. */
  maxWaitMs: number;
  /** Maximum time in ms of one run in the thread. After an interruption, the job runs again. */
  maxRunMs: number;
}

export type JobFailure =
  /** The client of the job has disconnected. */
  | 'client_left'
  /** Other jobs kept the thread busy, or the owner of the job has too many waiting jobs. */
  | 'busy'
  /** The job exceeded its running time. */
  | 'too_long'
  /** The thread ended, for example because it had no memory left. */
  | 'broken';

export type JobOutcome<Result> = { result: Result } | { failure: JobFailure };

interface JobEntry<Job, Result> extends JobTimes {
  owner: JobOwner;
  job: Job;
  /** Time at which the job began to wait or to run, as performance.now() returns it. */
  sinceMs: number;
  waitedMs: number;
  /** Maximum time in ms before the job is interrupted, if only interrupted jobs wait. It doubles with each interruption. */
  turnMs: number;
  timer: NodeJS.Timeout | undefined;
  settle: (outcome: JobOutcome<Result>) => void;
}

interface ThreadOptions {
  /** import.meta.url of the caller. */
  beside: string;
  name: string;
  maxHeapMb: number;
  /** Time in ms after which a job is interrupted for a new job. Absent for jobs that check their own time limit. */
  turnMs?: number;
}

/**
 * Runs jobs in a thread.
 *
 * Guarantee: accounts take turns, and a job is stopped when its client disconnects. With `turnMs`, a new job waits at
 * most `turnMs` for each new job before it, plus the time to start a thread, because a job that has run for `turnMs` is
 * interrupted when a new job waits. When no new job waits, the interrupted job starts again from its beginning.
 * Weakness: a job that needs longer than `turnMs` fails with "busy" if new jobs keep arriving.
 */
export class JobThread<Job, Result> {
  readonly #file: URL;
  readonly #maxHeapMb: number;
  readonly #turnMs: number | undefined;
  readonly #new = new FairQueue<JobEntry<Job, Result>>();
  readonly #setAside = new FairQueue<JobEntry<Job, Result>>();
  #running: JobEntry<Job, Result> | undefined;
  #turnTimer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  /** Whether the thread accepts jobs. */
  #isReady = false;
  /** Whether the thread is about to exit. The next job waits for the exit. */
  #isEnding = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor({ beside, name, maxHeapMb, turnMs }: ThreadOptions) {
    const self = new URL(beside);
    this.#file = new URL(`./${name}${extname(self.pathname)}`, self);
    this.#maxHeapMb = maxHeapMb;
    this.#turnMs = turnMs;
  }

  /** Runs a job. The promise never rejects: a failure is reported in its result. */
  run(job: Job, { owner, clientLeft }: JobRequest, times: JobTimes): Promise<JobOutcome<Result>> {
    if (clientLeft?.aborted) return Promise.resolve({ failure: 'client_left' });
    if (this.#new.isFullFor(owner)) return Promise.resolve({ failure: 'busy' });
    return new Promise((resolve) => {
      const leave = () => this.#giveUp(entry, 'client_left');
      const entry: JobEntry<Job, Result> = {
        ...times,
        owner,
        job,
        sinceMs: 0,
        waitedMs: 0,
        turnMs: this.#turnMs ?? Infinity,
        timer: undefined,
        settle: (outcome) => {
          clearTimeout(entry.timer);
          clientLeft?.removeEventListener('abort', leave);
          resolve(outcome);
        },
      };
      clientLeft?.addEventListener('abort', leave, { once: true });
      this.#wait(entry, this.#new);
      this.#makeWay();
      this.#next();
    });
  }

  #wait(entry: JobEntry<Job, Result>, queue: FairQueue<JobEntry<Job, Result>>): void {
    entry.sinceMs = performance.now();
    entry.timer = setTimeout(() => this.#giveUp(entry, 'busy'), Math.max(0, entry.maxWaitMs - entry.waitedMs));
    queue.add(entry);
  }

  #next(): void {
    clearTimeout(this.#idleTimer);
    if (this.#running || this.#isEnding) return;
    if (this.#new.isEmpty && this.#setAside.isEmpty) {
      this.#idleTimer = setTimeout(() => this.#end(), IDLE_MS).unref();
      return;
    }
    this.#worker ??= this.#started();
    if (!this.#isReady) return;
    const entry = (this.#new.take() ?? this.#setAside.take())!;
    this.#running = entry;
    clearTimeout(entry.timer);
    const nowMs = performance.now();
    entry.waitedMs += nowMs - entry.sinceMs;
    entry.sinceMs = nowMs;
    entry.timer = setTimeout(() => this.#giveUp(entry, 'too_long'), entry.maxRunMs);
    this.#makeWay();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    this.#worker.postMessage(entry.job);
  }

  /** Interrupts the running job when its turn is over and another job waits. */
  #makeWay(): void {
    clearTimeout(this.#turnTimer);
    const entry = this.#running;
    if (!entry || this.#turnMs === undefined || (this.#new.isEmpty && this.#setAside.isEmpty)) return;
    const turnMs = this.#new.isEmpty ? entry.turnMs : this.#turnMs;
    const leftMs = entry.sinceMs + turnMs - performance.now();
    if (leftMs > 0) {
      this.#turnTimer = setTimeout(() => this.#makeWay(), Math.ceil(leftMs)).unref();
      return;
    }
    this.#running = undefined;
    clearTimeout(entry.timer);
    entry.turnMs *= 2;
    this.#wait(entry, this.#setAside);
    this.#end();
  }

  #started(): Worker {
    const worker = new Worker(this.#file, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#maxHeapMb },
    });
    worker.on('message', (message: Ready | { result: Result }) => {
      if (message === READY) this.#isReady = true;
      else this.#finish(message);
      this.#next();
    });
    worker.on('error', (error) => log('error', 'thread failed', describeError(error)));
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#isReady = false;
      if (this.#isEnding) this.#isEnding = false;
      else this.#fail();
      this.#next();
    });
    // Called after the listeners are added, because adding one makes the thread keep the process alive again.
    worker.unref();
    return worker;
  }

  /** Ends the running job. A result of an interrupted job may still arrive and is ignored. */
  #finish(outcome: JobOutcome<Result>): void {
    const entry = this.#running;
    if (!entry) return;
    clearTimeout(this.#turnTimer);
    this.#running = undefined;
    entry.settle(outcome);
  }

  /**
   * Handles a thread that ended by itself. If it was running no job, the next job fails, so that a thread that cannot
   * start is not restarted forever.
   */
  #fail(): void {
    this.#running ??= this.#new.take() ?? this.#setAside.take();
    this.#finish({ failure: 'broken' });
  }

  /**
   * Ends a job without a result. If the job is running, its thread is terminated (without `turnMs`, after GRACE_MS).
   */
  #giveUp(entry: JobEntry<Job, Result>, failure: JobFailure): void {
    entry.settle({ failure });
    this.#new.remove(entry);
    this.#setAside.remove(entry);
    if (entry !== this.#running) return;
    const endJob = () => {
      if (this.#running !== entry) return;
      clearTimeout(this.#turnTimer);
      this.#running = undefined;
      this.#end();
    };
    if (this.#turnMs === undefined) setTimeout(endJob, GRACE_MS).unref();
    else endJob();
  }

  #end(): void {
    if (!this.#worker) return;
    this.#isEnding = true;
    void this.#worker.terminate();
  }
}

/** First message from the thread. It means that the thread has loaded its modules. */
const READY = 'ready';
type Ready = typeof READY;

/** Runs in the thread: executes each job that arrives, and sends back its result. */
export function answerJobs(work: (job: never) => unknown): void {
  parentPort!.on('message', (job: unknown) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    parentPort!.postMessage({ result: work(job as never) });
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort!.postMessage(READY satisfies Ready);
}
