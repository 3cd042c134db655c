/** Reads token probabilities in Gemini's form: https://ai.google.dev/api/generate-content#LogprobsResult */

import type { TokenLogprob } from '../../messages/token-logprob.ts';
import { isRawNumber } from '../../platform/json/exact-json.ts';
import { asList, asOptionalRecord, asText } from '../shapes.ts';
import { MAX_ALTERNATIVES, type Likely } from '../translated/logprobs.ts';

/** Returns the chosen tokens with the most likely tokens at their positions; undefined if there are none. */
export function geminiLogprobs(result: unknown): TokenLogprob[] | undefined {
  const { chosenCandidates, topCandidates } = asOptionalRecord(result) ?? {};
  const places = asList(topCandidates);
  const tokens = asList(chosenCandidates).flatMap((chosen, place) => {
    const others = asList(asOptionalRecord(places[place])?.['candidates']).slice(0, MAX_ALTERNATIVES);
    return candidate(chosen).map((token) => ({ ...token, top_logprobs: others.flatMap(candidate) }));
  });
  return tokens.length > 0 ? tokens : undefined;
}

function candidate(value: unknown): Likely[] {
  const { token, logProbability } = asOptionalRecord(value) ?? {};
  const logprob = isRawNumber(logProbability) ? Number(logProbability.rawJSON) : logProbability;
  return typeof logprob === 'number' ? [{ token: asText(token), logprob, bytes: null }] : [];
}
