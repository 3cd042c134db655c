/**
 * A thread for work that would block the event loop. It starts with the first job, does one job after the other, and
 * ends when no more arrive. The work is a separate file, `<name>.ts`, that calls `answerJobs`.
 */

import { extname } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';
import { FairQueue, type JobOwner } from './fair-queue.ts';
import { describeError, log } from '../logger.ts';

const IDLE_MS = 60_000;
/** Time for a job that watches the clock itself to end, before its thread is terminated. */
const GRACE_MS = 500;

/** The request of a job. */
export interface JobRequest {
  owner: JobOwner;
  /** Aborts when the client disconnects; undefined if that cannot be detected. */
  clientLeft: AbortSignal | undefined;
}

interface JobTimes {
  /** Milliseconds that the job may wait, in total. */
  maxWaitMs: number;
  /** Milliseconds that the job may run in the thread. */
  maxRunMs: number;
}

/** Reasons why a job has no result. */
export type JobFailure =
  /** Its client has disconnected. */
  | 'client_left'
  /** Other jobs kept the thread busy, or its owner has too many waiting jobs. */
  | 'busy'
  /** It ran longer than it may. */
  | 'too_long'
  /** The thread ended, for example because it had no memory left. */
  | 'broken';

export type JobOutcome<Result> = { result: Result } | { failure: JobFailure };

interface JobEntry<Job, Result> extends JobTimes {
  owner: JobOwner;
  job: Job;
  /** `performance.now()` of the moment at which it began to wait or to run. */
  sinceMs: number;
  waitedMs: number;
  /** Milliseconds that it may run while others wait. */
  turnMs: number;
  timer: NodeJS.Timeout | undefined;
  settle: (outcome: JobOutcome<Result>) => void;
}

interface ThreadOptions {
  /** import.meta.url of the caller. In a bundle, the thread's file is a separate bundle in the same directory. */
  beside: string;
  /** Name of the thread's file, without its extension. */
  name: string;
  maxHeapMb: number;
  /**
   * Milliseconds after which a job yields to new ones. Leave it out for jobs that watch the clock and end themselves.
   */
  turnMs?: number;
}

/**
 * Guarantee: accounts are served in turn, and a job whose client has disconnected takes no more time. With `turnMs`, no
 * new job waits for another one longer than that, plus the start of a thread: a job that has had its turn is set aside.
 * It starts again when no new job waits, and may then run twice as long before it yields to other jobs that were set
 * aside.
 * Weakness: a job that needs more than its first turn fails with "busy" if new jobs keep arriving.
 * @typeParam Job structured data that is copied to the thread
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
  /** The worker accepts jobs. Its start does not count as part of a job's turn. */
  #isReady = false;
  /** The worker is about to exit. The next job waits for that, so that there is never more than one worker. */
  #isEnding = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor({ beside, name, maxHeapMb, turnMs }: ThreadOptions) {
    const self = new URL(beside);
    this.#file = new URL(`./${name}${extname(self.pathname)}`, self);
    this.#maxHeapMb = maxHeapMb;
    this.#turnMs = turnMs;
  }

  /** Never rejects. */
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
    // Not unreferenced: while a caller waits, the process is in use.
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

  /** Sets the running job aside when its turn is over and another job waits. */
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
    worker.on('error', (error) => log('error', 'a thread failed', describeError(error)));
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#isReady = false;
      if (this.#isEnding) this.#isEnding = false;
      else this.#fail();
      this.#next();
    });
    // After the listeners are added: the first of them would keep the process alive again.
    worker.unref();
    return worker;
  }

  /** A thread that is being terminated may still send the result of a job that no longer runs. */
  #finish(outcome: JobOutcome<Result>): void {
    const entry = this.#running;
    if (!entry) return;
    clearTimeout(this.#turnTimer);
    this.#running = undefined;
    entry.settle(outcome);
  }

  /**
   * The thread has ended by itself. If it could not even start, the next job fails, because it would be restarted
   * endlessly.
   */
  #fail(): void {
    this.#running ??= this.#new.take() ?? this.#setAside.take();
    this.#finish({ failure: 'broken' });
  }

  /** Settles a job without a result. If it runs, the thread is terminated. */
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

/** The first message of a thread: its modules are loaded. */
const READY = 'ready';
type Ready = typeof READY;

/** The thread's side: does each job and sends its result back. */
export function answerJobs(work: (job: never) => unknown): void {
  parentPort!.on('message', (job: unknown) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    parentPort!.postMessage({ result: work(job as never) });
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort!.postMessage(READY satisfies Ready);
}
