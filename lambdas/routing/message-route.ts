/**
 * Determines the route of a message. Before an answer, it reads which endpoint has the prompt of the conversation
 * cached; after the answer, it stores that endpoint.
 */

import { createHash } from 'node:crypto';
import type { Catalog } from '../catalog/catalog.ts';
import { hasPrice } from '../catalog/default-route.ts';
import { factsOf } from '../catalog/wires.ts';
import type { RoutedRequest } from '../messages/preferences.ts';
import { nowMs } from '../platform/clock.ts';
import type { ModelCheck } from './requested-models.ts';
import { requestedRoute, type RequestedRoute } from './requested-route.ts';
import type { UsableEndpoint } from './usable-endpoints.ts';
import type { WarmPrompt } from './warm-prompt.ts';
import type { WarmPrompts } from './warm-prompts.ts';

/**
 * Token counts of one request to a provider, from which the cached part of the prompt follows. A count that the
 * provider has not reported is null.
 */
interface CachedTokens {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number | null;
  cacheWrite5mTokens: number | null;
  cacheWrite1hTokens: number | null;
}

/** Token counts of an answer, and of each of its requests if the answer took several. */
type AnsweredTokens = CachedTokens & { rounds: readonly CachedTokens[] };

/** Route of a message, with access to the prompt cache of its conversation. */
export interface MessageRoute extends RequestedRoute {
  /** Endpoint that has the prompt of the conversation cached; undefined if unknown or irrelevant. Never rejects. */
  warmPrompt: Promise<WarmPrompt | undefined>;
  /** Stores which endpoint has the prompt cached after an answer. The next turn uses this. Never rejects. */
  remember: (candidate: UsableEndpoint, answered: AnsweredTokens) => Promise<void>;
}

/**
 * Reads the route of a message, and starts the lookup of the conversation's cached prompt. Skips the lookup for a first
 * turn, and if no model of the request has several endpoints.
 *
 * Cost: one read of at most 100 ms, unless this instance knows an unexpired cache of the conversation.
 * @param keyHash hash of the caller's key
 * @param options.check checks that the caller may call the models; undefined if it may call all models
 * @throws {GatewayError} 404 for an unknown model or suffix; 403 for a model that the caller may not call
 */
export function messageRoute(
  catalog: Catalog,
  body: RoutedRequest,
  {
    headers,
    keyHash,
    warmPrompts,
    check,
  }: {
    headers: Record<string, string>;
    keyHash: string;
    warmPrompts: WarmPrompts;
    check: ModelCheck | undefined;
  },
): MessageRoute {
  const route = requestedRoute(catalog, body, { headers, check });
  const mayGoElsewhere = route.models.some(({ model }) => model.endpoints.filter(hasPrice).length > 1);
  if (!mayGoElsewhere) return { ...route, warmPrompt: Promise.resolve(undefined), remember: async () => {} };
  const { name, isBeginning } = route.conversation;
  // Identifies a conversation of one key with the same models. The hash does not reveal the prompt.
  const conversation = createHash('sha256')
    .update([keyHash, body.model, ...(body.models ?? []), name].join('\n'))
    .digest('base64url');
  return {
    ...route,
    warmPrompt: isBeginning ? Promise.resolve(undefined) : warmPrompts.find(conversation),
    remember: ({ endpoint }, answered) => noteWarmPrompt(warmPrompts, conversation, endpoint, answered),
  };
}

/**
 * Lifetime in ms of five-minute caches. Every turn that reads the cache renews it. Some providers keep their caches
 * longer.
 */
const DEFAULT_LIFE_MS = 5 * 60_000;
const LONG_LIFE_MS = 60 * 60_000;
/** Minimum length in tokens of a cached prompt to remember. Many providers cache no shorter prompts. */
const MIN_CACHED_TOKENS = 1_024;

/**
 * Stores which endpoint has the prompt cached after an answer, if the endpoint caches prompts. The cached part is the
 * sum of the reported cache reads and writes, or the whole prompt if the provider caches automatically.
 */
async function noteWarmPrompt(
  warmPrompts: WarmPrompts,
  conversation: string,
  endpoint: UsableEndpoint['endpoint'],
  answered: AnsweredTokens,
): Promise<void> {
  const latest = answered.rounds.at(-1) ?? answered;
  const written1h = latest.cacheWrite1hTokens ?? 0;
  const cached = (latest.cachedTokens ?? 0) + (latest.cacheWrite5mTokens ?? 0) + written1h;
  const cachesItself = factsOf(endpoint.wire).messages?.implicitCaching(endpoint.quirks);
  const tokens = endpoint.pricing.input_cache_read && cachesItself ? latest.promptTokens : cached;
  if (tokens < MIN_CACHED_TOKENS) return;
  await warmPrompts.note(conversation, {
    endpointId: endpoint.id,
    tokens,
    outputTokens: latest.completionTokens,
    untilMs: nowMs() + (written1h > 0 ? LONG_LIFE_MS : DEFAULT_LIFE_MS),
  });
}
