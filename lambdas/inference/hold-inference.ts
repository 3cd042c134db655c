import { admit, type Admission, type Admitted } from '../admission/admit.ts';
import type { InferenceCaller } from '../admission/caller.ts';
import type { HoldRequest } from '../admission/hold.ts';
import { rateLimitsOf } from '../admission/rates/rate-limits.ts';
import { newGeneration, type NewGeneration } from '../admission/new-generation.ts';
import { forbidden } from '../platform/errors.ts';
import type { Account } from '../store/accounts/accounts.ts';
import type { Table } from '../store/table/table.ts';

export interface HoldTools {
  table: Table;
  bootId: string;
}

export interface HoldInput
  extends Pick<Admission, 'receivedAtMs' | 'clientLeft' | 'recordsLater'>, Pick<HoldRequest, 'claim'> {
  generationId: string;
  caller: InferenceCaller;
}

export interface HoldTerms
  extends
    Pick<NewGeneration, 'apiType' | 'streamed' | 'prompt' | 'candidate' | 'sweptAfterMs'>,
    Pick<Admission, 'plan'>,
    Partial<Pick<Admission, 'recount' | 'minMaxTokens'>>,
    Pick<HoldRequest, 'free'> {
  /** Scopes whose limits must have room for the request; by default all scopes of the caller. */
  scopes?: HoldRequest['scopes'];
}

/**
 * Places a hold before a request is sent to a provider.
 *
 * If it throws, the hold is released; if the table accepts no writes, the sweep ends the hold later and charges the
 * prompt.
 * @throws {GatewayError} 403 for a suspended account; the errors of `admit`
 */
export function holdInference(
  { table, bootId }: HoldTools,
  input: HoldInput,
  terms: HoldTerms,
): ReturnType<typeof admit> {
  return admit(table, admissionOf(bootId, input, terms));
}

/** @throws {GatewayError} 403 for a suspended account */
export function admissionOf(
  bootId: string,
  { generationId, caller, receivedAtMs, clientLeft, recordsLater, claim }: HoldInput,
  { plan, recount = notCounted, minMaxTokens = Infinity, free, scopes = caller.scopes, ...terms }: HoldTerms,
): Admission {
  checkMaySpend(caller.account);
  const generation = newGeneration({ ...terms, id: generationId, payer: caller.payer, tags: caller.tags, bootId });
  const limits = rateLimitsOf(caller);
  const rates = limits && { limits, keyHash: caller.key.hash, tokens: 0, atMs: generation.createdAtMs };
  const request = { generation, scopes, free, claim, rates };
  return { request, plan, recount, minMaxTokens, receivedAtMs, clientLeft, recordsLater };
}

/** Like `holdInference`, but throws an error if the hold is refused. */
export async function holdOrThrow(tools: HoldTools, input: HoldInput, terms: HoldTerms): Promise<Admitted> {
  const result = await holdInference(tools, input, terms);
  if ('refused' in result) throw result.refused.error;
  return result.admitted;
}

function checkMaySpend({ status }: Account): void {
  if (status === 'suspended') {
    throw forbidden(
      'This account is suspended: it cannot spend until its operator resumes it. Reading is not affected.',
    );
  }
}

const notCounted = () => Promise.resolve(undefined);
