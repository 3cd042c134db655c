/**
 * A request also holds texts beside its conversation that others read: a plugin's prompt for the model, the domains and the place
 * of a search, betas in a header. This file puts them into the message while that is protected, so that a value there is replaced
 * or refused as anywhere else, and takes them out again.
 */

import type { RoutedRequest } from '../../messages/preferences.ts';
import type { SearchTool } from '../../messages/search-tool.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { without } from '../../messages/without.ts';

const BETA_HEADER = 'anthropic-beta';
const searchFields = ['user_location', 'allowed_domains', 'blocked_domains'] as const;

interface Settings {
  plugins: RoutedRequest['plugins'];
  /** The declared search, and its place among the tools of the message, where a function stands for it. */
  declared: { tool: SearchTool; index: number } | undefined;
  betaHeader: string | undefined;
}

/** The message with the settings in it, each under the name that the client knows. */
export function withSettings(message: MessagesRequest, { plugins, declared, betaHeader }: Settings): MessagesRequest {
  const { tools = [] } = message;
  const fields = declared ? searchFields.filter((field) => declared.tool[field] != null) : [];
  const said = Object.fromEntries(fields.map((field) => [field, declared!.tool[field]]));
  return {
    ...message,
    ...(fields.length > 0 ? { tools: tools.with(declared!.index, { ...tools[declared!.index]!, ...said }) } : {}),
    ...(plugins ? { plugins } : {}),
    ...(betaHeader === undefined ? {} : { [BETA_HEADER]: betaHeader }),
  };
}

/** The message by itself, and the settings as others may see them. */
export function apartFromSettings(
  message: MessagesRequest,
  { declared }: Pick<Settings, 'declared'>,
): { message: MessagesRequest; plugins: RoutedRequest['plugins']; tool: SearchTool | undefined } {
  const { plugins } = message as RoutedRequest;
  const bare = without(without(message, 'plugins'), BETA_HEADER);
  if (!declared) return { message: bare, plugins, tool: undefined };
  const { tools = [] } = message;
  const marked = tools[declared.index]!;
  const changed = searchFields.map((field) => [field, marked[field] ?? declared.tool[field]]);
  const unmarked = searchFields.reduce((tool, field) => without(tool, field), marked);
  return {
    message: { ...bare, tools: tools.with(declared.index, unmarked) },
    plugins,
    tool: { ...declared.tool, ...Object.fromEntries(changed) } as SearchTool,
  };
}
