/** The searches that a request asks for: of the model, or before it is asked. */

import { webPlugin, type WebPlugin } from '../../../messages/plugins.ts';
import type { RoutedRequest } from '../../../messages/preferences.ts';
import { declaredSearch, type SearchTool } from '../../../messages/search-tool.ts';
import type { MessagesRequest } from '../../../messages/types.ts';
import { invalidRequest } from '../../../platform/errors.ts';
import { readPepper } from '../../../platform/secrets.ts';
import type { Candidate } from '../../../routing/candidates.ts';
import type { RequestedModel } from '../../../routing/requested-models.ts';
import { hasSearches, readHistory } from '../../../search/history.ts';
import { sealsOf, type Seals } from '../../../search/seals.ts';
import { Sources } from '../../../search/sources.ts';
import { searchFunction } from '../../../search/tool.ts';

/** What a request says of searches, and its conversation as a model has it. */
export interface ReadSearches {
  message: MessagesRequest;
  /** The model may search. */
  declared: SearchTool | undefined;
  /** Where it is declared. */
  toolIndex: number | undefined;
  /** The web is searched before the model is asked. */
  plugin: (WebPlugin & { isSuffix?: boolean }) | undefined;
  sources: Sources;
  seals: Seals;
  /** Calls of the last turn whose searches are made first, by the ids that clients have. */
  pending: string[];
  /** The place in the request of each message. */
  origins: number[];
}

/**
 * Reads what a request says of searches.
 * @returns undefined where it says nothing
 * @throws {GatewayError} 400 for results that this gateway has not found
 */
export async function readSearches(
  message: MessagesRequest,
  asked: { body: RoutedRequest; requested: readonly RequestedModel[]; accountId: string },
): Promise<ReadSearches | undefined> {
  const declared = declaredSearch(message);
  const isSuffix = asked.requested.some(({ isOnline }) => isOnline);
  const plugin = webPlugin(asked.body) ?? (isSuffix ? { id: 'web' as const, isSuffix } : undefined);
  if (!declared && !plugin && !hasSearches(message.messages)) return undefined;
  const seals = sealsOf(await readPepper(), asked.accountId);
  const { messages, ...history } = readHistory(message.messages, seals, declared !== undefined);
  const tools = declared && message.tools!.with(declared.index, searchFunction(declared.tool));
  return {
    ...history,
    message: { ...message, messages, ...(tools ? { tools } : {}) },
    declared: declared?.tool,
    toolIndex: declared?.index,
    plugin,
    seals,
  };
}

/** @throws {GatewayError} 400 where the model is to search and cannot be told so */
export function refuseWithoutFunctions({ toolIndex }: ReadSearches, candidates: readonly Candidate[]): void {
  if (toolIndex === undefined || candidates.some(({ endpoint }) => endpoint.supportedParameters.includes('tools')))
    return;
  throw invalidRequest(
    `tools.${toolIndex}.type`,
    `"${candidates[0]!.model.id}" calls no functions, so it cannot search by itself; have the web searched before it is asked, with the plugin "web" or the suffix ":online"`,
  );
}
