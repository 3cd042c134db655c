import { answerJobs } from '../../platform/concurrency/job-thread.ts';
import { countTexts, type Vocabulary } from './o200k.ts';

export interface CountJob {
  texts: string[];
  vocabulary: Vocabulary;
  /** Deadline in ms since the epoch: performance.timeOrigin + performance.now(). */
  deadlineMs: number;
}
/** Number of tokens; null if the time was too short. */
export type CountResult = number | null;

/** Maximum time in ms of one count, because other counts wait for it. */
const MAX_JOB_MS = 1_000;

answerJobs(({ texts, vocabulary, deadlineMs }: CountJob): CountResult => {
  const untilMs = Math.min(performance.now() + MAX_JOB_MS, deadlineMs - performance.timeOrigin);
  return countTexts(texts, vocabulary, untilMs) ?? null;
});
