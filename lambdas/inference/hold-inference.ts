import { admit, type Admission, type Admitted } from '../admission/admit.ts';
import type { InferenceCaller } from '../admission/caller.ts';
import type { HoldRequest } from '../admission/hold.ts';
import { newGeneration, type NewGeneration } from '../admission/new-generation.ts';
import { forbidden } from '../platform/errors.ts';
import type { Account } from '../store/accounts/accounts.ts';
import type { Table } from '../store/table/table.ts';

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

/**
 * Holds what a request may cost, before anything is sent to a provider: one way for all that is asked of models.
 *
 * Guarantee: nothing is held for a request that is refused here, or for which this throws (admission/admit.ts).
 * @throws {GatewayError} 403 for a suspended account
 */
export function holdInference(
  { table, bootId }: HoldTools,
  input: HoldInput,
  terms: HoldTerms,
): ReturnType<typeof admit> {
  return admit(table, admissionOf(bootId, input, terms));
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
export async function holdOrThrow(tools: HoldTools, input: HoldInput, terms: HoldTerms): Promise<Admitted> {
  const result = await holdInference(tools, input, terms);
  if ('refused' in result) throw result.refused.error;
  return result.admitted;
}

function checkMaySpend({ status }: Account): void {
  if (status === 'suspended') {
    throw forbidden(
      'This account is suspended: nothing can be spent until its operator lets it go on. Everything can be read.',
    );
  }
}

const notCounted = () => Promise.resolve(undefined);
