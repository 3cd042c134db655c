import { ChunkWriter, type ChunkSettings } from '../../client-apis/chat/chunks.ts';
import { KEEP_ALIVE } from '../../platform/sse.ts';
import type { AnswerEvent } from '../../messages/types.ts';
import { errorEnvelope, toGatewayError } from '../../platform/errors.ts';
import type { StreamStart } from '../parts/answer-message.ts';

/**
 * Yields the chunks of a streamed chat completion: one write per batch of events. An error becomes a chunk with the
 * finish reason `error`, and ends the stream.
 */
export async function* chunkBody(
  events: AsyncIterable<AnswerEvent[]>,
  { requestId, isSilent, ...identity }: StreamStart,
  settings: ChunkSettings,
): AsyncGenerator<string> {
  const writer = new ChunkWriter(identity, settings);
  try {
    if (isSilent) yield KEEP_ALIVE;
    for await (const batch of events) {
      let chunks = '';
      for (const { data } of batch) chunks += writer.write(data);
      if (chunks !== '') yield chunks;
    }
  } catch (error) {
    yield writer.fail(errorEnvelope(toGatewayError(error), requestId));
  }
}
