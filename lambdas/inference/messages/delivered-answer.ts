import { MessageAssembler } from '../../messages/assemble.ts';
import type { AnswerEvent, MessageBody } from '../../messages/types.ts';
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

/**
 * Collects the events of an answer into one message.
 * @returns the complete message or its failure; and `settled`, which resolves after settlement and never rejects
 */
export function deliveredMessage(context: AnswerContext): { message: Promise<MessageBody>; settled: Promise<void> } {
  const { promise: message, resolve, reject } = Promise.withResolvers<MessageBody>();
  const assembler = new MessageAssembler();
  const collect = (events: AnswerEvent[]) => {
    for (const { data } of events) assembler.add(data);
    // Resolves at once. The settlement follows `message_stop`, and the client need not wait for it.
    if (events.at(-1)?.data.type === 'message_stop') resolve(assembler.finish()!);
    return true;
  };
  return { message, settled: deliverAnswer(context, collect).then(() => resolve(assembler.finish()!), reject) };
}
