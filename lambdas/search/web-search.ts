import type { OpenBackend, SearchErrorCode, SearchOutcome, SearchQuery } from './backend.ts';
import { codePointsIn } from './query-length.ts';

/** Maximum length of a query in code points. */
const MAX_SEARCHED_CHARACTERS = 400;
const WEB_SEARCH_TIMEOUT_MS = 15_000;

/**
 * Tries one backend after another until one responds, even without hits. Otherwise returns the last failure. All
 * attempts together take at most `timeoutMs`. Never throws.
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
