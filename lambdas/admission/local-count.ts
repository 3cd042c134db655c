/**
 * Counts prompts here, for providers that do not count. The vocabulary is large, slow to load, and slow on words that a
 * client chose to be slow, so it runs in a thread that is started for the first count and ended when no more come: the
 * thread that serves requests never waits for it, and keeps nothing of it in memory.
 */

import { extname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Quirks } from '../catalog/quirk-schemas.ts';
import { describeError, log } from '../platform/logger.ts';
import type { CountJob, CountResult } from './o200k-worker.ts';

/** More than the context of most models; the byte bound must do for larger prompts. */
const MAX_CHARACTERS = 2_000_000;
/** Of one count, including the start of the thread and the wait for other counts. */
const PATIENCE_MS = 3_000;
const IDLE_MS = 60_000;
const MAX_HEAP_MB = 256;
/** The longest that other requests may wait while a prompt is read. */
const TURN_MS = 5;

/** OpenAI itself counts with this vocabulary; what it adds around messages and tools is not public. */
const OWN_VOCABULARY_MARGIN_PERCENT = 5;
/**
 * Other vocabularies need up to 1.4 times as many tokens as are counted for them, in the texts that were measured, and
 * some providers write tools again with indentation. Claude's needs more than this: its provider counts.
 */
const OTHER_VOCABULARY_MARGIN_PERCENT = 50;

/**
 * Estimates the tokens of texts, too high rather than too low, without the margin of `countedLocally` and without media.
 * @param tokenizer the endpoint's quirk; undefined counts what any other vocabulary is likely to need
 * @returns undefined when the texts are too long or it takes too long; never throws.
 */
export async function countLocally(
  texts: Iterable<string>,
  tokenizer: Quirks['tokenizer'],
): Promise<number | undefined> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  const collected = await collect(texts);
  if (!collected) return undefined;
  thread ??= startThread();
  return thread.count(collected, tokenizer, deadlineMs);
}

/** What to hold for a prompt that `countLocally` counted: its tokens plus a margin for the error. */
export function countedLocally(tokens: number, tokenizer: Quirks['tokenizer']): number {
  const marginPercent = tokenizer === 'o200k' ? OWN_VOCABULARY_MARGIN_PERCENT : OTHER_VOCABULARY_MARGIN_PERCENT;
  return Math.ceil((tokens * (100 + marginPercent)) / 100);
}

async function collect(texts: Iterable<string>): Promise<string[] | undefined> {
  const collected: string[] = [];
  let characters = 0;
  let turnEndsMs = performance.now() + TURN_MS;
  for (const text of texts) {
    characters += text.length;
    if (characters > MAX_CHARACTERS) return undefined;
    collected.push(text);
    if (performance.now() > turnEndsMs) {
      await nextTurn();
      turnEndsMs = performance.now() + TURN_MS;
    }
  }
  return collected;
}

interface CountingThread {
  count(texts: string[], tokenizer: Quirks['tokenizer'], deadlineMs: number): Promise<number | undefined>;
}

let thread: CountingThread | undefined;

function startThread(): CountingThread {
  // In a bundle the thread's file is a separate bundle, beside this one.
  const self = new URL(import.meta.url);
  const worker = new Worker(new URL(`./o200k-worker${extname(self.pathname)}`, self), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  const waiting = new Map<number, (tokens: number | undefined) => void>();
  let lastId = 0;
  let idleTimer: NodeJS.Timeout | undefined;

  const started: CountingThread = {
    count(texts, tokenizer, deadlineMs) {
      clearTimeout(idleTimer);
      const id = (lastId += 1);
      return new Promise((resolve) => {
        // Not unreferenced: while a caller waits for the count, the process is in use.
        const timer = setTimeout(() => finish(id, undefined), deadlineMs - performance.now());
        waiting.set(id, (tokens) => {
          clearTimeout(timer);
          resolve(tokens);
        });
        const vocabulary = tokenizer ?? 'other';
        const job: CountJob = { id, texts, vocabulary, deadlineMs: performance.timeOrigin + deadlineMs };
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
        worker.postMessage(job);
      });
    },
  };

  function finish(id: number, tokens: number | undefined): void {
    waiting.get(id)?.(tokens);
    waiting.delete(id);
    if (waiting.size > 0 || thread !== started) return;
    idleTimer = setTimeout(end, IDLE_MS).unref();
  }

  function end(): void {
    if (thread === started) thread = undefined;
    void worker.terminate();
    for (const id of waiting.keys()) finish(id, undefined);
  }

  worker.on('message', ({ id, tokens }: CountResult) => finish(id, tokens));
  worker.on('error', (error) => log('error', 'the local token counter failed', describeError(error)));
  worker.on('exit', end);
  // After the listeners are added: the first of them would keep the process alive again.
  worker.unref();
  return started;
}
