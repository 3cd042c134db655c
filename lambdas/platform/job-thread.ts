/**
 * A thread for work that would keep the event loop from everybody else: it is started for the first job, does one after the
 * other, and is ended when no more come. What does such work sits in a file of its own, `<name>.ts`, that calls `answerJobs`.
 */

import { extname } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';
import { describeError, log } from './logger.ts';

const IDLE_MS = 60_000;
/** A job that looks at the time itself is about to end; one that does not is ended with its thread. */
const GRACE_MS = 500;

interface WaitingJob<Job, Result> {
  job: Job;
  timer: NodeJS.Timeout;
  resolve: (result: Result | undefined) => void;
}

/**
 * Guarantee: a caller waits no longer than its deadline, and a job that never ends holds up no other for longer than that and half
 * a second more.
 * @typeParam Job what the thread gets: data alone
 */
export class JobThread<Job, Result> {
  readonly #file: URL;
  readonly #maxHeapMb: number;
  readonly #queue: WaitingJob<Job, Result>[] = [];
  #running: WaitingJob<Job, Result> | undefined;
  #worker: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  /**
   * @param options.beside import.meta.url of the caller; in a bundle the thread's file is a separate bundle beside it
   * @param options.name of the thread's file, without its extension
   */
  constructor({ beside, name, maxHeapMb }: { beside: string; name: string; maxHeapMb: number }) {
    const self = new URL(beside);
    this.#file = new URL(`./${name}${extname(self.pathname)}`, self);
    this.#maxHeapMb = maxHeapMb;
  }

  /**
   * @param deadlineMs of performance.now()
   * @returns undefined when there was no result by then, or the thread has failed; never rejects
   */
  run(job: Job, deadlineMs: number): Promise<Result | undefined> {
    return new Promise((resolve) => {
      // Not unreferenced: while a caller waits, the process is in use.
      const timer = setTimeout(() => this.#giveUp(waiting), deadlineMs - performance.now());
      const waiting: WaitingJob<Job, Result> = { job, timer, resolve };
      this.#queue.push(waiting);
      this.#next();
    });
  }

  #next(): void {
    clearTimeout(this.#idleTimer);
    if (this.#running) return;
    this.#running = this.#queue.shift();
    if (!this.#running) {
      this.#idleTimer = setTimeout(() => this.#end(), IDLE_MS).unref();
      return;
    }
    this.#worker ??= this.#started();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    this.#worker.postMessage(this.#running.job);
  }

  #started(): Worker {
    const worker = new Worker(this.#file, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#maxHeapMb },
    });
    worker.on('message', (result: Result) => this.#finish(worker, result));
    worker.on('error', (error) => log('error', 'a thread failed', describeError(error)));
    worker.on('exit', () => this.#exited(worker));
    // After the listeners are added: the first of them would keep the process alive again.
    worker.unref();
    return worker;
  }

  #finish(worker: Worker, result: Result | undefined): void {
    if (worker !== this.#worker || !this.#running) return;
    settle(this.#running, result);
    this.#running = undefined;
    this.#next();
  }

  #exited(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    if (!this.#running) return;
    settle(this.#running, undefined);
    this.#running = undefined;
    this.#next();
  }

  #giveUp(waiting: WaitingJob<Job, Result>): void {
    settle(waiting, undefined);
    if (waiting !== this.#running) {
      const place = this.#queue.indexOf(waiting);
      if (place !== -1) this.#queue.splice(place, 1);
      return;
    }
    setTimeout(() => {
      if (this.#running === waiting) void this.#worker?.terminate();
    }, GRACE_MS).unref();
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}

function settle<Result>({ timer, resolve }: WaitingJob<unknown, Result>, result: Result | undefined): void {
  clearTimeout(timer);
  resolve(result);
}

/** The thread's side: does each job, which is what the other side says it is, and answers it. */
export function answerJobs(work: (job: never) => unknown): void {
  parentPort!.on('message', (job: unknown) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    parentPort!.postMessage(work(job as never));
  });
}
