import { answerJobs } from '../../platform/concurrency/job-thread.ts';
import { countTexts, type Vocabulary } from './o200k.ts';

/** A count for the thread. */
export interface CountJob {
  texts: string[];
  vocabulary: Vocabulary;
  /**
   * The caller stops waiting at this time: performance.timeOrigin + performance.now(), in milliseconds since the epoch.
   */
  deadlineMs: number;
}
/** Tokens; null if the time ran out. */
export type CountResult = number | null;

/** The longest that one job may delay the others. */
const MAX_JOB_MS = 1_000;

answerJobs(({ texts, vocabulary, deadlineMs }: CountJob): CountResult => {
  const untilMs = Math.min(performance.now() + MAX_JOB_MS, deadlineMs - performance.timeOrigin);
  return countTexts(texts, vocabulary, untilMs) ?? null;
});
