import { errorEnvelope, toGatewayError } from '../../platform/errors.ts';
import { PING, sseEvent } from '../../platform/sse.ts';
import { withoutMark } from '../../messages/refusal-block.ts';
import type { AnswerEvent, MessagesEvent } from '../../messages/types.ts';
import type { StreamStart } from '../parts/answer-message.ts';

/**
 * Yields the bytes of a streamed answer: one write per batch of events. An error is an event that ends the stream. So a
 * failed answer never looks complete.
 */
export async function* streamBody(
  events: AsyncIterable<AnswerEvent[]>,
  { requestId, isSilent }: Pick<StreamStart, 'requestId' | 'isSilent'>,
): AsyncGenerator<string | Uint8Array> {
  try {
    if (isSilent) yield PING;
    for await (const batch of events) yield serialise(batch);
  } catch (error) {
    yield sseEvent(errorEnvelope(toGatewayError(error), requestId));
  }
}

function serialise(batch: AnswerEvent[]): string | Uint8Array {
  const [only] = batch;
  if (batch.length === 1 && only!.raw) return only!.raw;
  if (batch.every((event) => event.raw === undefined))
    return batch.map(({ data }) => sseEvent(bareEvent(data))).join('');
  return Buffer.concat(batch.map(({ data, raw }) => raw ?? Buffer.from(sseEvent(bareEvent(data)))));
}

function bareEvent(data: MessagesEvent): MessagesEvent {
  return data.type === 'content_block_start' ? { ...data, content_block: withoutMark(data.content_block) } : data;
}
