import { modelCheckOf } from '../../admission/allowed-models.ts';
import { privacyOf } from '../../admission/caller.ts';
import { measurePrompt, type PromptContent } from '../../admission/prompt/prompt-size.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { allowsCompression } from '../../messages/plugins.ts';
import { withBreakpoints } from '../../messages/cache-breakpoints.ts';
import { SEARCH_NAME } from '../../messages/search-tool.ts';
import { withoutRouting, type RoutedRequest } from '../../messages/preferences.ts';
import { withoutLooseEnd } from '../../messages/thinking-signatures.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { resources } from '../../resources.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { messagesCandidates, type Candidate } from '../../routing/candidates.ts';
import { messageRoute, type MessageRoute } from '../../routing/message-route.ts';
import type { OnExcluded } from '../../routing/exclusions.ts';
import { clientHeaders } from '../../providers/client-headers.ts';
import type { ClientHeaders } from '../../providers/wire.ts';
import type { InferenceInput } from '../inference-input.ts';
import { openSearch, withoutImpossibleSearch, type RequestSearch } from './search/open-search.ts';
import { withinContext } from '../../admission/prompt/within-context.ts';
import { endpointSignals } from '../endpoint-signals.ts';
import { protect } from '../../protection/sensitive-data.ts';
import { jobRequestOf, protectionOf } from '../protection-of.ts';
import { protectedSearches, readSearches, type RequestedSearches } from '../../search/requested-search.ts';

const BETA_HEADER = 'anthropic-beta';

interface ParsedMessage {
  route: MessageRoute;
  searches: RequestedSearches | undefined;
  /** The message as the model gets it, and other texts under the client's field names. */
  texts: MessagesRequest & { plugins?: RoutedRequest['plugins']; [BETA_HEADER]?: string };
  /** Whether messages may be removed if the prompt is too long. */
  mayCompress: boolean;
  marksCaches: boolean;
  leftOut: readonly string[];
}

export interface RoutedMessage {
  message: MessagesRequest;
  /** Original texts of the placeholders in the protected prompt. */
  originals: ReadonlyMap<string, string> | undefined;
  content: PromptContent;
  client: ClientHeaders;
  candidates: Candidate[];
  search: RequestSearch | undefined;
  /** Index of each message in the client's request; undefined if no index changed or the prompt was compressed. */
  origins: number[] | undefined;
  leftOut: readonly string[];
  /** Whether endpoints that would not get every parameter are excluded. */
  requiresParameters: boolean;
  remember: MessageRoute['remember'];
  onExcluded: OnExcluded;
}

/**
 * Parses a message request, and starts the lookup of the conversation's cached prompt.
 * @throws {GatewayError} the errors of `messageRoute` and `readSearches`
 */
export async function parseMessage({
  body,
  caller,
  request: { headers },
}: Pick<InferenceInput<RoutedRequest>, 'body' | 'caller' | 'request'>): Promise<ParsedMessage> {
  const catalog = await servedCatalog();
  const { plugins } = body;
  const keyHash = caller.key.hash;
  const check = modelCheckOf(caller);
  const route = messageRoute(catalog, body, { headers, keyHash, warmPrompts: resources.warmPrompts(), check });
  const whole = withoutLooseEnd(withoutRouting(body));
  const sent = await withoutImpossibleSearch(whole, { catalog, privacy: privacyOf(caller) });
  const isOnline = route.models.some((model) => model.isOnline);
  const read = await readSearches(sent, { plugins, isOnline, accountId: caller.account.id });
  const betas = headers[BETA_HEADER];
  return {
    route,
    searches: read.searches,
    texts: {
      ...read.message,
      ...(plugins ? { plugins } : {}),
      ...(betas === undefined ? {} : { [BETA_HEADER]: betas }),
    },
    mayCompress: allowsCompression(body),
    marksCaches: body.cache === 'auto',
    leftOut: sent === whole ? [] : [SEARCH_NAME],
  };
}

/**
 * Finds the candidates of a request, and prepares the message for them.
 * @param beforeSearch runs before the prompt is scanned for sensitive data, if the key protects such data
 * @throws {GatewayError} the errors of `protect`, `messagesCandidates`, `openSearch`, `withinContext` and
 *   `clientHeaders`
 */
export async function routeMessage(
  { route, searches: requested, texts, mayCompress, marksCaches, leftOut }: ParsedMessage,
  input: Pick<InferenceInput<unknown>, 'caller' | 'request' | 'clientLeft'>,
  { onExcluded, beforeSearch }: { onExcluded?: OnExcluded; beforeSearch?: () => Promise<void> } = {},
): Promise<RoutedMessage> {
  const privacy = privacyOf(input.caller);
  const { session } = route.conversation;
  const { message: safe, ...found } = await protect(texts, protectionOf(input, beforeSearch), {
    mayGrow: requested !== undefined,
    origins: requested?.origins,
  });
  const { plugins, [BETA_HEADER]: _betas, ...others } = safe;
  const ofAccount = (name: string) => `${input.caller.account.id}\n${name}`;
  const { message: protectedMessage, searches } = protectedSearches(withUser(others, ofAccount), plugins, requested);
  const measured = measurePrompt(protectedMessage);
  const candidates = await messagesCandidates(route, {
    exclusionOf: privacyFilter(privacy),
    signals: endpointSignals(),
    promptTokens: measured.estimatedTokens,
    warmPrompt: await route.warmPrompt,
    onExcluded,
  });
  const search =
    searches &&
    (await openSearch(
      searches,
      { message: protectedMessage, ...found },
      { catalog: route.catalog, privacy, candidates },
    ));
  const message = mayCompress
    ? await withinContext(protectedMessage, measured, candidates[0]!.endpoint, jobRequestOf(input))
    : protectedMessage;
  const isWhole = message === protectedMessage;
  return {
    originals: found.originals,
    message: marksCaches ? withBreakpoints(message) : message,
    content: { ...(isWhole ? measured : measurePrompt(message)), ...search?.first },
    client: { ...clientHeaders(input.request.headers), session: session && ofAccount(session) },
    candidates,
    search,
    origins: isWhole ? searches?.origins : undefined,
    leftOut,
    requiresParameters: route.preferences.require_parameters === true,
    remember: route.remember,
    onExcluded,
  };
}

/** Returns the request with another id of the end user, because two accounts may use the same ids. */
function withUser<Request extends Pick<MessagesRequest, 'metadata'>>(
  request: Request,
  converted: (id: string) => string,
): Request {
  const { metadata } = request;
  return metadata?.user_id ? { ...request, metadata: { ...metadata, user_id: converted(metadata.user_id) } } : request;
}
