import type { PromptContent } from '../../../admission/prompt/prompt-size.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import type { CatalogSearch } from '../../../catalog/search.ts';
import type { WebPlugin } from '../../../messages/plugins.ts';
import { isOptionalSearch } from '../../../messages/search-tool.ts';
import type { MessagesRequest } from '../../../messages/types.ts';
import { without } from '../../../messages/without.ts';
import { nowMs } from '../../../platform/clock.ts';
import { invalidRequest } from '../../../platform/errors.ts';
import { searchExclusion } from '../../../protection/privacy.ts';
import type { Protected } from '../../../protection/sensitive-data.ts';
import type { Candidate } from '../../../routing/candidates.ts';
import type { SearchQuery } from '../../../search/backend.ts';
import { openBackends } from '../../../search/backends/open.ts';
import { questionOf, defaultPrompt } from '../../../search/injected.ts';
import { SearchSession, type SearchCall } from '../../../search/session.ts';
import { MAX_RESULT_BYTES } from '../../../search/sources.ts';
import { openCalls } from '../../../search/turns.ts';
import { searchWeb } from '../../../search/web-search.ts';
import type { Privacy } from '../../../store/accounts/privacy.ts';
import type { RequestedSearches } from '../../../search/requested-search.ts';

export interface RequestSearch {
  session: SearchSession;
  /** Whether the model may start searches by itself. */
  isDeclared: boolean;
  /** Search calls without results at the end of an earlier answer. */
  pending: readonly SearchCall[];
  /** Query of the search before the model's first response. */
  question: WebQuestion | undefined;
  /** Searches before the model's first response, with the upper bound on the tokens of their results. */
  first: Pick<PromptContent, 'maySearch' | 'searchesFirst' | 'foundTokens'>;
}

interface WebQuestion {
  query: SearchQuery;
  prompt: string;
}

/**
 * Prepares the web searches of a request.
 * @returns undefined if the request has no search
 * @throws {GatewayError} 400 if no search backend may be used, or a search tool is declared but no candidate can call
 *   functions
 */
export async function openSearch(
  searches: RequestedSearches,
  { message, protectMore }: Protected,
  { catalog, privacy, candidates }: { catalog: Catalog; privacy: Privacy[]; candidates: readonly Candidate[] },
): Promise<RequestSearch | undefined> {
  const { declared, plugin, sources, seals } = searches;
  if (!declared && !plugin) return undefined;
  refuseWithoutFunctions(searches, candidates);
  const { search } = catalog;
  const backends = await openBackends(catalog, searchExclusion(privacy));
  if (!search || backends.length === 0) throw noSearchBackend(searches, search);
  const session = new SearchSession({
    settings: declared?.tool ?? {},
    maxResults: search.maxResults,
    search: (query, signal) => searchWeb(backends, query, { signal }),
    protect: protectMore,
    sources,
    seals,
  });
  const pending = openCalls(message, searches.pending);
  const question = plugin && questionFor(message, plugin, search.maxResults);
  const searchesFirst = session.allowed(pending.length) + (question ? 1 : 0);
  const first = { maySearch: true, searchesFirst, foundTokens: searchesFirst * MAX_RESULT_BYTES };
  // Some models ignore `tool_choice: none`, and searches that the client excluded must not be charged.
  const isDeclared = declared !== undefined && message.tool_choice?.type !== 'none';
  return { session, isDeclared, pending, question, first };
}

/** Removes an optional search if no backend is available, because agents declare a search with every request. */
export async function withoutImpossibleSearch(
  message: MessagesRequest,
  { catalog, privacy }: { catalog: Catalog; privacy: Privacy[] },
): Promise<MessagesRequest> {
  const { tools } = message;
  const optional = tools?.filter(isOptionalSearch) ?? [];
  if (!tools || optional.length === 0) return message;
  if (catalog.search && (await openBackends(catalog, searchExclusion(privacy))).length > 0) return message;
  const kept = tools.filter((tool) => !optional.includes(tool));
  return kept.length > 0 ? { ...message, tools: kept } : without(without(message, 'tools'), 'tool_choice');
}

function refuseWithoutFunctions({ declared }: RequestedSearches, candidates: readonly Candidate[]): void {
  if (!declared || candidates.some(({ endpoint }) => endpoint.supportedParameters.includes('tools'))) return;
  throw invalidRequest(
    `tools.${declared.index}.type`,
    `"${candidates[0]!.model.id}" does not call functions, so it cannot search; use the plugin "web" or the suffix ":online", which search before the model answers`,
  );
}

function questionFor(message: MessagesRequest, plugin: WebPlugin, maxResults: number): WebQuestion | undefined {
  const text = questionOf(message);
  if (text === undefined) return undefined;
  const query = {
    text,
    maxResults: Math.min(plugin.max_results ?? maxResults, maxResults),
    allowedDomains: plugin.include_domains ?? [],
    blockedDomains: plugin.exclude_domains ?? [],
    location: plugin.user_location ?? undefined,
  };
  return { query, prompt: plugin.search_prompt ?? defaultPrompt(nowMs()) };
}

function noSearchBackend({ declared, plugin }: RequestedSearches, search: CatalogSearch | undefined): Error {
  const field = declared ? `tools.${declared.index}.type` : plugin?.isSuffix ? 'model' : 'plugins';
  const variables = (search?.listed ?? []).flatMap(
    ({ credential, base_url_variable: address }) => credential ?? address ?? [],
  );
  const nothingSet = (search?.backends.length ?? 0) === 0;
  const remedy =
    variables.length === 0
      ? 'this gateway has no search engine'
      : nothingSet
        ? `its operator has set none of ${variables.join(', ')}`
        : 'its operator has set no search engine, or the privacy settings of this key exclude the search engines that are set';
  return invalidRequest(field, `the web cannot be searched: ${remedy}. Leave the search out.`);
}
