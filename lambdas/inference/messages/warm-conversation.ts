/** A conversation on its way through the gateway: where its prompt is warm before an answer, and where after it. */

import { createHash } from 'node:crypto';
import type { Caller } from '../../admission/caller.ts';
import { hasPrice } from '../../catalog/default-route.ts';
import { factsOf } from '../../catalog/wires.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import { nowMs } from '../../platform/clock.ts';
import { resources } from '../../resources.ts';
import type { Candidate } from '../../routing/candidates.ts';
import { conversationName } from '../../routing/conversation.ts';
import type { RequestedModel } from '../../routing/requested-models.ts';
import type { WarmPrompt } from '../../routing/warm-prompt.ts';
import type { Outcome } from '../../store/outcome.ts';

/** A conversation that may go to one of several endpoints. */
export interface WarmConversation {
  /** A hash that names it among all conversations. */
  name: string;
  prompt: WarmPrompt | undefined;
}

/**
 * Looks for the conversation of a request. Nothing is read where all its turns go to one endpoint anyway, or where it begins.
 * Cost: one read, at most 100 ms, where this instance has not seen the turn before. Never rejects.
 * @returns undefined where it makes no difference which endpoint is warm
 */
export async function findConversation(
  body: RoutedRequest,
  { caller, session, requested }: { caller: Caller; session: string | undefined; requested: readonly RequestedModel[] },
): Promise<WarmConversation | undefined> {
  const mayGoElsewhere = requested.some(({ model }) => model.endpoints.filter(hasPrice).length > 1);
  if (!mayGoElsewhere) return undefined;
  const name = hashOf(body, caller, session);
  const isBeginning = session === undefined && body.messages.length === 1;
  return { name, prompt: isBeginning ? undefined : await resources.warmPrompts().find(name) };
}

/** One key's conversation with the same models; nobody who reads the name learns anything of the prompt. */
function hashOf(body: RoutedRequest, { key }: Caller, session: string | undefined): string {
  const models = [body.model, ...(body.models ?? [])].join('\n');
  return createHash('sha256')
    .update(`${key.hash}\n${models}\n${conversationName(body, session)}`)
    .digest('base64url');
}

/** Caches of five minutes are renewed by every turn that reads them; some providers keep theirs longer. */
const DEFAULT_LIFE_MS = 5 * 60_000;
const LONG_LIFE_MS = 60 * 60_000;
/** No provider caches shorter prompts. */
const MIN_CACHED_TOKENS = 1_024;

/**
 * Notes where an answer has left its prompt, if the endpoint keeps prompts: those that it says it has read from a cache or
 * written to one, and all of it where caches are written unasked. Never rejects.
 */
export async function noteConversation(
  { name }: WarmConversation,
  { endpoint }: Candidate,
  outcome: Outcome,
): Promise<void> {
  const latest = outcome.rounds.at(-1) ?? outcome;
  const written1h = latest.cacheWrite1hTokens ?? 0;
  const cached = (latest.cachedTokens ?? 0) + (latest.cacheWrite5mTokens ?? 0) + written1h;
  const implicitCaching = endpoint.pricing.input_cache_read && factsOf(endpoint.wire).messages?.implicitCaching;
  const tokens = implicitCaching ? latest.promptTokens : cached;
  if (tokens < MIN_CACHED_TOKENS) return;
  await resources.warmPrompts().note(name, {
    endpointId: endpoint.id,
    tokens,
    outputTokens: latest.completionTokens,
    untilMs: nowMs() + (written1h > 0 ? LONG_LIFE_MS : DEFAULT_LIFE_MS),
  });
}
