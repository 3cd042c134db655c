import { ChunkWriter, type ChunkSettings } from '../../client-apis/chat/chunks.ts';
import { errorEnvelope, toGatewayError } from '../../platform/errors.ts';
import type { StreamStart } from '../parts/answer-message.ts';
import type { AnswerWriter } from '../parts/answer-writer.ts';

/** Returns the writer of a stream. After an error, the last chunk has the finish reason `error`. */
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
