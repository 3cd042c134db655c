import { privacyOf, type Caller } from '../../admission/caller.ts';
import { measurePrompt, type PromptContent } from '../../admission/prompt-size.ts';
import { allowsCompression } from '../../messages/plugins.ts';
import { withoutRouting, type RoutedRequest } from '../../messages/preferences.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { protect, type Protected } from '../../protection/sensitive-data.ts';
import { resources } from '../../resources.ts';
import { messagesCandidates, type Candidate } from '../../routing/candidates.ts';
import { withinContext } from './compression.ts';
import { endpointSignals } from './endpoint-signals.ts';

/** The message is as providers may get it. */
interface RoutedMessage extends Protected {
  content: PromptContent;
  /** At least one. */
  candidates: Candidate[];
}

/**
 * Where a request may go, and what goes there.
 * @throws {GatewayError} 400 or 404 when there is no such place, 400 for what may not be sent anywhere
 */
export async function routeMessage(body: RoutedRequest, caller: Caller): Promise<RoutedMessage> {
  const { message: asked, ...protection } = protect(withoutRouting(body), caller.key.sensitiveData);
  const content = measurePrompt(asked);
  const candidates = await messagesCandidates({
    catalog: resources.catalog(),
    request: body,
    exclusionOf: privacyFilter(privacyOf(caller)),
    signals: endpointSignals(),
    promptTokens: content.estimatedTokens,
  });
  if (!allowsCompression(body)) return { ...protection, message: asked, content, candidates };
  const message = await withinContext(asked, candidates[0]!);
  return { ...protection, message, content: message === asked ? content : measurePrompt(message), candidates };
}
