import { privacyOf } from '../../admission/caller.ts';
import { measurePrompt, type PromptContent } from '../../admission/prompt/prompt-size.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { allowsCompression } from '../../messages/plugins.ts';
import { withBreakpoints } from '../../messages/cache-breakpoints.ts';
import { SEARCH_NAME } from '../../messages/search-tool.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { withoutRouting, type RoutedRequest } from '../../messages/preferences.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { messagesCandidates, type Candidate } from '../../routing/candidates.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import { requestedRoute } from '../../routing/requested-route.ts';
import { clientHeaders } from '../../providers/client-headers.ts';
import type { ClientHeaders } from '../../providers/wire.ts';
import type { Outcome } from '../../store/generations/outcome.ts';
import type { InferenceInput } from '../inference-input.ts';
import { resources } from '../../resources.ts';
import { openSearch, withoutImpossibleSearch, type RequestSearch } from './search/open-search.ts';
import { withinContext } from '../../admission/prompt/within-context.ts';
import { endpointSignals } from '../endpoint-signals.ts';
import { protectedMessage } from '../../protection/protected-message.ts';
import { jobRequestOf, protectionOf } from '../protection-of.ts';
import { readSearches } from '../../search/requested-search.ts';

/** The message is as providers may get it. */
export interface RoutedMessage {
  message: MessagesRequest;
  /** The values that the placeholders of the prompt stand for; undefined where nothing is to be restored. */
  originals: ReadonlyMap<string, string> | undefined;
  content: PromptContent;
  client: ClientHeaders;
  /** At least one. */
  candidates: Candidate[];
  /** Undefined where nothing is to be searched for. */
  search: RequestSearch | undefined;
  /** The place in the request of each message, where it is not the same. */
  origins: number[] | undefined;
  /** What no endpoint is sent of it. */
  leftOut: readonly string[];
  /** Notes at which endpoint an answer has left its prompt, for the next turn. Never rejects. */
  remember: (candidate: Candidate, outcome: Outcome) => Promise<void>;
  /** Told which endpoints are left out, where somebody wants to know. */
  onExcluded: OnExcluded;
}

/** The part of a request that says where it may go. */
type MessageInput = Pick<InferenceInput<RoutedRequest>, 'body' | 'caller' | 'request' | 'clientLeft'>;

/**
 * Where a request may go, and what goes there.
 * @param beforeSearch runs before the prompt is searched for sensitive data
 * @throws {GatewayError} 400 or 404 when there is no such place, 400 for what may not be sent anywhere, what `protect` throws
 */
export async function routeMessage(
  input: MessageInput,
  { onExcluded, beforeSearch }: { onExcluded?: OnExcluded; beforeSearch?: () => Promise<void> } = {},
): Promise<RoutedMessage> {
  const { body, caller, request } = input;
  const { headers } = request;
  const catalog = await servedCatalog();
  const privacy = privacyOf(caller);
  const warmPrompts = resources.warmPrompts();
  const route = requestedRoute(catalog, body, { headers, keyHash: caller.key.hash, warmPrompts });
  const whole = withoutRouting(body);
  const sent = await withoutImpossibleSearch(whole, { catalog, privacy });
  const isOnline = route.models.some((model) => model.isOnline);
  const read = await readSearches(sent, { body, isOnline, accountId: caller.account.id });
  const {
    message: asked,
    searches,
    ...found
  } = await protectedMessage(sent, read, {
    body,
    headers,
    protection: protectionOf(input, beforeSearch),
  });
  const measured = measurePrompt(asked);
  const candidates = await messagesCandidates({
    catalog,
    request: body,
    requested: route.models,
    exclusionOf: privacyFilter(privacy),
    signals: endpointSignals(),
    promptTokens: measured.estimatedTokens,
    session: route.session,
    warmPrompt: await route.warmPrompt,
    onExcluded,
  });
  const search =
    searches && (await openSearch(searches, { message: asked, ...found }, { catalog, privacy, candidates }));
  const message = allowsCompression(body)
    ? await withinContext(asked, candidates[0]!.endpoint, jobRequestOf(input))
    : asked;
  const isWhole = message === asked;
  return {
    originals: found.originals,
    message: body.cache === 'auto' ? withBreakpoints(message) : message,
    content: { ...(isWhole ? measured : measurePrompt(message)), ...search?.first },
    client: clientHeaders(headers),
    candidates,
    search,
    origins: isWhole ? searches?.origins : undefined,
    leftOut: sent === whole ? [] : [SEARCH_NAME],
    remember: route.remember,
    onExcluded,
  };
}
