/**
 * Counts prompts locally, for providers that do not count. Loading the vocabulary is slow and needs much memory, and a
 * client can choose words that are slow to count. Prompts are therefore counted in a worker thread. The thread starts
 * with the first count, and ends when no more counts arrive. Counting itself does not block the thread that serves
 * requests.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Quirks } from '../../catalog/quirk-schemas.ts';
import { JobThread, type JobRequest } from '../../platform/concurrency/job-thread.ts';
import { once } from '../../platform/concurrency/once.ts';
import type { CountJob, CountResult } from './o200k-worker.ts';

/**
 * Maximum length in characters of a prompt that is counted, more than the context of most models. For a longer prompt,
 * its size in bytes is the upper bound on its tokens.
 */
const MAX_COUNTED_CHARACTERS = 2_000_000;
/** Maximum time in ms of one count, including the start of the thread and the wait for other counts. */
const COUNT_PATIENCE_MS = 3_000;
const MAX_COUNTER_HEAP_MB = 256;
/** Time in ms after which the reading of a prompt pauses for other requests. */
const TURN_MS = 5;

/**
 * Margins in percent that are added to local counts, by the tokenizer that the catalog names for an endpoint:
 *
 * - `o200k`: OpenAI adds tokens around messages and tools. Their number is not public.
 * - `claude`, for Bedrock and Vertex, where the gateway requests no counts: the older vocabulary needs up to 1.4 times
 *   the counted tokens. The newer vocabulary of Opus 4.7 and later models needs up to 1.35 times as many as the older
 *   vocabulary.
 * - `other`: other vocabularies need up to 1.4 times the counted tokens. Some providers also format tool definitions
 *   with more white space.
 *
 * @see https://platform.claude.com/docs/en/about-claude/models/migration-guide
 */
const MARGIN_PERCENT = { o200k: 5, claude: 100, other: 50 } as const;

/**
 * Estimates the tokens of texts, rather too high than too low. The result excludes media and the margin of
 * `withTokenizerMargin`.
 * @param tokenizer tokenizer of the endpoint by the catalog; undefined for an unknown vocabulary
 * @param request the request whose prompt is counted
 * @returns undefined if the texts are too long, or if the count fails or takes too long; never throws
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

/** Adds the error margin to a count of `countPromptTokens`. The sum is held for the prompt. */
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
