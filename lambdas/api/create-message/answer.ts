import { Checkpointer } from '../../accounting/checkpointer.ts';
import { UsageMeter } from '../../accounting/meter.ts';
import { priceUsage } from '../../accounting/price.ts';
import { reportSettlement } from '../../accounting/report.ts';
import { promptTokens } from '../../accounting/usage.ts';
import type { HoldKeeper } from '../../admission/hold-keeper.ts';
import { errorEnvelope, GatewayError, toGatewayError } from '../../platform/errors.ts';
import type { AnswerEvent, MessageDelta, MessagesEvent } from '../../messages/types.ts';
import { Money } from '../../money/money.ts';
import type { QueueSender } from '../../platform/queue.ts';
import { brokenAnswer, unreachable } from '../../providers/failures.ts';
import { UpstreamError } from '../../providers/upstream-http.ts';
import type { Candidate } from '../../routing/candidates.ts';
import type { Dispatched } from '../../routing/dispatch.ts';
import type { Outcome, Payer } from '../../store/generations.ts';
import type { Table } from '../../store/table.ts';

/** One answer, from dispatch to settlement. */
export interface AnswerContext {
  generationId: string;
  payer: Payer;
  table: Table;
  queue: QueueSender;
  keeper: HoldKeeper;
  dispatched: Promise<Dispatched>;
  /** Named on the record when no candidate answers. */
  firstCandidate: Candidate;
  estimatedInputTokens: number;
  /** performance.now() at which the request came in. */
  receivedAtMs: number;
  requestId: string;
  /** Ends the upstream's work; its reason tells why. */
  abort: AbortController;
}

/** Why an answer was aborted from our side. */
export const CLIENT_LEFT = 'client left';
export const ANSWER_ENDED = 'answer ended';
export const OUT_OF_MONEY = 'out of money';
export const OUT_OF_TIME = 'out of time';

/**
 * The events of an answer as the client gets them: named by the generation's id and the catalog's model, priced, and
 * ended early when the money ends.
 *
 * Guarantee: however it ends (complete, broken, refused, abandoned), the generation is reported to settlement exactly
 * once, after the last event was taken.
 * @throws {GatewayError} when no answer began, or when it broke off.
 */
export async function* answerEvents(context: AnswerContext): AsyncGenerator<AnswerEvent[], void> {
  const progress = new Progress(context);
  try {
    const { candidate, events } = await context.dispatched;
    progress.begin(candidate);
    for await (const batch of events) {
      const refusal = await progress.observe(batch);
      yield batch.map((event) => progress.rewrite(event));
      if (refusal) {
        // Not one token more: leaving the loop alone would let the provider finish what it has begun.
        context.abort.abort(OUT_OF_MONEY);
        yield progress.endForMoney(refusal);
        return;
      }
    }
    progress.ended = true;
  } catch (error) {
    throw progress.failure(error);
  } finally {
    context.abort.abort(progress.ended ? ANSWER_ENDED : CLIENT_LEFT);
    await progress.settle();
  }
}

