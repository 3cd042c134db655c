import { collectMessage } from '../../messages/collect-message.ts';
import type { AnswerEvent } from '../../messages/types.ts';
import type { Sink } from '../../platform/concurrency/sink.ts';
import { withOriginals } from '../../protection/restored-answer.ts';
import { sendAnswer } from './answer.ts';
import type { AnswerContext } from './answer-context.ts';

/** Sends an answer with the client's own text in place of the placeholders of protected text. */
export function deliverAnswer(context: AnswerContext, sink: Sink<AnswerEvent[]>): Promise<void> {
  const send = (to: Sink<AnswerEvent[]>) => sendAnswer(context, to);
  return context.originals ? withOriginals(context.originals, send, sink) : send(sink);
}

/** Collects the events of an answer into one message. */
export function deliveredMessage(context: AnswerContext) {
  return collectMessage((sink) => deliverAnswer(context, sink));
}
