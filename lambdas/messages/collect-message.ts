import type { Sink } from '../platform/concurrency/sink.ts';
import { MessageAssembler } from './assemble.ts';
import type { AnswerEvent, MessageBody } from './types.ts';

/**
 * Collects the events of an answer into a complete message.
 * @param send sends the events, and settles the answer
 * @returns the complete message or its failure; and `settled`, which resolves after settlement and never rejects
 */
export function collectMessage(send: (sink: Sink<AnswerEvent[]>) => Promise<void>): {
  message: Promise<MessageBody>;
  settled: Promise<void>;
} {
  const { promise: message, resolve, reject } = Promise.withResolvers<MessageBody>();
  const assembler = new MessageAssembler();
  const collect = (events: AnswerEvent[]) => {
    for (const { data } of events) assembler.add(data);
    // The client need not wait for the settlement, which follows `message_stop`.
    if (events.at(-1)?.data.type === 'message_stop') resolve(assembler.finish()!);
    return true;
  };
  return { message, settled: send(collect).then(() => resolve(assembler.finish()!), reject) };
}
