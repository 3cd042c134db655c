import { estimateTokens } from '../../accounting/usage.ts';
import { privacyOf } from '../../admission/caller.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { protectNamedTexts } from '../../protection/named-texts.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import type { Protection } from '../../protection/sensitive-data.ts';
import type { LeaveOut } from '../../routing/left-out.ts';
import { usableEndpoints } from '../../routing/usable-endpoints.ts';
import { prepareOffers, type AskedCandidate, type AskedOffer } from '../asked/offers.ts';
import { endpointSignals } from '../endpoint-signals.ts';
import type { InferenceInput } from '../inference-input.ts';
import type { AskedModality } from './modality.ts';

export interface Routed<Task, Candidate extends AskedCandidate> {
  /** As providers may get it. */
  task: Task;
  /** In the client's own words. */
  own: Task;
  /** At least one, the first one first, with the most that each may cost. */
  offers: AskedOffer<Candidate>[];
}

/**
 * Where a request may go, and what goes there.
 * @throws {GatewayError} 400 or 404 when there is no such place, 400 for a request that may not be sent anywhere
 */
export async function routeAsked<Body, Task, Candidate extends AskedCandidate, Answer, Result>(
  modality: AskedModality<Body, Task, Candidate, Answer, Result>,
  { body, caller }: Pick<InferenceInput<Body>, 'body' | 'caller'>,
  { protection, leaveOut }: { protection: Protection; leaveOut?: LeaveOut },
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
      ...(leaveOut ? { leaveOut } : {}),
    },
    { makes: modality.makes, toCandidate: modality.candidateOf },
  );
  const own = taskOf(
    body,
    texts.map(({ text }) => text),
  );
  const candidates = fitting ? fitting(task, usable, leaveOut) : usable;
  return { task, own, offers: modalityOffers(modality, candidates, task, leaveOut) };
}

/** The most that a task may cost at each candidate. @throws {GatewayError} 400 if no candidate can be asked so much */
export function modalityOffers<Body, Task, Candidate extends AskedCandidate, Answer, Result>(
  { asksOf, tooLarge, tooMany }: AskedModality<Body, Task, Candidate, Answer, Result>,
  candidates: readonly Candidate[],
  task: Task,
  leaveOut?: LeaveOut,
): AskedOffer<Candidate>[] {
  return prepareOffers(candidates, { asksOf: (candidate) => asksOf(candidate, task), tooLarge, tooMany }, leaveOut);
}
