/**
 * Counts prompts locally, in a worker thread. Loading the vocabulary is slow and needs much memory, and a client can
 * choose words that are slow to count.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Quirks } from '../../catalog/quirk-schemas.ts';
import { JobThread, type JobRequest } from '../../platform/concurrency/job-thread.ts';
import { once } from '../../platform/concurrency/once.ts';
import type { CountJob, CountResult } from './o200k-worker.ts';

/** Maximum length in characters of a prompt that is counted. */
const MAX_COUNTED_CHARACTERS = 2_000_000;
const COUNT_PATIENCE_MS = 3_000;
const MAX_COUNTER_HEAP_MB = 256;
/** Time in ms after which the collection of texts yields to other requests. */
const TURN_MS = 5;

/**
 * Margins in percent that are added to local counts, by tokenizer:
 *
 * - `o200k`: OpenAI adds an undocumented number of tokens around messages and tools.
 * - `claude`: the older vocabulary needs up to 1.4 times the counted tokens. The newer one (Opus 4.7 and later) needs
 *   up to 1.35 times as many as the older one.
 * - `other`: up to 1.4 times the counted tokens, and some providers format tool definitions with more white space.
 *
 * @see https://platform.claude.com/docs/en/about-claude/models/migration-guide
 */
const MARGIN_PERCENT = { o200k: 5, claude: 100, other: 50 } as const;

/**
 * Estimates the tokens of texts, rather too high than too low, without media and the margin of `withTokenizerMargin`.
 * Never throws.
 * @returns undefined if the texts are too long, or if the count fails or takes longer than three seconds
 */
export async function countPromptTokens(
  texts: Iterable<string>,
  tokenizer: Quirks['tokenizer'],
  request: JobRequest,
): Promise<number | undefined> {
  const deadlineMs = performance.now() + COUNT_PATIENCE_MS;
  const collected = await collect(texts);
  if (!collected) return undefined;
  const vocabulary = tokenizer === 'o200k' ? 'o200k' : 'other';
  const job: CountJob = { texts: collected, vocabulary, deadlineMs: performance.timeOrigin + deadlineMs };
  const maxMs = Math.max(0, deadlineMs - performance.now());
  const outcome = await countThread().run(job, request, { maxWaitMs: maxMs, maxRunMs: maxMs });
  return ('result' in outcome ? outcome.result : undefined) ?? undefined;
}

const countThread = once(
  () =>
    new JobThread<CountJob, CountResult>({
      beside: import.meta.url,
      name: 'o200k-worker',
      maxHeapMb: MAX_COUNTER_HEAP_MB,
    }),
);

/** Adds the error margin to a count of `countPromptTokens`. */
export function withTokenizerMargin(tokens: number, tokenizer: Quirks['tokenizer']): number {
  return Math.ceil((tokens * (100 + MARGIN_PERCENT[tokenizer ?? 'other'])) / 100);
}

async function collect(texts: Iterable<string>): Promise<string[] | undefined> {
  const collected: string[] = [];
  let characters = 0;
  let turnEndsMs = performance.now() + TURN_MS;
  for (const text of texts) {
    characters += text.length;
    if (characters > MAX_COUNTED_CHARACTERS) return undefined;
    collected.push(text);
    if (performance.now() > turnEndsMs) {
      await nextTurn();
      turnEndsMs = performance.now() + TURN_MS;
    }
  }
  return collected;
}
