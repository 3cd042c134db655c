import { Checkpointer } from '../../accounting/checkpointer.ts';
import { charged, type Charged } from '../../accounting/charge.ts';
import { chargeFor, type Charge } from '../../accounting/ending.ts';
import { eventBytes, extraBytes } from '../../accounting/event-bytes.ts';
import { UsageMeter } from '../../accounting/meter.ts';
import { reportSettlement } from '../../accounting/report.ts';
import type { HoldRefusal } from '../../admission/hold.ts';
import type { AnswerBatch, AnswerEvent, MessageDelta, MessagesEvent, WireUsage } from '../../messages/types.ts';
import type { GatewayError } from '../../platform/errors.ts';
import { errorInAnswer, failureOf } from '../../providers/failures.ts';
import { failedProvider } from '../../routing/dispatch.ts';
import type { Ending, Outcome } from '../../store/outcome.ts';
import type { AbortReason, AnswerContext, Attempted } from './answer-context.ts';
import { earlyEnding, shortenedEnding, type FailedEnding, type Stop } from './early-end.ts';
import { outcomeOf, raiseAlarms } from './outcome.ts';
import { MAX_ANSWER_BYTES, writableBytes } from './write-bound.ts';

/** How far an answer may go on, and why it ends there. */
interface Limit {
  bytes: number;
  stop: Stop;
}

/** What is left of a batch, and why the answer has to end after it. */
export interface Observed {
  events: AnswerEvent[];
  stop?: Stop | undefined;
}

