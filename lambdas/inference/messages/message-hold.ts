import { releaseUnknown } from '../../accounting/release.ts';
import { remainingCandidates, type Admitted } from '../../admission/admit.ts';
import { freeUseOf, scopesToHoldIn } from '../../admission/free/free-use.ts';
import { estimatedPrompt } from '../../admission/prompt/prompt-size.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import { resources } from '../../resources.ts';
import { connect } from '../../routing/connection.ts';
import { holdInference, type HoldTerms } from '../hold-inference.ts';
import type { InferenceInput } from '../inference-input.ts';
import { attemptsHeldFor, countedPlan, prepareAttempts, type Prepared } from './attempts.ts';
import type { RoutedMessage } from './routed-message.ts';

/** Age in ms after which an unused connection is discarded, because the provider may have closed it. */
const CONNECTION_KEEPS_MS = 2_000;

interface HeldMessage {
  admitted: Admitted;
  attempts: Prepared['attempts'];
}

/**
 * Places a hold for the candidates of a request. If a refusal does not apply to all models, the hold is tried for the
 * other models.
 * @throws {GatewayError} if the request is not admitted
 */
export async function holdForRequest(
  input: InferenceInput<unknown>,
  routed: RoutedMessage,
  signal: AbortSignal,
): Promise<HeldMessage> {
  for (let { candidates } = routed; ;) {
    const result = await holdWhileConnecting(input, prepareAttempts(routed, candidates), signal);
    if ('admitted' in result) return result;
    candidates = remainingCandidates(candidates, result.refused);
  }
}

/** Returns the terms of the hold for a message. */
export async function messageTerms(
  input: Pick<InferenceInput<unknown>, 'caller' | 'generationId' | 'request' | 'clientLeft'>,
  prepared: Prepared,
): Promise<HoldTerms> {
  const { caller, generationId, request } = input;
  const { routed, attempts, plan } = prepared;
  const { account } = caller;
  const { clientAddress } = request;
  return {
    apiType: 'completions',
    streamed: routed.message.stream === true,
    prompt: { ...estimatedPrompt(routed.content), pricedImages: attempts[0]!.quote.bound.pricedImages },
    candidate: attempts[0]!.candidate,
    plan,
    recount: () => countedPlan(prepared, input),
    minMaxTokens: (routed.message.thinking?.budget_tokens ?? 0) + 1,
    scopes: scopesToHoldIn(attempts, caller.scopes),
    free: await freeUseOf(resources.table(), attempts, {
      account,
      clientAddress,
      atMs: generationTimeMs(generationId)!,
    }),
  };
}

/** Places the hold while the connection to the first provider opens. */
async function holdWhileConnecting(input: InferenceInput<unknown>, prepared: Prepared, signal: AbortSignal) {
  const [first] = prepared.attempts as [Prepared['attempts'][number]];
  const upstream = connect(first.candidate, first.encode(), signal);
  const table = resources.table();
  const connectedAtMs = performance.now();
  let admitted: Admitted | undefined;
  try {
    const result = await holdInference(
      { table, bootId: resources.bootId() },
      { ...input, receivedAtMs: input.request.receivedAtMs, recordsLater: true },
      await messageTerms(input, prepared),
    );
    if ('refused' in result) {
      upstream.discard();
      return result;
    }
    ({ admitted } = result);
    const attempts = attemptsHeldFor(prepared, admitted.plan, admitted.shortened !== undefined);
    if (performance.now() - connectedAtMs < CONNECTION_KEEPS_MS) attempts[0] = { ...attempts[0]!, upstream };
    else upstream.discard();
    return { admitted, attempts };
  } catch (error) {
    upstream.discard();
    // Releases a placed hold, because no answer was requested from a provider.
    if (admitted) await releaseUnknown(table, admitted.generation);
    throw error;
  }
}
