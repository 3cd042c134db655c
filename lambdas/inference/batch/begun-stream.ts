import { resumed, type PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import type { DecodeStream, StreamPart } from '../../providers/batch-engine.ts';
import { errorInAnswer, type FailedProvider } from '../../providers/failures.ts';
import { UpstreamError } from '../../providers/http/upstream-error.ts';
import type { UpstreamResponse } from '../../providers/http/upstream-http.ts';

interface StreamRules {
  /** Maximum size of the body in bytes. A larger answer fails as malformed. */
  maxBytes: number;
  provider: FailedProvider;
}

/**
 * Waits for the first content of a streamed answer, and returns its parts. Throws a failure that happens before this
 * content; the returned iterator throws later failures.
 */
export async function begunStream<Event>(
  { headers, body }: UpstreamResponse,
  decode: DecodeStream<Event>,
  { maxBytes, provider }: StreamRules,
): Promise<PullIterator<StreamPart<Event>>> {
  const checked = async function* (): AsyncGenerator<StreamPart<Event>, void> {
    for await (const part of decode({ headers, body: withinBytes(body, maxBytes) })) {
      if (part.error !== undefined) throw errorInAnswer(part.error, headers, provider);
      yield part;
    }
  };
  const parts = checked();
  const opening: StreamPart<Event>[] = [];
  try {
    for (;;) {
      const next = await parts.next();
      if (next.done) throw new UpstreamError('broken', 'The provider ended its answer before the first content');
      opening.push(next.value);
      if (next.value.event !== undefined) return resumed(opening, parts);
    }
  } catch (error) {
    // Closes the stream, which releases its connection.
    await parts.return();
    throw error;
  }
}

async function* withinBytes(body: PullIterator<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new UpstreamError('malformed', 'The provider sent far more than the answer needs');
    yield chunk;
  }
}
