import { errorEnvelope, toGatewayError } from '../../platform/errors.ts';
import { PING, sseEvent } from '../../http/sse.ts';
import type { AnswerEvent } from '../../messages/types.ts';

/** Clients give up on a silent stream, some after 20 seconds; any byte counts, also before the first event. */
export const PING_AFTER_MS = 10_000;

/**
 * The bytes of a streamed answer: one write per batch of events, pings in between. An error is an event, and ends the
 * stream; it never looks like a complete answer.
 */
export async function* streamBody(
  events: AsyncGenerator<AnswerEvent[], void>,
  { requestId, pingFirst }: { requestId: string; pingFirst: boolean },
): AsyncGenerator<string | Uint8Array> {
  const silence = new Silence(PING_AFTER_MS);
  try {
    // The client has already waited for the head of the answer.
    if (pingFirst) yield PING;
    for (;;) {
      const next = events.next();
      let winner = await silence.orFirst(next);
      while (winner === undefined) {
        yield PING;
        winner = await silence.orFirst(next);
      }
      if (winner.done) return;
      yield serialise(winner.value);
    }
  } catch (error) {
    yield sseEvent(errorEnvelope(toGatewayError(error), requestId));
  } finally {
    silence.stop();
    await events.return();
  }
}

/** One timer for the whole stream: a new one for every event would cost more than the event. */
class Silence {
  readonly #timer: NodeJS.Timeout;
  #onElapsed: (() => void) | undefined;

  constructor(afterMs: number) {
    this.#timer = setTimeout(() => this.#onElapsed?.(), afterMs);
  }

  /** The result, or undefined when it did not arrive within the time of silence. */
  orFirst<Result>(next: Promise<Result>): Promise<Result | undefined> {
    this.#timer.refresh();
    return new Promise((resolve, reject) => {
      this.#onElapsed = () => resolve(undefined);
      next.then(resolve, reject);
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

function serialise(batch: AnswerEvent[]): string | Uint8Array {
  const [only] = batch;
  if (batch.length === 1 && only!.raw) return only!.raw;
  if (batch.every((event) => event.raw === undefined)) return batch.map(({ data }) => sseEvent(data)).join('');
  return Buffer.concat(batch.map(({ data, raw }) => raw ?? Buffer.from(sseEvent(data))));
}
