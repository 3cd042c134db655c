import type { FailedAttempt } from './in-turn.ts';
import type { Candidate } from '../routing/candidates.ts';
import type { Outcome } from '../store/outcome.ts';

/** The status of an attempt that has not failed. */
const OK = 200;

/** The endpoint and the model that a record names. */
type TriedPlace = Pick<Candidate, 'model' | 'endpoint'>;

/**
 * The attempts of a request as its record keeps them: those before the one that answered, or was the last, and what the
 * provider of that one answered with.
 * @param last how the last one has failed, where it has
 */
export function attemptRecords(
  failed: readonly FailedAttempt[],
  { last, triedAt }: { last: FailedAttempt | undefined; triedAt: (index: number) => TriedPlace },
): Pick<Outcome, 'failedAttempts' | 'providerStatus'> {
  const failedAttempts = failed
    .filter((attempt) => attempt !== last)
    .map(({ index, providerStatus, durationMs }) => {
      const { endpoint, model } = triedAt(index);
      const { id: endpointId, provider } = endpoint;
      const modelPermaslug = model.data.permaslug;
      return { endpointId, modelPermaslug, providerName: provider.name, status: providerStatus, durationMs };
    });
  return { failedAttempts, providerStatus: last ? last.providerStatus : OK };
}
