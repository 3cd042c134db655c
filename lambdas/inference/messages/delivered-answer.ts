import { collectMessage } from '../../messages/collect-message.ts';
import type { AnswerEvent } from '../../messages/types.ts';
import type { Sink } from '../../platform/concurrency/sink.ts';
import { withOriginals } from '../../protection/restored-answer.ts';
import { sendAnswer } from './answer.ts';
import type { AnswerContext } from './answer-context.ts';

/**
 * Sends the events of an answer to a sink, as `sendAnswer` does. Placeholders of protected text are replaced with the
 * client's own text.
 */
export function deliverAnswer(context: AnswerContext, sink: Sink<AnswerEvent[]>): Promise<void> {
  const send = (to: Sink<AnswerEvent[]>) => sendAnswer(context, to);
  return context.originals ? withOriginals(context.originals, send, sink) : send(sink);
}

/** Collects the events of an answer into one message, as `collectMessage` does. */
export function deliveredMessage(context: AnswerContext) {
  return collectMessage((sink) => deliverAnswer(context, sink));
}
