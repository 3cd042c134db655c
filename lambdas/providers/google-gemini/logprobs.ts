/** Reads token probabilities in Gemini's form: https://ai.google.dev/api/generate-content#LogprobsResult */

import type { TokenLogprob } from '../../messages/token-logprob.ts';
import { isRawNumber } from '../../platform/json/exact-json.ts';
import { asList, asOptionalRecord, asText } from '../shapes.ts';
import { MAX_ALTERNATIVES, type Likely } from '../translated/logprobs.ts';

/**
 * Returns the chosen tokens with their probabilities, each with the most likely tokens at its position, which Gemini
 * sends in a separate list.
 * @returns undefined if there are no probabilities
 */
export function geminiLogprobs(result: unknown): TokenLogprob[] | undefined {
  const { chosenCandidates, topCandidates } = asOptionalRecord(result) ?? {};
  const places = asList(topCandidates);
  const tokens = asList(chosenCandidates).flatMap((chosen, place) => {
    const others = asList(asOptionalRecord(places[place])?.['candidates']).slice(0, MAX_ALTERNATIVES);
    return candidate(chosen).map((token) => ({ ...token, top_logprobs: others.flatMap(candidate) }));
  });
  return tokens.length > 0 ? tokens : undefined;
}

/** Returns a list with the token and its probability; empty if the token has no probability. */
function candidate(value: unknown): Likely[] {
  const { token, logProbability } = asOptionalRecord(value) ?? {};
  const logprob = isRawNumber(logProbability) ? Number(logProbability.rawJSON) : logProbability;
  return typeof logprob === 'number' ? [{ token: asText(token), logprob, bytes: null }] : [];
}
