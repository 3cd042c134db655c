/** A message asks for models, and goes on with a conversation: where its prompt is warm before an answer, and where after it. */

import { createHash } from 'node:crypto';
import type { Catalog } from '../catalog/catalog.ts';
import { hasPrice } from '../catalog/default-route.ts';
import { factsOf } from '../catalog/wires.ts';
import type { RoutedRequest } from '../messages/preferences.ts';
import { nowMs } from '../platform/clock.ts';
import { requestedRoute, type RequestedRoute } from './requested-route.ts';
import type { UsableEndpoint } from './usable-endpoints.ts';
import type { WarmPrompt } from './warm-prompt.ts';
import type { WarmPrompts } from './warm-prompts.ts';

/** The tokens of a request to a provider, as far as they say what is in its cache; null where the provider has not said. */
interface CachedTokens {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number | null;
  cacheWrite5mTokens: number | null;
  cacheWrite1hTokens: number | null;
}

/** The tokens of an answer, with those of each request for it, where there were several. */
type AnsweredTokens = CachedTokens & { rounds: readonly CachedTokens[] };

/** A route of a message, and the cache of its conversation. */
export interface MessageRoute extends RequestedRoute {
  /** Where the prompt of the conversation is cached; undefined where that is not known, or makes no difference. Never rejects. */
  warmPrompt: Promise<WarmPrompt | undefined>;
  /** Notes at which endpoint an answer has left the prompt, for the next turn. Never rejects. */
  remember: (candidate: UsableEndpoint, answered: AnsweredTokens) => Promise<void>;
}

/**
 * Reads the route of a message, and begins to look for its conversation. Nothing is looked for where all its turns go to one
 * endpoint anyway, or where it begins.
 * Cost: one read, at most 100 ms, where this instance has not seen the turn before.
 * @param keyHash of the key that asks
 * @throws {GatewayError} 404 for a model that the catalog does not know
 */
export function messageRoute(
  catalog: Catalog,
  body: RoutedRequest,
  { headers, keyHash, warmPrompts }: { headers: Record<string, string>; keyHash: string; warmPrompts: WarmPrompts },
): MessageRoute {
  const route = requestedRoute(catalog, body, headers);
  const mayGoElsewhere = route.models.some(({ model }) => model.endpoints.filter(hasPrice).length > 1);
  if (!mayGoElsewhere) return { ...route, warmPrompt: Promise.resolve(undefined), remember: async () => {} };
  const { name, isBeginning } = route.conversation;
  // One key's conversation with the same models; nobody who reads the hash learns anything of the prompt.
  const conversation = createHash('sha256')
    .update([keyHash, body.model, ...(body.models ?? []), name].join('\n'))
    .digest('base64url');
  return {
    ...route,
    warmPrompt: isBeginning ? Promise.resolve(undefined) : warmPrompts.find(conversation),
    remember: ({ endpoint }, answered) => noteWarmPrompt(warmPrompts, conversation, endpoint, answered),
  };
}

/** Caches of five minutes are renewed by every turn that reads them; some providers keep theirs longer. */
const DEFAULT_LIFE_MS = 5 * 60_000;
const LONG_LIFE_MS = 60 * 60_000;
/** No provider caches shorter prompts. */
const MIN_CACHED_TOKENS = 1_024;

/**
 * Notes where an answer has left its prompt, if the endpoint keeps prompts: those that it says it has read from a cache or
 * written to one, and all of it where caches are written unasked.
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
  const implicitCaching = endpoint.pricing.input_cache_read && factsOf(endpoint.wire).messages?.implicitCaching;
  const tokens = implicitCaching ? latest.promptTokens : cached;
  if (tokens < MIN_CACHED_TOKENS) return;
  await warmPrompts.note(conversation, {
    endpointId: endpoint.id,
    tokens,
    outputTokens: latest.completionTokens,
    untilMs: nowMs() + (written1h > 0 ? LONG_LIFE_MS : DEFAULT_LIFE_MS),
  });
}
