import { errorEnvelope, toGatewayError } from '../../http/errors.ts';
import { PING, sseEvent } from '../../http/sse.ts';
import type { AnswerEvent } from '../../messages/types.ts';

/** Clients give up on a silent stream, some after 20 seconds; any byte counts, also before the first event. */
export const PING_AFTER_MS = 10_000;

/**
 * The bytes of a streamed answer: one write per batch of events, pings in between. An error is told in-band and ends
 * the stream; it never looks like an answer that is complete.
 */
export async function* streamBody(
  events: AsyncGenerator<AnswerEvent[], void>,
  requestId: string,
): AsyncGenerator<string | Uint8Array> {
  try {
    for await (const batch of withPings(events)) yield batch === 'ping' ? PING : serialise(batch);
  } catch (error) {
    yield sseEvent(errorEnvelope(toGatewayError(error), requestId));
  }
}

async function* withPings(events: AsyncGenerator<AnswerEvent[], void>): AsyncGenerator<AnswerEvent[] | 'ping', void> {
  try {
    for (;;) {
      const next = events.next();
      for (;;) {
        const winner = await firstOf(next);
        if (winner === 'ping') {
          yield 'ping';
          continue;
        }
        if (winner.done) return;
        yield winner.value;
        break;
      }
    }
  } finally {
    await events.return();
  }
}

async function firstOf<Result>(next: Promise<Result>): Promise<Result | 'ping'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'ping'>((resolve) => {
    timer = setTimeout(resolve, PING_AFTER_MS, 'ping');
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function serialise(batch: AnswerEvent[]): string | Uint8Array {
  const [only] = batch;
  if (batch.length === 1 && only!.raw) return only!.raw;
  if (batch.every((event) => event.raw === undefined)) return batch.map(({ data }) => sseEvent(data)).join('');
  return Buffer.concat(batch.map(({ data, raw }) => raw ?? Buffer.from(sseEvent(data))));
}
