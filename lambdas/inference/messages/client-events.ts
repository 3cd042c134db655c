/** The events of an answer as the client gets them: up to an error or a limit, with our names and the price. */

import type { Charged } from '../../accounting/charge.ts';
import { eventBytes } from '../../accounting/event-bytes.ts';
import { openingUsage, usageForClient } from '../../accounting/usage-for-client.ts';
import type { AnswerEvent, MessageDelta, MessagesEvent } from '../../messages/types.ts';
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
export function splitAtError(
  events: AnswerEvent[],
  candidate: Candidate,
): { events: AnswerEvent[]; failure?: GatewayError } {
  const at = events.findIndex(({ data }) => data.type === 'error');
  if (at === -1) return { events };
  const { error } = events[at]!.data as { error?: unknown };
  return { events: events.slice(0, at), failure: errorInAnswer(error, {}, failedProvider(candidate)) };
}

/**
 * The events up to the first that writes beyond the limit, after what was written before them. An answer has its `message_start` also if
 * what its decoder holds back is beyond the limit by then.
 */
export function cutAtLimit(events: AnswerEvent[], writtenBytes: number, limitBytes: number): AnswerEvent[] {
  let written = writtenBytes;
  const end = events.findIndex(({ data }) => {
    if (data.type === 'message_start') return false;
    written += eventBytes(data);
    return written > limitBytes || data.type === 'message_delta' || data.type === 'message_stop';
  });
  return end === -1 ? events : events.slice(0, end);
}

/** The first event of an answer, with the generation's id and the catalog's model; any other event as it is. */
export function withGatewayIdentity(event: AnswerEvent, { context, attempt }: MeasuredAnswer): AnswerEvent {
  const { data } = event;
  if (data.type !== 'message_start') return event;
  const usage = openingUsage(data.message.usage, context.estimatedInputTokens);
  const message = { ...data.message, id: context.generationId, model: attempt.candidate.model.id, usage };
  return { data: { ...data, message } };
}

/**
 * The ending with its price.
 *
 * Guarantee: told is billed. The tokens are those of the charge, whatever the event itself reports, so that tokens times
 * prices is the cost, unless the limits had no room for it (`capped` on the record).
 */
export function priced(event: MessageDelta, { usage, cost }: Charged, answer: MeasuredAnswer): MessageDelta {
  const { context, meter } = answer;
  const told = usageForClient(event.usage, usage, meter.tellsCacheLifetimes);
  return { ...event, usage: { ...told, ...context.stage.shownUsage(usage), cost } };
}
