/** The searches that a request asks for: of the model, or before it is asked. */

import { webPlugin, type WebPlugin } from '../messages/plugins.ts';
import type { RoutedRequest } from '../messages/preferences.ts';
import { declaredSearch, type SearchTool } from '../messages/search-tool.ts';
import type { MessagesRequest } from '../messages/types.ts';
import { readPepper } from '../platform/secrets/secrets.ts';
import { hasSearches, readHistory } from './history.ts';
import { sealsOf, type Seals } from './seals.ts';
import { Sources } from './sources.ts';
import { searchFunction } from './tool.ts';

/** The searches that a request asks for, and its conversation as a model has it. */
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
 * @param asked.isOnline it says so by the suffix of a model
 * @returns undefined where it says nothing
 * @throws {GatewayError} 400 for results that this gateway has not found
 */
export async function readSearches(
  message: MessagesRequest,
  asked: { body: RoutedRequest; isOnline: boolean; accountId: string },
): Promise<ReadSearches | undefined> {
  const declared = declaredSearch(message);
  const plugin = webPlugin(asked.body) ?? (asked.isOnline ? { id: 'web' as const, isSuffix: true } : undefined);
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
