import { admit, type Admission, type Admitted } from '../admission/admit.ts';
import type { InferenceCaller } from '../admission/caller.ts';
import type { HoldRequest } from '../admission/hold.ts';
import { newGeneration, type NewGeneration } from '../admission/new-generation.ts';
import { refusalError, type AdmissionRefusal } from '../admission/refusal.ts';
import { forbidden, type GatewayError } from '../platform/errors.ts';
import type { Account } from '../store/accounts.ts';
import type { Table } from '../store/table.ts';

export interface HoldTools {
  table: Table;
  bootId: string;
}

/** Who asks, and since when. */
export interface HoldInput
  extends Pick<Admission, 'receivedAtMs' | 'clientLeft' | 'recordsBeside'>, Pick<HoldRequest, 'claim'> {
  generationId: string;
  caller: InferenceCaller;
}

/** The request that is held for, and the plan of its cost. */
export interface HoldTerms
  extends
    Pick<NewGeneration, 'apiType' | 'streamed' | 'estimatedTokens' | 'candidate' | 'sweptAfterMs'>,
    Pick<Admission, 'plan'>,
    Partial<Pick<Admission, 'recount' | 'minMaxTokens'>>,
    Pick<HoldRequest, 'free'> {
  /** Whose limits must have room for it; those of the caller, if not given. */
  scopes?: HoldRequest['scopes'];
}

/** A hold that stands. Whoever fails before anything is sent to a provider gives it back with `releaseUnknown`. */
export interface HeldInference extends Admitted {
  generation: HoldRequest['generation'];
}

export interface RefusedInference {
  refusal: AdmissionRefusal;
  /** The refusal as the client reads it. */
  error: GatewayError;
  /** Nothing more can be held under this id: its record says that it holds nothing. */
  isReleased: boolean;
}

/**
 * Holds what a request may cost, before anything is sent to a provider: one way for messages, decisions and videos.
 *
 * Guarantee: nothing is held for a request that is refused here, or for which this throws (admission/admit.ts).
 * @throws {GatewayError} 403 for a suspended account
 */
export async function holdInference(
  { table, bootId }: HoldTools,
  input: HoldInput,
  terms: HoldTerms,
): Promise<{ held: HeldInference } | { refused: RefusedInference }> {
  const admission = admissionOf(bootId, input, terms);
  const result = await admit(table, admission);
  if ('admitted' in result) return { held: { ...result.admitted, generation: admission.request.generation } };
  const { refusal, request: refused, isReleased } = result.refused;
  return { refused: { refusal, error: refusalError(refusal, refused), isReleased } };
}

/** What is asked of the limits for a request. @throws {GatewayError} 403 for a suspended account */
export function admissionOf(
  bootId: string,
  { generationId, caller, receivedAtMs, clientLeft, recordsBeside, claim }: HoldInput,
  { plan, recount = notCounted, minMaxTokens = Infinity, free, scopes = caller.scopes, ...terms }: HoldTerms,
): Admission {
  checkMaySpend(caller.account);
  const generation = newGeneration({ ...terms, id: generationId, payer: caller.payer, bootId });
  const request = { generation, scopes, free, claim };
  return { request, plan, recount, minMaxTokens, receivedAtMs, clientLeft, recordsBeside };
}

/** The same where a refusal is final. @throws {GatewayError} when the request is refused */
export async function holdOrThrow(tools: HoldTools, input: HoldInput, terms: HoldTerms): Promise<HeldInference> {
  const result = await holdInference(tools, input, terms);
  if ('refused' in result) throw result.refused.error;
  return result.held;
}

function checkMaySpend({ status }: Account): void {
  if (status === 'suspended') {
    throw forbidden(
      'This account is suspended: nothing can be spent until its operator lets it go on. Everything can be read.',
    );
  }
}

const notCounted = () => Promise.resolve(undefined);
