import { MessageAssembler } from '../../messages/assemble.ts';
import type { AnswerEvent, MessageBody } from '../../messages/types.ts';
import { restoredAnswer } from '../../protection/restored-answer.ts';
import { answerEvents } from './answer.ts';
import type { AnswerContext } from './answer-context.ts';

/** Returns the events of an answer. Placeholders of protected text are replaced with the client's own text. */
export function deliveredEvents(context: AnswerContext): AsyncGenerator<AnswerEvent[], void> {
  const events = answerEvents(context);
  return context.originals ? restoredAnswer(events, context.originals) : events;
}

/**
 * Collects the events of an answer into one message.
 * @returns the complete message or its failure; and `settled`, which resolves after settlement and never rejects
 */
export function deliveredMessage(context: AnswerContext): { message: Promise<MessageBody>; settled: Promise<void> } {
  const { promise: message, resolve, reject } = Promise.withResolvers<MessageBody>();
  const collect = async () => {
    const assembler = new MessageAssembler();
    for await (const events of deliveredEvents(context)) {
      for (const { data } of events) assembler.add(data);
      // Resolves at once. The settlement follows `message_stop`, and the client need not wait for it.
      if (events.at(-1)?.data.type === 'message_stop') resolve(assembler.finish()!);
    }
    resolve(assembler.finish()!);
  };
  return { message, settled: collect().catch(reject) };
}
