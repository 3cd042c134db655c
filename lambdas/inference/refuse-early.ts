import { isKnownUsedUp } from '../admission/hold.ts';
import { notRefused, refusalError, roomOf } from '../admission/refusal.ts';
import type { InferenceCaller } from '../admission/caller.ts';
import { nowMs } from '../platform/clock.ts';
import type { UsableEndpoint } from '../routing/usable-endpoints.ts';
import { previewInference } from './estimates/estimate.ts';
import type { HoldTerms } from './hold-inference.ts';
import type { InferenceInput } from './inference-input.ts';
import { unprotected } from './protection-of.ts';

/** The hold that a request would need. */
interface Needed {
  candidates: readonly Pick<UsableEndpoint, 'model'>[];
  terms: HoldTerms;
}

/**
 * Refuses a request whose limits are used up, before its prompt is searched for sensitive data: a search may take seconds of a thread
 * that others need, and nothing is charged for it.
 *
 * Guarantee: the refusal is that of the hold. Only the needed amount may differ, because it is that of the prompt before protection.
 * Cost: nothing, unless a limit is 0 or this process has lately seen it used up. Then the counters are read.
 * @param neededOf the hold of the request without protection; it must not send anything to a provider
 * @throws {GatewayError} 402 without room, 403 for a suspended account
 */
export async function refuseEarly<Input extends InferenceInput<unknown>>(
  input: Input,
  neededOf: (input: Input) => Promise<Needed>,
): Promise<void> {
  if (!mayBeRefused(input.caller)) return;
  const { candidates, terms } = await neededOf(unprotected(input));
  // A provider that counts the prompt would see it.
  const { tried } = await previewInference(input, { ...terms, recount: () => Promise.resolve(undefined) });
  if ('placed' in tried) return;
  const { refusal, request } = tried.refused;
  if (refusal.kind !== 'no_room' || !roomOf(refusal).leftWithoutHolds.isZero) return;
  if (!notRefused(candidates, refusal)) throw refusalError(refusal, request);
}

function mayBeRefused({ account, scopes }: InferenceCaller): boolean {
  return account.status === 'suspended' || scopes.some((scope) => isKnownUsedUp(scope, nowMs()));
}
