/** The hold of a message request, placed while the connection to its first provider is being opened. */

import { releaseUnknown } from '../../accounting/release.ts';
import type { Admitted } from '../../admission/admit.ts';
import type { HoldRequest } from '../../admission/hold.ts';
import type { FreeUse } from '../../admission/free/free-tier.ts';
import type { AdmissionRefusal } from '../../admission/refusal.ts';
import type { Model } from '../../catalog/catalog.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import { resources } from '../../resources.ts';
import type { ClientHeaders } from '../../providers/wire.ts';
import type { Candidate } from '../../routing/candidates.ts';
import type { LeaveOut } from '../../routing/left-out.ts';
import { StoreBusyError } from '../../store/transact.ts';
import { connect } from '../../routing/connection.ts';
import { holdInference, type HeldInference, type HoldTerms, type RefusedInference } from '../hold-inference.ts';
import type { InferenceInput } from '../inference-input.ts';
import { attemptsHeldFor, countedPlan, prepareAttempts, type Prepared } from './attempts.ts';
import { freeUseOf } from './free-terms.ts';
import { reportPathsAsSent } from './paths-as-sent.ts';
import type { RoutedMessage } from './routed-message.ts';

/** A connection that has waited for its request longer than this may have been closed by the other side. */
const CONNECTION_KEEPS_MS = 2_000;

export type MessageInput = InferenceInput<MessagesRequest>;

/** Whose free requests are counted. */
type FreeInput = Pick<MessageInput, 'caller' | 'generationId' | 'request'>;

interface HeldMessage {
  admitted: Admitted;
  attempts: Prepared['attempts'];
}

/**
 * Holds a request for its candidates; where the terms of a free model refuse it, for those of the other models, and where
 * there is no money, for those of the free ones.
 * @throws {GatewayError} when the request is not admitted
 */
export async function holdForRequest(
  input: MessageInput,
  candidates: Candidate[],
  prepare: (candidates: Candidate[]) => Prepared,
  signal: AbortSignal,
): Promise<HeldMessage> {
  for (let left = candidates; ;) {
    const result = await holdWhileConnecting(input, prepare(left), signal);
    if ('admitted' in result) return result;
    const { refusal, error, isReleased } = result.refused;
    const others = notRefused(left, refusal);
    if (!others) throw error;
    // Nothing more can be held under this id, and the other models were not asked for yet: the client may ask again.
    if (isReleased) throw new StoreBusyError(error);
    left = others;
  }
}

/** The candidates that a refusal is not about; undefined where it is about all of them, or about none. */
export function notRefused(candidates: Candidate[], refusal: AdmissionRefusal): Candidate[] | undefined {
  const others = candidates.filter(({ model }) => !isRefused(model, refusal));
  return others.length === 0 || others.length === candidates.length ? undefined : others;
}

/** How a message is made ready for some of its candidates. */
export function preparationOf(
  { message, content, origins }: Pick<RoutedMessage, 'message' | 'content' | 'origins'>,
  client: ClientHeaders,
  leaveOut?: LeaveOut,
): (candidates: Candidate[]) => Prepared {
  return (candidates) =>
    reportPathsAsSent(origins, () => prepareAttempts(candidates, message, content, client, leaveOut));
}

/** The hold of a message, whose prompt is counted before it is refused, and the use of free models. */
export async function messageTerms(
  input: FreeInput & Pick<MessageInput, 'body'>,
  prepared: Prepared,
): Promise<HoldTerms> {
  const { body, caller } = input;
  return {
    apiType: 'completions',
    streamed: body.stream === true,
    estimatedTokens: prepared.content.estimatedTokens,
    candidate: prepared.attempts[0]!.candidate,
    plan: prepared.plan,
    recount: () => countedPlan(prepared),
    minMaxTokens: (prepared.message.thinking?.budget_tokens ?? 0) + 1,
    scopes: scopesFor(prepared, caller.scopes),
    free: await freeUse(input, prepared),
  };
}

/** Whether a refusal is about this model; one that is about the request is about all of them. */
function isRefused({ id, data }: Model, refusal: AdmissionRefusal): boolean {
  switch (refusal.kind) {
    case 'free_requests':
    case 'free_budget':
      return refusal.models.includes(id);
    case 'no_room':
      return !data.service_free;
    default:
      return true;
  }
}

/**
 * Holds the request's money while DNS, TCP and TLS to the first provider run. Not a byte is sent before the hold stands; its record may be on its way.
 */
async function holdWhileConnecting(
  input: MessageInput,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<HeldMessage | { refused: RefusedInference }> {
  const [first] = prepared.attempts as [Prepared['attempts'][number]];
  const upstream = connect(first.candidate, first.encode(), signal);
  const table = resources.table();
  const connectedAtMs = performance.now();
  let held: HeldInference | undefined;
  try {
    const result = await holdInference(
      { table, bootId: resources.bootId() },
      { ...input, receivedAtMs: input.request.receivedAtMs, recordsBeside: true },
      await messageTerms(input, prepared),
    );
    if ('refused' in result) {
      upstream.discard();
      return result;
    }
    ({ held } = result);
    const attempts = attemptsHeldFor(prepared, held.plan, held.shortened !== undefined);
    if (performance.now() - connectedAtMs < CONNECTION_KEEPS_MS) attempts[0] = { ...attempts[0]!, upstream };
    else upstream.discard();
    return { admitted: held, attempts };
  } catch (error) {
    upstream.discard();
    // Nothing was sent, so nothing may be held or charged.
    if (held) await releaseUnknown(table, held.generation);
    throw error;
  }
}

function freeUse({ caller, request, generationId }: FreeInput, prepared: Prepared): Promise<FreeUse | undefined> {
  return freeUseOf(
    prepared.attempts.map(({ candidate }) => candidate),
    prepared.plan,
    { caller, clientAddress: request.clientAddress, atMs: generationTimeMs(generationId)! },
  );
}

/**
 * What costs nothing needs no money: where only free models may answer, a scope without any left does not refuse. A limit
 * of 0 blocks a key, a workspace or a member all the same; on an account it only says that nothing was paid in.
 */
function scopesFor({ attempts }: Prepared, scopes: HoldRequest['scopes']): HoldRequest['scopes'] {
  if (!attempts.every(({ candidate }) => candidate.model.data.service_free)) return scopes;
  return scopes.filter(({ kind, limits }) => kind !== 'account' && Object.values(limits).some((limit) => limit.isZero));
}