/** One answer while it passes: measured, kept inside its hold, priced, and settled when it ends. */
export class Progress {
  /** How the answer ended; undefined while it goes on. */
  ending: Ending | undefined;
  readonly #context: AnswerContext;
  readonly #checkpointer: Checkpointer;
  readonly #openBlocks = new Set<number>();
  #attempted: Attempted;
  #meter: UsageMeter;
  #begun = false;
  #promptCounted = false;
  /** The provider has told why it ends: only its last words are to come. */
  #isClosing = false;
  /** Bytes beside what the model wrote: sources and results, which cost nothing and have to be kept all the same. */
  #extraBytes = 0;
  /** The limits had no room for what the answer costs. */
  #isCutByHold = false;
  /** What the last message_delta said the answer costs: settlement says the same. */
  #final: Charged | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#attempted = context.attempts[0]!;
    this.#meter = this.#newMeter();
    this.#checkpointer = new Checkpointer(context.table, {
      accountId: context.payer.accountId,
      id: context.generationId,
    });
  }

  begin(index: number): void {
    this.#attempted = this.#context.attempts[index]!;
    this.#begun = true;
    this.#meter = this.#newMeter();
    this.#context.keeper.answeredBy(this.#attempted.quote);
  }

  get hasOutput(): boolean {
    return this.#meter.hasOutput;
  }

  /** Notes what the answer has come to so far, if it is time to. */
  checkpoint(): void {
    this.#followAttempt();
    // Before the first event there is only what may be thought unseen; the prompt is on the record.
    const isWorthIt = this.#begun || this.#attempted.quote.hiddenTokens > 0;
    if (this.ending === undefined && isWorthIt && this.#context.current.sentAtMs !== undefined) {
      this.#checkpointer.tick(() => this.#outcome(null, this.#measure('usage and hidden')));
    }
  }

  /** While nobody has begun, what is to be said or charged is of the attempt that came last. */
  #followAttempt(): void {
    const { attempts, current } = this.#context;
    if (!this.#begun) this.#attempted = attempts[current.index]!;
  }

  /** Whatever goes wrong in getting the answer is its provider's failure. */
  failProvider(error: unknown): never {
    throw failureOf(error, failedProvider(this.#attempted.candidate));
  }

  /** Measures a batch before it goes out, and takes from it what the hold does not pay for. */
  observe(batch: AnswerBatch): Observed | Promise<Observed> {
    const { events, failure } = this.#untilFailure(batch);
    this.#meter.holdBack(batch.heldBackBytes ?? 0);
    this.#isClosing = batch.isClosing ?? false;
    const [first] = events;
    if (first?.data.type === 'message_start') {
      this.#meter.observe(first.data);
      this.#countPrompt();
    }
    let bytes = 0;
    for (const { data } of events) {
      bytes += eventBytes(data);
      this.#extraBytes += extraBytes(data);
    }
    const limit = this.#limit(bytes);
    return limit instanceof Promise
      ? limit.then((found) => this.#pass(events, batch, failure, found))
      : this.#pass(events, batch, failure, limit);
  }

  #pass(
    events: AnswerEvent[],
    { told }: AnswerBatch,
    failure: GatewayError | undefined,
    limit: Limit | undefined,
  ): Observed | Promise<Observed> {
    const passed = limit ? this.#fitting(events, limit.bytes) : events;
    for (const { data } of passed) {
      if (data.type !== 'message_start') this.#meter.observe(data);
      this.#follow(data);
    }
    // What was told beside the last words counts them as well.
    if (told) this.#meter.addReported(told);
    this.#countPrompt();
    const stop: Stop | undefined = limit?.stop ?? (failure && { ending: 'broke_off', failure });
    const isPriced = passed.some(({ data }) => isEnding(data));
    if (!isPriced) return { events: passed.map((event) => this.#named(event)), stop };
    return this.#rewritten(passed).then((rewritten) => ({ events: rewritten, stop }));
  }

  /** Ends an answer before its own end, as a model does that reached max_tokens: closes what is open and says why. */
  async endEarly(stop: Stop): Promise<AnswerEvent[]> {
    this.ending = stop.ending;
    this.#meter.finishReason = 'max_tokens';
    const events: MessagesEvent[] = [...this.#openBlocks].map((index) => ({ type: 'content_block_stop', index }));
    this.#openBlocks.clear();
    events.push(await this.#priced(earlyEnding(stop, this.#context.generationId)), { type: 'message_stop' });
    return events.map((data) => ({ data }));
  }

  /** How an answer ended that a failure ended. */
  endingBy(error: unknown): FailedEnding {
    this.#followAttempt();
    const { reason } = this.#context.abort.signal as { reason: AbortReason };
    if (reason === 'client_left' || reason === 'out_of_time') return reason;
    const failure = failureOf(error, failedProvider(this.#attempted.candidate));
    // Our patience has ended, not the provider's work.
    if (failure.wasSilent && this.#attempted.quote.hiddenTokens > 0) return 'out_of_time';
    return this.#begun ? 'broke_off' : 'refused_before';
  }

  /** Whether the client will be charged although the answer failed. */
  get isCharged(): boolean {
    return this.#charge(this.ending!) !== 'nothing';
  }

  /** Reports what the answer came to; call it once, after its last event. */
  async settle(): Promise<void> {
    const ending = (this.ending ??= 'client_left');
    const { generationId, payer, table, queue, keeper } = this.#context;
    const outcome = this.#outcome(ending, this.#final ?? (await this.#chargeable(this.#charge(ending))));
    const { hold } = await keeper.settled();
    await this.#checkpointer.settled();
    raiseAlarms(generationId, outcome, {
      attempted: this.#attempted,
      meter: this.#meter,
      isCutByHold: this.#isCutByHold,
    });
    await reportSettlement(table, queue, { generationId, payer, hold, outcome });
  }

  #newMeter(): UsageMeter {
    return new UsageMeter({
      estimatedInputTokens: this.#context.estimatedInputTokens,
      promptCountedAtStart: this.#attempted.candidate.wire.countsPromptAtStart,
    });
  }

  /** What stands before the provider's error, and the error as a failure. */
  #untilFailure({ events }: AnswerBatch): { events: AnswerEvent[]; failure?: GatewayError } {
    const at = events.findIndex(({ data }) => data.type === 'error');
    if (at === -1) return { events };
    const { error } = events[at]!.data as { error?: unknown };
    return {
      events: events.slice(0, at),
      failure: errorInAnswer(error, {}, failedProvider(this.#attempted.candidate)),
    };
  }

  #countPrompt(): void {
    if (this.#promptCounted || !this.#meter.knowsPrompt) return;
    this.#promptCounted = true;
    // What is left at the end goes back with the settlement.
    const giveBack = this.#meter.finishReason === null && !this.#isClosing;
    const { outputBytes: writtenBytes } = this.#meter;
    this.#context.keeper.promptCounted(this.#measure('usage').usage, { writtenBytes, giveBack });
  }

  /** How many bytes of the answer may go out, when what was written is more than it may be; undefined when all may. */
  #limit(bytes: number): Limit | undefined | Promise<Limit | undefined> {
    const written = this.#meter.outputBytes + bytes;
    const writable = writableBytes(this.#attempted.quote.bound.outputTokens);
    const isTooLarge = written + this.#extraBytes > MAX_ANSWER_BYTES;
    if (written > writable || isTooLarge) return { bytes: writable, stop: { ending: 'complete' } };
    const covering = this.#context.keeper.cover(written);
    return covering instanceof Promise ? covering.then((refusal) => this.#limitBy(refusal)) : this.#limitBy(covering);
  }

  #limitBy(refusal: HoldRefusal | undefined): Limit | undefined {
    return refusal && { bytes: this.#context.keeper.coveredBytes, stop: { ending: 'out_of_money', refusal } };
  }

  /** The events up to the first that writes beyond the limit. */
  #fitting(events: AnswerEvent[], limitBytes: number): AnswerEvent[] {
    let written = this.#meter.outputBytes;
    const end = events.findIndex(({ data }) => {
      written += eventBytes(data);
      return written > limitBytes || data.type === 'message_delta' || data.type === 'message_stop';
    });
    return end === -1 ? events : events.slice(0, end);
  }

  #follow(data: MessagesEvent): void {
    if (data.type === 'content_block_start') this.#openBlocks.add(data.index);
    else if (data.type === 'content_block_stop') this.#openBlocks.delete(data.index);
    // A client may close as soon as it has this event: the answer is complete all the same.
    else if (data.type === 'message_stop') this.ending = 'complete';
  }

  async #rewritten(events: AnswerEvent[]): Promise<AnswerEvent[]> {
    const rewritten: AnswerEvent[] = [];
    for (const event of events) {
      const { data } = event;
      rewritten.push(isEnding(data) ? { data: await this.#priced(this.#withReason(data)) } : this.#named(event));
    }
    return rewritten;
  }

  /** The beginning of an answer, named by the generation and the catalog's model; any other event as it is. */
  #named(event: AnswerEvent): AnswerEvent {
    const { data } = event;
    if (data.type !== 'message_start') return event;
    const message = {
      ...data.message,
      id: this.#context.generationId,
      model: this.#attempted.candidate.model.id,
      usage: this.#openingUsage(data.message.usage),
    };
    return { data: { ...data, message } };
  }

  /** Clients read the prompt's tokens here, some of them only here: what the provider has not counted is estimated. */
  #openingUsage(usage: WireUsage): WireUsage {
    const { input_tokens: input = null, output_tokens: output = null } = usage;
    return { ...usage, input_tokens: input ?? this.#context.estimatedInputTokens, output_tokens: output ?? 0 };
  }

  /** An answer that reached a max_tokens which only money set, says so. */
  #withReason(data: MessageDelta): MessageDelta {
    const { shortened } = this.#context;
    return data.delta.stop_reason === 'max_tokens' && shortened ? shortenedEnding(data, shortened) : data;
  }

  async #priced(event: MessageDelta): Promise<MessageDelta> {
    this.#final = await this.#chargeable(this.#charge(this.ending ?? 'complete'));
    const { usage, cost, exceeded } = this.#final;
    const { input_tokens: input = null, output_tokens: output = null } = event.usage;
    // What was told beyond the bound, or of something that was written as nothing, is not what the answer has cost.
    const isInputTold = input !== null && this.#meter.knowsPrompt && !exceeded;
    const isOutputTold = output !== null && this.#meter.knowsOutput && !exceeded;
    const counted = {
      input_tokens: isInputTold ? input : usage.inputTokens,
      output_tokens: isOutputTold ? output : usage.outputTokens,
    };
    return { ...event, usage: { ...event.usage, ...counted, cost } };
  }

  #charge(ending: Ending): Charge {
    return chargeFor({
      ending,
      wasSent: this.#context.current.sentAtMs !== undefined,
      hasOutput: this.#meter.hasOutput,
      declinedForFree:
        this.#attempted.candidate.wire.declinesForFree &&
        this.#meter.finishReason === 'refusal' &&
        !this.#meter.hasBegun,
    });
  }

  /** What an answer costs that ends now; the hold is raised to pay for it where that is possible. */
  async #chargeable(charge: Charge): Promise<Charged> {
    const measured = this.#priceOf(charge);
    const cost = await this.#context.keeper.chargeable(measured.cost);
    this.#isCutByHold = !cost.equals(measured.cost);
    return cappedAt(measured, cost);
  }

  /** What it costs by now, within the hold as it stands. */
  #measure(charge: Charge): Charged {
    const measured = this.#priceOf(charge);
    return cappedAt(measured, this.#context.keeper.withinHold(measured.cost));
  }

  /** What it costs by now, within what the request could come to. */
  #priceOf(charge: Charge): Charged {
    const { quote } = this.#attempted;
    const hiddenSinceMs = quote.hiddenTokens > 0 ? this.#context.current.sentAtMs : undefined;
    return charged(this.#meter, quote, charge, hiddenSinceMs);
  }

  #outcome(ending: Ending | null, charged: Charged): Outcome {
    const { receivedAtMs, attempts } = this.#context;
    const isFirst = this.#attempted === attempts[0];
    return outcomeOf({ ending, charged, meter: this.#meter, attempted: this.#attempted, isFirst, receivedAtMs });
  }
}

function cappedAt(measured: Charged, cost: Charged['cost']): Charged {
  return cost.equals(measured.cost) ? measured : { ...measured, cost, exceeded: true };
}

function isEnding(data: MessagesEvent): data is MessageDelta {
  return data.type === 'message_delta' && typeof data.delta.stop_reason === 'string';
}
