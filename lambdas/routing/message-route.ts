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

/** Token counts of a request. Cache counts that the provider has not reported are null. */
interface CachedTokens {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number | null;
  cacheWrite5mTokens: number | null;
  cacheWrite1hTokens: number | null;
}

/** Token counts of an answer. If it took several requests to the provider, `rounds` has the counts of each of them. */
type AnsweredTokens = CachedTokens & { rounds: readonly CachedTokens[] };

export interface MessageRoute extends RequestedRoute {
  /** Endpoint that has the prompt of the conversation cached; undefined if unknown or irrelevant. Never rejects. */
  warmPrompt: Promise<WarmPrompt | undefined>;
  /** Stores for the next turn which endpoint has the prompt cached. Never rejects. */
  remember: (candidate: UsableEndpoint, answered: AnsweredTokens) => Promise<void>;
}

/**
 * Reads the route of a message, and starts the lookup of the conversation's cached prompt.
 *
 * Cost: at most one read of at most 100 ms.
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
  // The store gets only a hash of the conversation's name, which does not reveal the prompt.
  const conversation = createHash('sha256')
    .update([keyHash, body.model, ...(body.models ?? []), name].join('\n'))
    .digest('base64url');
  return {
    ...route,
    warmPrompt: isBeginning ? Promise.resolve(undefined) : warmPrompts.find(conversation),
    remember: ({ endpoint }, answered) => noteWarmPrompt(warmPrompts, conversation, endpoint, answered),
  };
}

/** Lifetime in ms of five-minute caches, which every read renews. */
const DEFAULT_LIFE_MS = 5 * 60_000;
const LONG_LIFE_MS = 60 * 60_000;
/** Minimum length in tokens of a cached prompt; many providers do not cache shorter prompts. */
const MIN_CACHED_TOKENS = 1_024;

/**
 * Stores which endpoint has the prompt cached, if the cached part is long enough. If the provider caches automatically
 * and has a price for cached tokens, this part is the whole prompt. Otherwise it is the sum of the reported reads and
 * writes.
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
