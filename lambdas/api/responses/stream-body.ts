import { ResponseWriter } from '../../client-apis/responses/stream-events.ts';
import type { OutputSettings } from '../../client-apis/responses/output-items.ts';
import type { AnswerEvent } from '../../messages/types.ts';
import { toGatewayError } from '../../platform/errors.ts';
import { KEEP_ALIVE } from '../../platform/sse.ts';
import type { StreamStart } from '../parts/answer-message.ts';

/**
 * Yields the events of a streamed response: one write per batch. A failed stream ends with an error event and a
 * terminal event.
 */
export async function* responseEventBody(
  events: AsyncIterable<AnswerEvent[]>,
  { isSilent, ...identity }: StreamStart,
  settings: OutputSettings,
): AsyncGenerator<string> {
  const writer = new ResponseWriter(identity, settings);
  try {
    if (isSilent) yield KEEP_ALIVE;
    for await (const batch of events) {
      let written = '';
      for (const { data } of batch) written += writer.write(data);
      if (written !== '') yield written;
    }
  } catch (error) {
    yield writer.fail(toGatewayError(error));
  }
}
