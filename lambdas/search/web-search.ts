import type { OpenBackend, SearchErrorCode, SearchOutcome, SearchQuery } from './backend.ts';
import { codePointsIn } from './query-length.ts';

/** The least of what the backends take; in code points. */
const MAX_SEARCHED_CHARACTERS = 400;
const WEB_SEARCH_TIMEOUT_MS = 15_000;

/**
 * Asks the backends, one after another, until one answers; a list without hits is an answer. When none does, the last
 * failure is the outcome. All of it together takes 15 seconds at most. Never throws.
 */
export async function searchWeb(
  backends: readonly OpenBackend[],
  query: SearchQuery,
  { signal, timeoutMs = WEB_SEARCH_TIMEOUT_MS }: { signal: AbortSignal; timeoutMs?: number },
): Promise<SearchOutcome> {
  const text = query.text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (text === '') return { error: 'invalid_tool_input' };
  if (codePointsIn(text) > MAX_SEARCHED_CHARACTERS) return { error: 'query_too_long' };
  const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let error: SearchErrorCode = 'unavailable';
  for (const backend of backends) {
    if (until.aborted) break;
    const outcome = await backend.search({ ...query, text }, until);
    if ('hits' in outcome) return outcome;
    error = outcome.error;
  }
  return { error };
}
