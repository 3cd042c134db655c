import type { Charged } from '../../accounting/charge.ts';
import type { WireUsage } from '../../messages/types.ts';
import type { GatewayError } from '../../platform/errors.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import type { Sink } from '../../platform/concurrency/sink.ts';
import type { StreamedAnswer, StreamPart } from '../../providers/batch-engine.ts';
import { failureOf, logBrokenAnswer } from '../../providers/failures.ts';
import { failedProvider } from '../../routing/connection.ts';
import type { UsableEndpoint } from '../../routing/usable-endpoints.ts';
import type { Ending } from '../../store/generations/outcome.ts';
import { abortBecause } from '../abort.ts';
import type { InferenceInput } from '../inference-input.ts';
import { abortedEnding } from './outcome.ts';
import { chargedFor, type BatchRound } from './rounds.ts';
import {
  answeringCandidate,
  beginBatch,
  chargedWithinLimits,
  clientFailure,
  endOfWhole,
  reportBatch,
  settleRun,
  type BatchRun,
  type BatchTerms,
} from './run-batch.ts';

export interface ClientStream<Event> {
  contentType: string;
  /** Returns the bytes for an event; undefined if the client does not get the event. */
  chunk: (event: Event) => string | Uint8Array | undefined;
  /** Returns the bytes after the last event, if the format has any. */
  last?: (charged: Charged) => string;
  /** Returns the bytes that report a failure. Without this function, a failure closes the connection. */
  failure?: (error: GatewayError) => string;
  /** Comment that keeps a silent connection open; undefined if the format has no comments. */
  comment?: string;
}

export interface ForwardedAnswer {
  candidate: UsableEndpoint;
  leftOut: readonly string[];
  abort: AbortController;
  /** @param onBreak called with the failure if the answer ends with an error */
  send: (sink: Sink<string | Uint8Array>, onBreak: (failure: GatewayError) => void) => Promise<void>;
}

/**
 * Begins an answer that is forwarded while the provider sends it.
 *
 * Guarantee: a placed hold is settled exactly once: here if no answer begins, or else at the end of `send`.
 * @throws {GatewayError} if the request is not admitted, or no answer begins
 */
export async function forwardAnswer<Task, Event>(
  input: InferenceInput<unknown>,
  terms: BatchTerms<Task, StreamedAnswer<Event>>,
  form: ClientStream<Event>,
): Promise<ForwardedAnswer> {
  const abort = new AbortController();
  try {
    const run = await beginBatch(abort, input, terms, { streamed: true });
    const { result, rounds } = run.answered;
    if ('failure' in result) {
      const charged = await settleRun(run, rounds, endOfWhole(run));
      throw clientFailure(result.failure, run, !charged.cost.isZero);
    }
    const { answer } = result;
    const stream = new ForwardedStream(run, answer);
    const candidate = answeringCandidate(run);
    return {
      candidate,
      leftOut: terms.leftOut(candidate.target),
      abort,
      send: (sink, onBreak) => sendParts(stream, form, sink, onBreak),
    };
  } catch (error) {
    // Stops the abort timer.
    abortBecause(abort, 'ended');
    throw error;
  }
}

async function sendParts<Event>(
  stream: ForwardedStream<Event>,
  form: ClientStream<Event>,
  sink: Sink<string | Uint8Array>,
  onBreak: (failure: GatewayError) => void,
): Promise<void> {
  try {
    for await (const part of stream.parts) {
      stream.measure(part);
      const chunk = part.event === undefined ? undefined : form.chunk(part.event);
      if (chunk !== undefined && !(await sink(chunk))) return;
    }
    const charged = await stream.complete();
    if (form.last) await sink(form.last(charged));
  } catch (error) {
    const failure = stream.fail(error);
    onBreak(failure);
    if (!form.failure || stream.ending === 'client_left') throw failure;
    await sink(form.failure(failure));
  } finally {
    await stream.settle();
  }
}

class ForwardedStream<Event> {
  ending: Ending | undefined;
  readonly #run: BatchRun<unknown, unknown>;
  readonly #answer: StreamedAnswer<Event>;
  readonly #beganAtMs = performance.now();
  #usage: WireUsage | undefined;
  #estimatedTokens = 0;
  #charged: Charged | undefined;

  constructor(run: BatchRun<unknown, unknown>, answer: StreamedAnswer<Event>) {
    this.#run = run;
    this.#answer = answer;
  }

  get parts(): PullIterator<StreamPart<Event>> {
    return this.#answer.parts;
  }

  /** Records the usage of a part. Call this method before the part is sent to the client. */
  measure({ usage, estimatedTokens = 0 }: StreamPart<Event>): void {
    this.#run.log.received();
    this.#usage = usage ?? this.#usage;
    this.#estimatedTokens += estimatedTokens;
  }

  /** Returns the charge of a complete answer, which settlement also uses. */
  async complete(): Promise<Charged> {
    this.ending = 'complete';
    this.#charged = await chargedWithinLimits(this.#run, this.#rounds());
    return this.#charged;
  }

  fail(error: unknown): GatewayError {
    const { abort, log, input } = this.#run;
    const candidate = answeringCandidate(this.#run);
    const failure = failureOf(error, failedProvider(candidate));
    this.ending = abortedEnding(abort.signal) ?? 'broke_off';
    if (this.ending === 'broke_off') {
      log.brokeOff(failure);
      const { id: requestId } = input.request;
      const { model, endpoint } = candidate;
      const about = { requestId, generationId: input.generationId, model: model.id, provider: endpoint.provider.id };
      logBrokenAnswer(failure, about);
    }
    return clientFailure(failure, this.#run, this.#isCharged);
  }

  /** Settles the answer. Call this method once, as the last step. */
  async settle(): Promise<void> {
    // If no ending is set, the client has disconnected, and the sink has stopped the answer early.
    const ending = (this.ending ??= 'client_left');
    abortBecause(this.#run.abort, ending === 'client_left' ? ending : 'ended');
    const rounds = this.#isCharged ? this.#rounds() : [];
    const charged = this.#charged ?? (await chargedWithinLimits(this.#run, rounds));
    const { receivedAtMs } = this.#run.input.request;
    await reportBatch(
      this.#run,
      { rounds, charged },
      {
        ending,
        hasOutput: this.#isCharged,
        latencyMs: Math.round(this.#beganAtMs - receivedAtMs),
        generationTimeMs: Math.round(performance.now() - this.#beganAtMs),
      },
    );
  }

  /**
   * Whether the answer is charged. An incomplete answer is free if the provider bills only complete answers. The
   * exception is a client that disconnects after the first content: the provider then finishes and bills the answer.
   */
  get #isCharged(): boolean {
    return !this.#run.terms.isBilledWhole || this.ending === 'complete' || this.ending === 'client_left';
  }

  #rounds(): BatchRound[] {
    const { batchRequest } = this.#answer;
    const { rounds } = this.#run.answered;
    if (!batchRequest) return rounds;
    const candidate = answeringCandidate(this.#run);
    return [...rounds, chargedFor(batchRequest, this.#usage, candidate, this.#estimatedTokens)];
  }
}
