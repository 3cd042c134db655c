import { isKnownUsedUp } from '../admission/hold.ts';
import { notRefused, refusalError, roomOf } from '../admission/refusal.ts';
import type { InferenceCaller } from '../admission/caller.ts';
import { nowMs } from '../platform/clock.ts';
import type { UsableEndpoint } from '../routing/usable-endpoints.ts';
import { previewInference } from './estimates/estimate.ts';
import type { HoldTerms } from './hold-inference.ts';
import type { InferenceInput } from './inference-input.ts';
import { unprotected } from './protection-of.ts';

interface Needed {
  candidates: readonly Pick<UsableEndpoint, 'model'>[];
  terms: HoldTerms;
}

/**
 * Refuses a request with exhausted limits before its prompt is scanned for sensitive data. The scan is free for the
 * client, and may occupy a shared worker thread for seconds.
 *
 * Guarantee: at that moment the hold would refuse the request with the same error, except for the needed amount.
 * @param neededOf returns the hold of the request without protection; it must not send anything to a provider
 * @throws {GatewayError} 402 if a limit has no room; 403 for a suspended account; other errors of `neededOf` and
 *   `previewInference`
 */
export async function refuseEarly<Input extends InferenceInput<unknown>>(
  input: Input,
  neededOf: (input: Input) => Promise<Needed>,
): Promise<void> {
  if (!mayBeRefused(input.caller)) return;
  const { candidates, terms } = await neededOf(unprotected(input));
  // The prompt's tokens are not counted, because a count may send the unprotected prompt to a provider.
  const { tried } = await previewInference(input, { ...terms, recount: () => Promise.resolve(undefined) });
  if ('placed' in tried) return;
  const { refusal, request } = tried.refused;
  if (refusal.kind !== 'no_room' || !roomOf(refusal).leftWithoutHolds.isZero) return;
  if (!notRefused(candidates, refusal)) throw refusalError(refusal, request);
}

function mayBeRefused({ account, scopes }: InferenceCaller): boolean {
  return account.status === 'suspended' || scopes.some((scope) => isKnownUsedUp(scope, nowMs()));
}
