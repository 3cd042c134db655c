/** The hold of a message request, placed while the connection to its first provider is being opened. */

import { priceUsage } from '../../accounting/price.ts';
import { releaseUnknown } from '../../accounting/release.ts';
import { admit, type Admitted } from '../../admission/admit.ts';
import type { HoldRequest } from '../../admission/hold.ts';
import { refusalError } from '../../admission/refusal.ts';
import type { EndpointInput } from '../../http/define-endpoint.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import { resources } from '../../resources.ts';
import { connect } from '../../routing/dispatch.ts';
import { countedPlan, reencoded, type Prepared } from './attempts.ts';

/** The earliest time at which a hold may be swept: after any function, which Lambda stops after 15 minutes at most. */
const HOLD_EXPIRES_AFTER_MS = 20 * 60_000;
/** A connection that has waited for its request longer than this may have been closed by the other side. */
const CONNECTION_KEEPS_MS = 2_000;

export type MessageInput = EndpointInput<'inference', MessagesRequest>;

/**
 * Holds the request's money while DNS, TCP and TLS to the first provider run. Not a byte is sent before the hold stands.
 * @throws {GatewayError} when the request is not admitted
 */
export async function holdWhileConnecting(
  input: MessageInput,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<{ admitted: Admitted; attempts: Prepared['attempts'] }> {
  const [first] = prepared.attempts as [Prepared['attempts'][number]];
  const upstream = connect(first.candidate, first.encode(), signal);
  const request = holdRequestOf(input, prepared);
  const table = resources.table();
  const connectedAtMs = performance.now();
  let admitted: Admitted | undefined;
  try {
    const result = await admit(table, {
      request,
      plan: prepared.plan,
      recount: () => countedPlan(prepared),
      leastMaxTokens: (prepared.message.thinking?.budget_tokens ?? 0) + 1,
      receivedAtMs: input.request.receivedAtMs,
      clientLeft: input.clientLeft,
    });
    if ('refused' in result) throw refusalError(result.refused.refusal, result.refused.request);
    ({ admitted } = result);
    const attempts = admitted.shortened ? reencoded(prepared, admitted.plan) : [...prepared.attempts];
    if (performance.now() - connectedAtMs < CONNECTION_KEEPS_MS) attempts[0] = { ...attempts[0]!, upstream };
    else upstream.discard();
    return { admitted, attempts };
  } catch (error) {
    upstream.discard();
    // Nothing was sent, so nothing may be held or charged.
    if (admitted) await releaseUnknown(table, request.generation);
    throw error;
  }
}

function holdRequestOf(
  { generationId, caller, body }: MessageInput,
  { attempts: [first], content }: Prepared,
): Omit<HoldRequest, 'amount'> {
  const { estimatedTokens } = content;
  const { model, endpoint, pricing } = first!.candidate;
  const createdAtMs = generationTimeMs(generationId)!;
  const inputCost = priceUsage({ inputTokens: estimatedTokens, outputTokens: 0 }, pricing).total;
  return {
    generation: {
      id: generationId,
      payer: caller.payer,
      apiType: 'completions',
      model: model.id,
      modelPermaslug: model.data.permaslug,
      endpointId: endpoint.id,
      providerName: endpoint.provider.name,
      pricing,
      catalogVersion: resources.catalog().version,
      streamed: body.stream === true,
      createdAtMs,
      inputEstimate: { tokens: estimatedTokens, cost: inputCost },
      bootId: resources.bootId(),
      sweepAtMs: createdAtMs + HOLD_EXPIRES_AFTER_MS,
    },
    scopes: caller.scopes,
  };
}
