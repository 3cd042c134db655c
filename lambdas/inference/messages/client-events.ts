import type { Charged } from '../../accounting/charge.ts';
import { eventBytes } from '../../accounting/event-bytes.ts';
import { openingUsage, usageForClient } from '../../accounting/usage-for-client.ts';
import { PROVIDER, type AnswerEvent, type MessageDelta, type MessagesEvent } from '../../messages/types.ts';
import type { GatewayError } from '../../platform/errors.ts';
import { errorInAnswer } from '../../providers/failures.ts';
import type { Candidate } from '../../routing/candidates.ts';
import { failedProvider } from '../../routing/connection.ts';
import type { MeasuredAnswer } from './answer-context.ts';

/** Whether the event contains the stop reason. The gateway adds the price to this event. */
export function isEnding(data: MessagesEvent): data is MessageDelta {
  return data.type === 'message_delta' && typeof data.delta.stop_reason === 'string';
}

/** Whether the event only reports usage in the middle of an answer, which may differ from the billed usage. */
export function isUsageReport(data: MessagesEvent): boolean {
  return data.type === 'message_delta' && !isEnding(data);
}

/** Splits events at the first error event of the provider, and drops the events after it. */
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
 * Returns the events before the first event that exceeds the limit or ends the answer. `message_start` is always kept.
 * @param writtenBytes size in bytes of the answer before these events
 */
export function cutAtLimit(events: AnswerEvent[], writtenBytes: number, limitBytes: number): AnswerEvent[] {
  let written = writtenBytes;
  const end = events.findIndex(({ data }) => {
    if (data.type === 'message_start') return false;
    written += eventBytes(data);
    return written > limitBytes || isEnding(data) || data.type === 'message_stop';
  });
  return end === -1 ? events : events.slice(0, end);
}

/** Puts the generation's id, the catalog's model id and the provider's name into `message_start`. */
export function withGatewayIdentity(event: AnswerEvent, { context, attempt }: MeasuredAnswer): AnswerEvent {
  const { data } = event;
  if (data.type !== 'message_start') return event;
  const usage = openingUsage(data.message.usage, context.estimatedInputTokens);
  const { model, endpoint } = attempt.candidate;
  const message = {
    ...data.message,
    id: context.generationId,
    model: model.id,
    usage,
    [PROVIDER]: endpoint.provider.name,
  };
  return { data: { ...data, message } };
}

/**
 * Adds the price to the last `message_delta` of an answer.
 *
 * Guarantee: the usage reported to the client equals the billed usage. Units times prices, plus any fees, equal the
 * cost, unless the limits had no room for it (`capped` in the record).
 */
export function priced(event: MessageDelta, { usage, cost }: Charged, answer: MeasuredAnswer): MessageDelta {
  const { context, meter } = answer;
  const reported = usageForClient(event.usage, usage, meter.reportsCacheLifetimes);
  return { ...event, usage: { ...reported, ...context.stage.shownUsage(usage), cost } };
}
