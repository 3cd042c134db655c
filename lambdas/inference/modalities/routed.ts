import { estimateTokens } from '../../accounting/usage.ts';
import { modelCheckOf } from '../../admission/allowed-models.ts';
import { privacyOf } from '../../admission/caller.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { protectNamedTexts } from '../../protection/named-texts.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import type { Protection } from '../../protection/sensitive-data.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import { usableEndpoints } from '../../routing/usable-endpoints.ts';
import { prepareOffers, type BatchOffer } from '../batch/offers.ts';
import { endpointSignals } from '../endpoint-signals.ts';
import type { InferenceInput } from '../inference-input.ts';
import { engineCandidate, type BatchModality } from './modality.ts';

interface RoutedTask<Task, Answer> {
  /** The task with protected texts. */
  task: Task;
  /** The task with the client's own texts. */
  own: Task;
  offers: BatchOffer<Task, Answer>[];
}

/**
 * Finds the candidates of a request, and builds the task for them.
 * @throws {GatewayError} the errors of `refuseUnsearchable`, `protectNamedTexts`, `usableEndpoints`, `fitting` and
 *   `prepareOffers`
 */
export async function routeBatch<Body, Task, Answer, Result>(
  modality: BatchModality<Body, Task, Answer, Result>,
  { body, caller }: Pick<InferenceInput<Body>, 'body' | 'caller'>,
  { protection, onExcluded }: { protection: Protection; onExcluded?: OnExcluded },
): Promise<RoutedTask<Task, Answer>> {
  const { makes, textsOf, refuseUnsearchable, taskOf, promptBytes, routeOf, fitting } = modality;
  if (protection.settings.enabled) refuseUnsearchable?.(body);
  const texts = textsOf(body);
  const task = taskOf(body, await protectNamedTexts(texts, protection));
  const usable = await usableEndpoints(
    { catalog: await servedCatalog(), request: routeOf(body, texts), check: modelCheckOf(caller) },
    {
      exclusionOf: privacyFilter(privacyOf(caller)),
      signals: endpointSignals(),
      promptTokens: estimateTokens(promptBytes(task)),
      onExcluded,
    },
    { makes, toCandidate: (endpoint) => engineCandidate(modality, endpoint) },
  );
  const own = taskOf(
    body,
    texts.map(({ text }) => text),
  );
  const candidates = fitting ? fitting(task, usable, onExcluded) : usable;
  return { task, own, offers: prepareOffers(candidates, task, modality, onExcluded) };
}

/** Completes the body of a request. */
export async function preparedInput<Body, Input extends { body: Body; clientLeft?: AbortSignal | undefined }>(
  { prepare }: Pick<BatchModality<Body, never, never, never>, 'prepare'>,
  input: Input,
): Promise<Input> {
  return prepare ? { ...input, body: await prepare(input.body, input.clientLeft) } : input;
}
