/** The searches that a request asks for: of the model, or before it is asked. */

import type { Catalog } from '../../../catalog/catalog.ts';
import { webPlugin, type WebPlugin } from '../../../messages/plugins.ts';
import type { RoutedRequest } from '../../../messages/preferences.ts';
import { declaredSearch, type SearchTool } from '../../../messages/search-tool.ts';
import type { MessagesRequest } from '../../../messages/types.ts';
import { GatewayError, invalidRequest } from '../../../platform/errors.ts';
import { readPepper } from '../../../platform/secrets.ts';
import type { Candidate } from '../../../routing/candidates.ts';
import { asksForSearch } from '../../../routing/requested-models.ts';
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
  asked: { body: RoutedRequest; catalog: Catalog; accountId: string },
): Promise<ReadSearches | undefined> {
  const declared = declaredSearch(message);
  const isSuffix = asksForSearch(asked.catalog, asked.body);
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

const MESSAGE_PLACE = /^messages\.(\d+)(?=\.|$)/;

/**
 * Runs a check of a conversation that searches have changed; what it finds wrong is named by the client's own message.
 * @throws {GatewayError} what `check` throws
 */
export function reportPathsAsSent<Result>(origins: readonly number[] | undefined, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw atOrigin(error, origins);
  }
}

/** An error that names a message by its place in the client's own request. @param origins undefined where no place has changed */
export function atOrigin(error: unknown, origins: readonly number[] | undefined): unknown {
  if (!origins || !(error instanceof GatewayError)) return error;
  const { kind, message, metadata, status, headers, details } = error;
  const { field } = metadata;
  if (typeof field !== 'string') return error;
  const origin = origins[Number(MESSAGE_PLACE.exec(field)?.[1])];
  if (origin === undefined) return error;
  const renamed = field.replace(MESSAGE_PLACE, `messages.${origin}`);
  return new GatewayError(
    kind,
    message.replace(field, () => renamed),
    {
      status,
      metadata: { ...metadata, field: renamed },
      headers,
      details,
      cause: error,
    },
  );
}