class Progress {
  /** The answer came to an end of its own, or of ours; false while it may still be abandoned. */
  ended = false;
  readonly #context: AnswerContext;
  readonly #checkpointer: Checkpointer;
  #candidate: Candidate;
  #meter: UsageMeter;
  #answering = false;
  #failed = false;
  #promptCounted = false;
  #openBlock: number | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#candidate = context.firstCandidate;
    this.#checkpointer = new Checkpointer(context.table, {
      accountId: context.payer.accountId,
      id: context.generationId,
    });
    this.#meter = this.#newMeter();
  }

  begin(candidate: Candidate): void {
    this.#candidate = candidate;
    this.#answering = true;
    this.#meter = this.#newMeter();
    this.#context.keeper.answeredBy(candidate.pricing);
  }

  /** Measures a batch before it goes out. @returns why the answer has to end after it, or undefined. */
  observe(batch: AnswerEvent[]): Error | undefined | Promise<Error | undefined> {
    for (const { data } of batch) {
      this.#meter.observe(data);
      if (data.type === 'content_block_start') this.#openBlock = data.index;
      else if (data.type === 'content_block_stop') this.#openBlock = undefined;
      else if (data.type === 'error') this.#failed = this.ended = true;
      // A client may close as soon as it has this event: the answer is complete all the same.
      else if (data.type === 'message_stop') this.ended = true;
    }
    if (!this.#promptCounted && this.#meter.knowsPrompt) {
      this.#promptCounted = true;
      this.#context.keeper.promptCounted(this.#meter.usage().usage);
    }
    if (this.#meter.complete || this.ended) return undefined;
    this.#checkpointer.tick(() => this.#outcome({ cancelled: true }));
    return this.#context.keeper.cover(this.#meter.outputBytes);
  }

  rewrite(event: AnswerEvent): AnswerEvent {
    const { data } = event;
    if (data.type === 'message_start') {
      return {
        data: {
          ...data,
          message: { ...data.message, id: this.#context.generationId, model: this.#candidate.model.id },
        },
      };
    }
    if (data.type === 'error') {
      const failure = brokenAnswer(data.error.type, data.error.message, this.#candidate.endpoint.provider.name);
      return { data: errorEnvelope(failure, this.#context.requestId) };
    }
    return data.type === 'message_delta' ? { data: this.#priced(data) } : event;
  }

  /** Closes what is open and says why, as a model does that reached max_tokens. */
  endForMoney(refusal: Error): AnswerEvent[] {
    this.ended = true;
    this.#meter.finishReason = 'max_tokens';
    const events: MessagesEvent[] = [];
    if (this.#openBlock !== undefined) events.push({ type: 'content_block_stop', index: this.#openBlock });
    const { errorType, message, metadata } = toGatewayError(refusal);
    events.push(
      this.#priced({
        type: 'message_delta',
        delta: { stop_reason: 'max_tokens', stop_sequence: null },
        usage: {},
        metadata: { error_type: errorType, message, ...metadata },
      }),
      { type: 'message_stop' },
    );
    return events.map((data) => ({ data }));
  }

  /** The error as the client is told it. */
  failure(error: unknown): GatewayError {
    this.#failed = true;
    this.ended = true;
    const { reason } = this.#context.abort.signal;
    if (reason === OUT_OF_TIME) {
      return new GatewayError(
        504,
        'timeout',
        'The answer took longer than the gateway may run. Ask for a shorter one.',
      );
    }
    if (reason === CLIENT_LEFT) this.ended = false;
    if (!(error instanceof UpstreamError)) return toGatewayError(error);
    return unreachable(error, this.#candidate.endpoint.provider.name);
  }

  async settle(): Promise<void> {
    const { generationId, payer, table, queue, keeper } = this.#context;
    const { hold } = await keeper.settled();
    await this.#checkpointer.settled();
    const { reason } = this.#context.abort.signal;
    const broke = this.#failed && this.#meter.hasOutput;
    const outcome = this.#outcome({ cancelled: !this.ended || broke || reason === OUT_OF_TIME });
    await reportSettlement(table, queue, { generationId, payer, hold, outcome });
  }

  #newMeter(): UsageMeter {
    return new UsageMeter({
      estimatedInputTokens: this.#context.estimatedInputTokens,
      promptCountedAtStart: this.#candidate.wire.countsPromptAtStart,
    });
  }

  #priced(event: MessageDelta): MessageDelta {
    const { usage } = this.#meter.usage();
    return {
      ...event,
      usage: {
        ...event.usage,
        ...(event.usage?.input_tokens == null ? { input_tokens: usage.inputTokens } : {}),
        ...(event.usage?.output_tokens == null ? { output_tokens: usage.outputTokens } : {}),
        cost: priceUsage(usage, this.#candidate.pricing).total,
      },
    };
  }

  /** What the answer has come to by now. */
  #outcome({ cancelled }: { cancelled: boolean }): Outcome {
    const { usage, estimated } = this.#meter.usage();
    const { model, endpoint, pricing } = this.#candidate;
    const free = this.#isFree(cancelled);
    const cost = priceUsage(usage, pricing);
    const { receivedAtMs } = this.#context;
    const { firstEventAtMs } = this.#meter;
    return {
      cost: free ? Money.zero : cost.total,
      cacheDiscount: free ? Money.zero : cost.cacheDiscount,
      estimated: !free && estimated,
      cancelled,
      finishReason: this.#meter.finishReason ?? (this.#failed && this.ended ? 'error' : null),
      model: model.id,
      modelPermaslug: model.data.permaslug,
      endpointId: endpoint.id,
      providerName: endpoint.provider.name,
      promptTokens: free ? 0 : promptTokens(usage),
      completionTokens: free ? 0 : usage.outputTokens,
      reasoningTokens: usage.reasoningTokens ?? null,
      cachedTokens: usage.cacheReadTokens ?? null,
      searchResults: this.#meter.searchResults,
      latencyMs: firstEventAtMs === undefined ? null : Math.round(firstEventAtMs - receivedAtMs),
      generationTimeMs: firstEventAtMs === undefined ? null : Math.round(performance.now() - firstEventAtMs),
    };
  }

  /** A failure of the provider without output costs nothing; nor does leaving before the provider had begun. */
  #isFree(cancelled: boolean): boolean {
    if (!this.#answering) return true;
    return this.#failed && !cancelled && !this.#meter.hasOutput && !this.#meter.complete;
  }
}
