import { errorEnvelope, toGatewayError } from '../../platform/errors.ts';
import { sseEvent, withWholeLines } from '../../platform/sse.ts';
import { withoutMark } from '../../messages/refusal-block.ts';
import type { AnswerEvent, MessagesEvent } from '../../messages/types.ts';
import type { StreamStart } from '../parts/answer-message.ts';
import type { AnswerWriter } from '../parts/answer-writer.ts';

/** Returns the writer of a stream. An error becomes its last event, so a failed answer never looks complete. */
export function eventWriter({ requestId }: Pick<StreamStart, 'requestId'>): AnswerWriter {
  return { write: serialise, fail: (error) => sseEvent(errorEnvelope(toGatewayError(error), requestId)) };
}

function serialise(batch: AnswerEvent[]): string | Uint8Array {
  const [only] = batch;
  if (batch.length === 1 && only!.raw) return only!.raw;
  if (batch.every((event) => event.raw === undefined))
    return batch.map(({ data }) => sseEvent(bareEvent(data))).join('');
  return Buffer.concat(batch.map(({ data, raw }) => raw ?? Buffer.from(withWholeLines(sseEvent(bareEvent(data))))));
}

function bareEvent(data: MessagesEvent): MessagesEvent {
  return data.type === 'content_block_start' ? { ...data, content_block: withoutMark(data.content_block) } : data;
}
