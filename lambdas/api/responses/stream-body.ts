import { ResponseWriter } from '../../client-apis/responses/stream-events.ts';
import type { OutputSettings } from '../../client-apis/responses/output-items.ts';
import { toGatewayError } from '../../platform/errors.ts';
import type { StreamStart } from '../parts/answer-message.ts';
import type { AnswerWriter } from '../parts/answer-writer.ts';

/** Returns the writer of a stream. An error event and a terminal event end a failed stream. */
export function responseEventWriter(start: StreamStart, settings: OutputSettings): AnswerWriter {
  const writer = new ResponseWriter(start, settings);
  return {
    write(batch) {
      let events = '';
      for (const { data } of batch) events += writer.write(data);
      return events;
    },
    fail: (error) => writer.fail(toGatewayError(error)),
  };
}
