/** The events of an answer as the client gets them: up to an error or a limit, with our names and the price. */

import type { Charged } from '../../accounting/charge.ts';
import { eventBytes } from '../../accounting/event-bytes.ts';
import type { UsageMeter } from '../../accounting/meter.ts';
import type { TokenUsage } from '../../accounting/usage.ts';
import type { AnswerEvent, MessageDelta, MessagesEvent, WireUsage } from '../../messages/types.ts';
import type { GatewayError } from '../../platform/errors.ts';
import { errorInAnswer } from '../../providers/failures.ts';
import type { Candidate } from '../../routing/candidates.ts';
import { failedProvider } from '../../routing/connection.ts';
import type { MeasuredAnswer } from './answer-context.ts';

/** The event that says why the answer ends: the one that carries its price. */
export function isEnding(data: MessagesEvent): data is MessageDelta {
  return data.type === 'message_delta' && typeof data.delta.stop_reason === 'string';
}

/** The events before the provider's error, and the error as a failure. */
export function untilFailure(
  events: AnswerEvent[],
  candidate: Candidate,
): { events: AnswerEvent[]; failure?: GatewayError } {
  const at = events.findIndex(({ data }) => data.type === 'error');
  if (at === -1) return { events };
  const { error } = events[at]!.data as { error?: unknown };
  return { events: events.slice(0, at), failure: errorInAnswer(error, {}, failedProvider(candidate)) };
}

/** The events up to the first that writes beyond the limit, after what was written before them. */
export function fitting(events: AnswerEvent[], writtenBytes: number, limitBytes: number): AnswerEvent[] {
  let written = writtenBytes;
  const end = events.findIndex(({ data }) => {
    written += eventBytes(data);
    return written > limitBytes || data.type === 'message_delta' || data.type === 'message_stop';
  });
  return end === -1 ? events : events.slice(0, end);
}

/** The first event of an answer, with the generation's id and the catalog's model; any other event as it is. */
export function named(event: AnswerEvent, { context, attempted }: MeasuredAnswer): AnswerEvent {
  const { data } = event;
  if (data.type !== 'message_start') return event;
  const usage = openingUsage(data.message.usage, context.estimatedInputTokens);
  const message = { ...data.message, id: context.generationId, model: attempted.candidate.model.id, usage };
  return { data: { ...data, message } };
}

/** Clients read the prompt's tokens here, some only here: what the provider has not counted is estimated. */
function openingUsage(usage: WireUsage, estimatedInputTokens: number): WireUsage {
  const { input_tokens: input = null, output_tokens: output = null } = usage;
  return { ...noCaches, ...usage, input_tokens: input ?? estimatedInputTokens, output_tokens: output ?? 0 };
}

/** Clients add up all tokens of the prompt: what a provider does not tell of caches is charged as none. */
const noCaches = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 } satisfies WireUsage;

/** The ending with its cost. Reports beyond the bound, or of no tokens for written output, are not what it has cost. */
export function priced(event: MessageDelta, charge: Charged, answer: MeasuredAnswer): MessageDelta {
  const { usage, cost } = charge;
  const tokens = charge.rounds
    ? tokensOf(usage)
    : { ...noCaches, ...event.usage, ...lastRoundTokens(event, charge, answer.meter) };
  const searches = answer.context.search && {
    server_tool_use: { web_search_requests: usage.searchRequests ?? 0, web_fetch_requests: 0 },
  };
  return { ...event, usage: { ...tokens, ...searches, cost } };
}

function lastRoundTokens(event: MessageDelta, { usage, exceeded }: Charged, meter: UsageMeter): WireUsage {
  const { input_tokens: input = null, output_tokens: output = null } = event.usage;
  const isInputReported = input !== null && meter.knowsPrompt && !exceeded;
  const isOutputReported = output !== null && meter.knowsOutput && !exceeded;
  return {
    input_tokens: isInputReported ? input : usage.inputTokens,
    output_tokens: isOutputReported ? output : usage.outputTokens,
  };
}

/** The tokens of all rounds: the last one has reported only its own. */
function tokensOf(usage: TokenUsage): WireUsage {
  const { cacheWrite5mTokens: short, cacheWrite1hTokens: long, reasoningTokens: reasoning } = usage;
  const isWritten = short !== undefined || long !== undefined;
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadTokens ?? 0,
    cache_creation_input_tokens: (short ?? 0) + (long ?? 0),
    ...(isWritten
      ? { cache_creation: { ephemeral_5m_input_tokens: short ?? 0, ephemeral_1h_input_tokens: long ?? 0 } }
      : {}),
    ...(reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}
