import { estimateTokens } from '../../accounting/usage.ts';
import { privacyOf } from '../../admission/caller.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { protectNamedTexts } from '../../protection/named-texts.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import type { Protection } from '../../protection/sensitive-data.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import { usableEndpoints } from '../../routing/usable-endpoints.ts';
import { prepareOffers, type BatchCandidate, type BatchOffer } from '../batch/offers.ts';
import { endpointSignals } from '../endpoint-signals.ts';
import type { InferenceInput } from '../inference-input.ts';
import type { BatchModality } from './modality.ts';

export interface Routed<Task, Candidate extends BatchCandidate> {
  /** As providers may get it. */
  task: Task;
  /** In the client's own words. */
  own: Task;
  /** At least one, the first one first, with the most that each may cost. */
  offers: BatchOffer<Candidate>[];
}

/**
 * Where a request may go, and what goes there.
 * @throws {GatewayError} 400 or 404 when there is no such place, 400 for a request that may not be sent anywhere
 */
export async function routeBatch<Body, Task, Candidate extends BatchCandidate, Answer, Result>(
  modality: BatchModality<Body, Task, Candidate, Answer, Result>,
  { body, caller }: Pick<InferenceInput<Body>, 'body' | 'caller'>,
  { protection, onExcluded }: { protection: Protection; onExcluded?: OnExcluded },
): Promise<Routed<Task, Candidate>> {
  const { textsOf, refuseUnsearchable, taskOf, promptBytes, routeOf, fitting } = modality;
  if (protection.settings.enabled) refuseUnsearchable?.(body);
  const texts = textsOf(body);
  const task = taskOf(body, await protectNamedTexts(texts, protection));
  const usable = await usableEndpoints<Candidate>(
    {
      catalog: await servedCatalog(),
      request: routeOf(body, texts),
      exclusionOf: privacyFilter(privacyOf(caller)),
      signals: endpointSignals(),
      promptTokens: estimateTokens(promptBytes(task)),
      ...(onExcluded ? { onExcluded } : {}),
    },
    { makes: modality.makes, toCandidate: modality.candidateOf },
  );
  const own = taskOf(
    body,
    texts.map(({ text }) => text),
  );
  const candidates = fitting ? fitting(task, usable, onExcluded) : usable;
  return { task, own, offers: modalityOffers(modality, candidates, task, onExcluded) };
}

/** The most that a task may cost at each candidate. @throws {GatewayError} 400 if no candidate can be asked so much */
export function modalityOffers<Body, Task, Candidate extends BatchCandidate, Answer, Result>(
  { asksOf, tooLarge, tooMany }: BatchModality<Body, Task, Candidate, Answer, Result>,
  candidates: readonly Candidate[],
  task: Task,
  onExcluded?: OnExcluded,
): BatchOffer<Candidate>[] {
  return prepareOffers(candidates, { asksOf: (candidate) => asksOf(candidate, task), tooLarge, tooMany }, onExcluded);
}
