import { parentPort } from 'node:worker_threads';
import { countTexts, type Vocabulary } from './o200k.ts';

/** What the thread is to count. */
export interface CountJob {
  id: number;
  texts: string[];
  vocabulary: Vocabulary;
  /** The caller stops waiting at this time: performance.timeOrigin + performance.now(), in milliseconds since the epoch. */
  deadlineMs: number;
}
export interface CountResult {
  id: number;
  tokens: number | undefined;
}

/** One job may not keep the others waiting longer than this. */
const LONGEST_JOB_MS = 1_000;

parentPort!.on('message', ({ id, texts, vocabulary, deadlineMs }: CountJob) => {
  const untilMs = Math.min(performance.now() + LONGEST_JOB_MS, deadlineMs - performance.timeOrigin);
  const result: CountResult = { id, tokens: countTexts(texts, vocabulary, untilMs) };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort!.postMessage(result);
});
