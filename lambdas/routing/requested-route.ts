import type { Catalog } from '../catalog/catalog.ts';
import type { MediaModality } from '../catalog/quirk-values.ts';
import { outputFormat } from '../messages/output-format.ts';
import type { ProviderPreferences, RoutedRequest } from '../messages/preferences.ts';
import type { MessagesRequest } from '../messages/types.ts';
import { conversationOf, type Conversation } from './conversation.ts';
import { tuningsOf } from './left-out.ts';
import { requestedMedia } from './requested-media.ts';
import { requestedModels, type ModelCheck, type RequestedModel } from './requested-models.ts';
import { drawOf, type Draw } from './sticky-routing.ts';

export interface RequestedRoute {
  catalog: Catalog;
  models: RequestedModel[];
  /** Output that every model must make, in addition to text. */
  media: MediaModality[];
  preferences: ProviderPreferences;
  /** For each parameter of the request: the names that the catalog may use for it. */
  parameters: string[][];
  /** Fields of the request that only tune an answer. */
  tunings: string[];
  maxTokens: number | undefined;
  conversation: Conversation;
  draw: Draw;
}

/**
 * Collects the parts of a request that routing uses.
 * @throws {GatewayError} 404 for an unknown model or suffix; 403 for a model that the caller may not call
 */
export function requestedRoute(
  catalog: Catalog,
  request: RoutedRequest,
  { headers = {}, check }: { headers?: Record<string, string>; check: ModelCheck | undefined },
): RequestedRoute {
  const conversation = conversationOf(request, headers);
  return {
    catalog,
    models: requestedModels(catalog, request, check),
    media: requestedMedia(request),
    preferences: request.provider ?? {},
    parameters: requestedParameters(request),
    tunings: tuningsOf(request),
    maxTokens: request.max_tokens,
    conversation,
    draw: drawOf(conversation.name),
  };
}

function requestedParameters(request: MessagesRequest): string[][] {
  const format = outputFormat(request);
  const named: [boolean, string[]][] = [
    [request.max_tokens !== undefined, ['max_tokens', 'max_completion_tokens']],
    [request.stop_sequences !== undefined && request.stop_sequences.length > 0, ['stop']],
    [request.tools !== undefined && request.tools.length > 0, ['tools']],
    [request.tool_choice !== undefined, ['tool_choice']],
    [request.thinking !== undefined && request.thinking.type !== 'disabled', ['reasoning']],
    [format !== undefined, ['structured_outputs', 'response_format']],
    [request['logprobs'] === true, ['logprobs']],
    [request['logprobs'] === true && Boolean(request['top_logprobs']), ['top_logprobs']],
  ];
  return named.flatMap(([isSet, names]) => (isSet ? [names] : []));
}
