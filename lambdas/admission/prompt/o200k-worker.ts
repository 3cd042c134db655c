import { answerJobs } from '../../platform/concurrency/job-thread.ts';
import { countTexts, type Vocabulary } from './o200k.ts';

/** What the thread is to count. */
export interface CountJob {
  texts: string[];
  vocabulary: Vocabulary;
  /** The caller stops waiting at this time: performance.timeOrigin + performance.now(), in milliseconds since the epoch. */
  deadlineMs: number;
}
/** Tokens; null where there was no time. */
export type CountResult = number | null;

/** One job may not keep the others waiting longer than this. */
const MAX_JOB_MS = 1_000;

answerJobs(({ texts, vocabulary, deadlineMs }: CountJob): CountResult => {
  const untilMs = Math.min(performance.now() + MAX_JOB_MS, deadlineMs - performance.timeOrigin);
  return countTexts(texts, vocabulary, untilMs) ?? null;
});
