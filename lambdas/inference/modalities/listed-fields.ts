/** Fields of a request that are sent only to endpoints which list them (`supported_parameters`). */

import { invalidRequest } from '../../platform/errors.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import type { BatchCandidate } from '../batch/offers.ts';

/**
 * Returns the candidates that list every field with a value.
 * @throws {GatewayError} 400 if no candidate lists a field
 */
export function candidatesWith<Candidate extends BatchCandidate>(
  fields: Record<string, unknown>,
  candidates: Candidate[],
  onExcluded: OnExcluded | undefined,
): Candidate[] {
  const names = Object.keys(fields).filter((name) => fields[name] !== undefined);
  return candidates.filter((candidate) => {
    const missing = names.find((name) => !lists(candidate, name));
    if (missing === undefined) return true;
    if (!candidates.some((other) => lists(other, missing))) {
      throw invalidRequest(missing, `is not supported by "${candidate.model.id}"; leave it out`);
    }
    onExcluded?.(candidate, 'request_not_supported');
    return false;
  });
}

function lists({ target }: BatchCandidate, name: string): boolean {
  return target.supportedParameters.includes(name);
}
