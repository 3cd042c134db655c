import { invalidRequest } from '../../platform/errors.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import type { BatchCandidate } from '../batch/offers.ts';

type AcceptsField<Candidate> = (candidate: Candidate, name: string) => boolean;

/**
 * Returns the candidates that list every field with a value in `supported_parameters`.
 * @param accepts whether a candidate accepts a field; by default, whether its endpoint lists the field
 * @throws {GatewayError} 400 if no candidate lists a field, or none lists all fields
 */
export function candidatesWith<Candidate extends BatchCandidate>(
  fields: Record<string, unknown>,
  candidates: Candidate[],
  onExcluded: OnExcluded | undefined,
  accepts: AcceptsField<Candidate> = lists,
): Candidate[] {
  const names = Object.keys(fields).filter((name) => fields[name] !== undefined);
  const able = candidates.filter((candidate) => {
    const missing = names.find((name) => !accepts(candidate, name));
    if (missing === undefined) return true;
    if (!candidates.some((other) => accepts(other, missing))) {
      throw invalidRequest(missing, `is not supported by "${candidate.model.id}"; leave it out`);
    }
    onExcluded?.(candidate, 'request_not_supported');
    return false;
  });
  if (able.length > 0 || candidates.length === 0) return able;
  throw invalidRequest(
    names[0]!,
    `is supported by no endpoint together with ${names.slice(1).join(' and ')}; leave one of them out`,
  );
}

/** Sorts the candidates by the number of these fields that they list, highest first. */
export function preferringListed<Candidate extends BatchCandidate>(
  names: readonly string[],
  candidates: readonly Candidate[],
  accepts: AcceptsField<Candidate> = lists,
): Candidate[] {
  const missing = (candidate: Candidate) => names.filter((name) => !accepts(candidate, name)).length;
  return candidates.toSorted((one, other) => missing(one) - missing(other));
}

function lists({ target }: BatchCandidate, name: string): boolean {
  return target.supportedParameters.includes(name);
}
