/**
 * A message as providers may see it. A request also holds texts beside its conversation that others read: a plugin's prompt for the
 * model, the domains and the place of a search, betas in a header. This file puts them into the message while that is protected, so that
 * a value there is replaced or refused as anywhere else, and takes them out again.
 */

import { webPlugin, type WebPlugin } from '../messages/plugins.ts';
import type { RoutedRequest } from '../messages/preferences.ts';
import type { SearchTool } from '../messages/search-tool.ts';
import type { MessagesRequest } from '../messages/types.ts';
import { without } from '../messages/without.ts';
import { atOrigin } from '../messages/paths-as-sent.ts';
import { protect, type Protected, type Protection } from './sensitive-data.ts';

const BETA_HEADER = 'anthropic-beta';
const searchFields = ['user_location', 'allowed_domains', 'blocked_domains'] as const;

interface Settings {
  plugins: RoutedRequest['plugins'];
  /** The declared search, and its place among the tools of the message, where a function stands for it. */
  declared: { tool: SearchTool; index: number } | undefined;
  betaHeader: string | undefined;
}

/** The searches that a request asks for, as far as they are protected, and its message as a model has it. */
interface AskedSearches {
  message: MessagesRequest;
  declared: SearchTool | undefined;
  /** The place of the declared search among the tools. */
  toolIndex: number | undefined;
  plugin: WebPlugin | undefined;
  /** The place in the request of each message. */
  origins: number[];
}

/**
 * Protects a message, and what stands beside it.
 * @param sent the message of the request, without what decides where it goes
 * @param read what the request says of searches; undefined where it says nothing
 * @param beside the other places with texts, and the settings of the key
 * @throws {GatewayError} 400 for what the key blocks, named as the client has written it
 */
export async function protectedMessage<Searches extends AskedSearches>(
  sent: MessagesRequest,
  read: Searches | undefined,
  beside: { body: RoutedRequest; headers: Record<string, string>; protection: Protection },
): Promise<Protected & { searches: Searches | undefined }> {
  const { body, headers, protection } = beside;
  const declared = read?.declared && { tool: read.declared, index: read.toolIndex! };
  const settings = { plugins: body.plugins, declared, betaHeader: headers[BETA_HEADER] };
  const { message: changed, ...found } = await protect(withSettings(read?.message ?? sent, settings), protection, {
    mayGrow: read !== undefined,
  }).catch((error: unknown) => {
    throw atOrigin(error, read?.origins);
  });
  const { message, plugins, tool } = apartFromSettings(changed, settings);
  const searches = read && { ...read, declared: tool, plugin: read.plugin && (webPlugin({ plugins }) ?? read.plugin) };
  return { ...found, message, searches };
}

/** The message with the settings in it, each under the name that the client knows. */
function withSettings(message: MessagesRequest, { plugins, declared, betaHeader }: Settings): MessagesRequest {
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
function apartFromSettings(
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
