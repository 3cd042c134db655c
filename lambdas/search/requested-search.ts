/** Searches of a request: by the model, and before the model's first answer. */

import { webPlugin, type WebPlugin } from '../messages/plugins.ts';
import type { RoutedRequest } from '../messages/preferences.ts';
import { declaredSearch, type SearchTool } from '../messages/search-tool.ts';
import type { MessagesRequest } from '../messages/types.ts';
import { readPepper } from '../platform/secrets/secrets.ts';
import { hasSearches, readHistory } from './history.ts';
import { sealsOf, type Seals } from './seals.ts';
import type { Sources } from './sources.ts';
import { searchFunction } from './tool.ts';

export interface RequestedSearches {
  /** Search tool that the client declared, with its index among the tools. */
  declared: { tool: SearchTool; index: number } | undefined;
  /** Search before the model's first answer. `isSuffix`: a suffix of the model's name requested it. */
  plugin: (WebPlugin & { isSuffix?: boolean }) | undefined;
  sources: Sources;
  seals: Seals;
  /** Ids, as sent by the client, of search calls without a result, which are made before the model answers. */
  pending: string[];
  /** For each message, its index in the client's request. */
  origins: number[];
}

/** `searches` is undefined if there are none. */
interface MessageAndSearches {
  message: MessagesRequest;
  searches: RequestedSearches | undefined;
}

/** Settings that may contain sensitive data. They are copied into the message, so that the data is removed there. */
const textSettings = ['user_location', 'allowed_domains', 'blocked_domains'] as const;

/**
 * Reads the searches of a request, and converts its conversation for the model.
 * @param requested.isOnline whether a suffix of the model's name requests a search
 * @throws {GatewayError} 400 for results that were altered, or that belong to no call
 */
export async function readSearches(
  message: MessagesRequest,
  requested: { plugins: RoutedRequest['plugins']; isOnline: boolean; accountId: string },
): Promise<MessageAndSearches> {
  const declared = declaredSearch(message);
  const plugin = webPlugin(requested) ?? (requested.isOnline ? { id: 'web' as const, isSuffix: true } : undefined);
  if (!declared && !plugin && !hasSearches(message.messages)) return { message, searches: undefined };
  const seals = sealsOf(await readPepper(), requested.accountId);
  const { messages, ...history } = readHistory(message.messages, seals, declared !== undefined);
  const searches = { ...history, declared, plugin, seals };
  if (!declared) return { message: { ...message, messages }, searches };
  const { tool, index } = declared;
  const settings = textSettings.filter((field) => tool[field] != null).map((field) => [field, tool[field]]);
  const withSettings = { ...searchFunction(tool), ...Object.fromEntries(settings) };
  return { message: { ...message, messages, tools: message.tools!.with(index, withSettings) }, searches };
}

/** Moves the settings of the search tool back from the message, after sensitive data was removed. */
export function protectedSearches(
  message: MessagesRequest,
  plugins: RoutedRequest['plugins'],
  searches: RequestedSearches | undefined,
): MessageAndSearches {
  const plugin = searches?.plugin && (webPlugin({ plugins }) ?? searches.plugin);
  if (!searches?.declared) return { message, searches: searches && { ...searches, plugin } };
  const { tool, index } = searches.declared;
  const withSettings = message.tools![index]!;
  const settings = textSettings.map((field) => [field, withSettings[field] ?? tool[field]]);
  const { user_location: _place, allowed_domains: _allowed, blocked_domains: _blocked, ...bare } = withSettings;
  const declared = { tool: { ...tool, ...Object.fromEntries(settings) } as SearchTool, index };
  return {
    message: { ...message, tools: message.tools!.with(index, bare) },
    searches: { ...searches, plugin, declared },
  };
}
