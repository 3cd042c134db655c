import { privacyOf, type Caller } from '../../admission/caller.ts';
import { measurePrompt, type PromptContent } from '../../admission/prompt/prompt-size.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { allowsCompression } from '../../messages/plugins.ts';
import { withBreakpoints } from '../../messages/cache-breakpoints.ts';
import { withoutRouting, type RoutedRequest } from '../../messages/preferences.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import type { Protected } from '../../protection/sensitive-data.ts';
import { messagesCandidates, type Candidate } from '../../routing/candidates.ts';
import type { LeaveOut } from '../../routing/left-out.ts';
import { sessionOf } from '../../routing/conversation.ts';
import { requestedModels } from '../../routing/requested-models.ts';
import { openSearch, type RequestSearch } from './search/open-search.ts';
import { withinContext } from './compression.ts';
import { endpointSignals } from '../endpoint-signals.ts';
import { protectedMessage } from './protected-message.ts';
import { readSearches, refuseWithoutFunctions } from './search/requested-search.ts';
import { findConversation, type WarmConversation } from './warm-conversation.ts';

/** The message is as providers may get it. */
export interface RoutedMessage extends Protected {
  content: PromptContent;
  /** At least one. */
  candidates: Candidate[];
  /** Undefined where nothing is to be searched for. */
  search: RequestSearch | undefined;
  /** The place in the request of each message, where it is not the same. */
  origins: number[] | undefined;
  /** Undefined where all its turns go to one endpoint. */
  conversation: WarmConversation | undefined;
}

/**
 * Where a request may go, and what goes there.
 * @throws {GatewayError} 400 or 404 when there is no such place, 400 for what may not be sent anywhere
 */
export async function routeMessage(
  body: RoutedRequest,
  caller: Caller,
  headers: Record<string, string>,
  leaveOut?: LeaveOut,
): Promise<RoutedMessage> {
  const catalog = await servedCatalog();
  const requested = requestedModels(catalog, body);
  const session = sessionOf(body, headers);
  const finding = findConversation(body, { caller, session, requested });
  const sent = withoutRouting(body);
  const read = await readSearches(sent, { body, requested, accountId: caller.account.id });
  const { message: asked, searches, ...protection } = await protectedMessage(sent, read, { body, caller, headers });
  const search =
    searches &&
    (await openSearch(searches, { message: asked, ...protection }, { catalog, privacy: privacyOf(caller) }));
  const content = { ...measurePrompt(asked), ...search?.first };
  const conversation = await finding;
  const candidates = await messagesCandidates({
    catalog,
    request: body,
    requested,
    exclusionOf: privacyFilter(privacyOf(caller)),
    signals: endpointSignals(),
    promptTokens: content.estimatedTokens,
    session,
    warmPrompt: conversation?.prompt,
    leaveOut,
  });
  if (searches) refuseWithoutFunctions(searches, candidates);
  const message = allowsCompression(body) ? await withinContext(asked, candidates[0]!) : asked;
  const isWhole = message === asked;
  return {
    ...protection,
    message: body.cache === 'auto' ? withBreakpoints(message) : message,
    content: isWhole ? content : { ...measurePrompt(message), ...search?.first },
    candidates,
    search,
    origins: isWhole ? searches?.origins : undefined,
    conversation,
  };
}
