import { ChunkWriter, type ChunkSettings } from '../../client-apis/chat/chunks.ts';
import { errorEnvelope, toGatewayError } from '../../platform/errors.ts';
import type { StreamStart } from '../parts/answer-message.ts';
import type { AnswerWriter } from '../parts/answer-writer.ts';

/**
 * Writes a streamed chat completion. An error is sent as a chunk with the finish reason `error`, which ends the stream.
 */
export function chunkWriter({ requestId, ...identity }: StreamStart, settings: ChunkSettings): AnswerWriter {
  const writer = new ChunkWriter(identity, settings);
  return {
    write(batch) {
      let chunks = '';
      for (const { data } of batch) chunks += writer.write(data);
      return chunks;
    },
    fail: (error) => writer.fail(errorEnvelope(toGatewayError(error), requestId)),
  };
}
