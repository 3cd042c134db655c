import type { Charged } from '../../accounting/charge.ts';
import { eventBytes, extraBytes } from '../../accounting/event-bytes.ts';
import { UsageMeter } from '../../accounting/meter.ts';
import { promptTokens, type TokenUsage } from '../../accounting/usage.ts';
import type { Quote } from '../../admission/spending-plan.ts';
import { messagesFactsOf } from '../../catalog/wires.ts';
import type { AnswerEvent, MessageDelta, MessagesEvent } from '../../messages/types.ts';
import type { Money } from '../../money/money.ts';
import type { GatewayError } from '../../platform/errors.ts';
import { failureOf, type ProviderFailure } from '../../providers/failures.ts';
import { failedProvider } from '../../routing/connection.ts';
import type { Ending } from '../../store/generations/outcome.ts';
import { abortReasonOf } from '../abort.ts';
import { chargedAtEnd, chargedForRound, chargedWithinHold, chargeOf, accruedCost } from './answer-charge.ts';
import { hasOutput, type AnswerContext, type MeasuredAnswer } from './answer-context.ts';
import type { RoundBatch, StagedAnswer } from './answer-stage.ts';
import { answerLimitOf, type Limit } from './answer-limit.ts';
import { cutAtLimit, isEnding, isUsageReport, withGatewayIdentity, priced, splitAtError } from './client-events.ts';
import { earlyEnding, withShortening, type Stop } from './early-end.ts';
import { surprisesOf } from '../usage-anomalies.ts';
import { outcomeOf } from './outcome.ts';

export class Progress implements StagedAnswer {
  ending: Ending | undefined;
  readonly #context: AnswerContext;
  readonly #openBlocks = new Set<number>();
  #answer: MeasuredAnswer;
  #begun = false;
  #promptCounted = false;
  /** Whether the provider has reported the stop reason. */
  #isClosing = false;
  /**
   * Size in bytes of earlier rounds, and of parts that are not text of the model, such as search results and images.
   */
  #extraBytes = 0;
  /** Charge that the last `message_delta` reported to the client, which settlement uses. */
  #final: Charged | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#answer = unmeasured(context, context.attempts[0]!);
  }

  begin(index: number): void {
    const { quote: held, ...begun } = this.#context.attempts[index]!;
    // The searches before the first request are already bought, and later searches are held separately.
    const { pricing } = begun.candidate;
    const quote = { ...held, pricing, bound: { ...held.bound, searchRequests: 0 } };
    this.#answer = unmeasured(this.#context, { ...begun, quote });
    this.#begun = true;
    this.#context.extender.answeredBy(quote, this.#context.stage.spent(quote));
  }

  get hasOutput(): boolean {
    return hasOutput(this.#answer);
  }

  get usage(): TokenUsage {
    return chargedWithinHold(this.#answer, 'usage').usage;
  }

  get countedPrompt(): number | undefined {
    const { meter } = this.#answer;
    return meter.hasPromptCount ? promptTokens(meter.usage().usage) : undefined;
  }

  async holdMore(cost: Money): Promise<Stop | undefined> {
    return stopBy(await this.#context.extender.reserve(accruedCost(this.#answer).plus(cost)));
  }

  async beginRound(quote: Quote, estimatedInputTokens: number): Promise<Stop | undefined> {
    const { attempt, meter, rounds } = this.#answer;
    const over = chargedForRound(this.#answer, 'usage');
    const stop = stopBy(await this.#context.extender.nextRound(quote, accruedCost(this.#answer)));
    if (stop) return stop;
    this.#extraBytes += meter.outputBytes;
    this.#promptCounted = false;
    this.#answer = {
      ...this.#answer,
      attempt: { ...attempt, quote },
      meter: meter.next(estimatedInputTokens),
      rounds: [...rounds, over],
    };
    return undefined;
  }

  checkpoint(): void {
    this.#followAttempt();
    const { stage, attemptLog } = this.#context;
    const { quote } = this.#answer.attempt;
    // Before the first event, a checkpoint is useful only if hidden thinking or bought searches may have caused costs.
    const mayThink = quote.hiddenReasoningTokens > 0 && attemptLog.sentAtMs !== undefined;
    const isWorthIt = this.#begun || mayThink || !stage.spent(quote).isZero;
    if (this.ending !== undefined || !isWorthIt) return;
    this.#context.report.checkpoint(() =>
      outcomeOf(this.#answer, null, chargedWithinHold(this.#answer, 'usage and hidden')),
    );
  }

  #followAttempt(): void {
    const { attempts, attemptLog } = this.#context;
    if (!this.#begun) this.#answer = { ...this.#answer, attempt: attempts[attemptLog.index]! };
  }

  failureOf(error: unknown): ProviderFailure {
    return failureOf(error, failedProvider(this.#answer.attempt.candidate));
  }

  /**
   * Measures a batch before it is sent.
   * @returns the part of the batch within the limits, and the reason if the answer must end after it
   */
  observe(batch: RoundBatch): RoundBatch | Promise<RoundBatch> {
    this.#context.attemptLog.received();
    const { attempt, meter } = this.#answer;
    const { events, failure } = splitAtError(batch.events, attempt.candidate);
    meter.holdBack(batch.heldBackBytes ?? 0);
    if (batch.nativeReason !== undefined) meter.nativeFinishReason = batch.nativeReason;
    this.#isClosing = batch.isClosing ?? false;
    const [first] = events;
    if (first?.data.type === 'message_start') {
      meter.observe(first.data);
      this.#countPrompt();
    }
    let writtenBytes = meter.outputBytes;
    for (const { data } of events) {
      writtenBytes += eventBytes(data);
      this.#extraBytes += extraBytes(data);
    }
    const size = { writtenBytes, extraBytes: this.#extraBytes };
    const limit = answerLimitOf(this.#context.extender, attempt.quote.bound.outputTokens, size);
    const pass = (found: Limit | undefined) => this.#pass(events, batch, failure, found);
    return limit instanceof Promise ? limit.then(pass) : pass(limit);
  }

  #pass(
    events: AnswerEvent[],
    { usage: reported, stop: requested }: RoundBatch,
    failure: GatewayError | undefined,
    limit: Limit | undefined,
  ): RoundBatch | Promise<RoundBatch> {
    const { meter } = this.#answer;
    const passed = limit ? cutAtLimit(events, meter.outputBytes, limit.bytes) : events;
    const shown: AnswerEvent[] = [];
    let isPriced = false;
    for (const event of passed) {
      const { data } = event;
      if (data.type !== 'message_start') meter.observe(data);
      this.#follow(data);
      isPriced ||= isEnding(data);
      if (!isUsageReport(data)) shown.push(withGatewayIdentity(event, this.#answer));
    }
    // The reported usage is added after the events of its batch, because it already includes their tokens.
    if (reported) meter.addReported(reported);
    this.#countPrompt();
    const stop: Stop | undefined = limit?.stop ?? (failure ? { ending: 'broke_off', failure } : requested);
    return isPriced ? this.#withPrice(shown).then((events) => ({ events, stop })) : { events: shown, stop };
  }

  /** Returns the events that close the open blocks and end the answer as at max_tokens. */
  async endEarly(stop: Stop): Promise<AnswerEvent[]> {
    this.ending = stop.ending;
    this.#answer.meter.finishReason = 'max_tokens';
    const events: MessagesEvent[] = [...this.#openBlocks].map((index) => ({ type: 'content_block_stop', index }));
    this.#openBlocks.clear();
    events.push(await this.#priced(earlyEnding(stop)), { type: 'message_stop' });
    return events.map((data) => ({ data }));
  }

  endingBy(error: unknown): Exclude<Ending, 'complete' | 'out_of_money'> {
    this.#followAttempt();
    const reason = abortReasonOf(this.#context.abort.signal);
    if (reason === 'client_left' || reason === 'out_of_time') return reason;
    if (reason === 'stopping') return 'out_of_time';
    if (this.#begun) this.#context.attemptLog.brokeOff(error);
    // A silent model that has sent no output may still be thinking.
    const mayThink = this.#answer.attempt.quote.hiddenReasoningTokens > 0 && !this.hasOutput;
    if (this.failureOf(error).wasSilent && mayThink) return 'out_of_time';
    return this.#begun ? 'broke_off' : 'refused_before';
  }

  /** Whether the client is charged although the answer failed. */
  get isCharged(): boolean {
    return this.#answer.rounds.length > 0 || chargeOf(this.#answer, this.ending!) !== 'nothing';
  }

  /** Settles the answer. Call this method once, after the last event. */
  async settle(): Promise<void> {
    const { report, remember } = this.#context;
    if (!(await report.isRecorded())) return report.drop();
    const ending = (this.ending ??= 'client_left');
    const charge = this.#final ?? (await chargedAtEnd(this.#answer, ending));
    const outcome = outcomeOf(this.#answer, ending, charge);
    const { attempt, meter } = this.#answer;
    const { candidate, quote } = attempt;
    const surprises = surprisesOf(charge, meter, quote.bound);
    await Promise.all([
      report.settle(outcome, { candidate, surprises }),
      ...(this.#begun ? [remember(candidate, outcome)] : []),
    ]);
  }

  #countPrompt(): void {
    const { meter } = this.#answer;
    if (this.#promptCounted || !meter.hasPromptCount) return;
    this.#promptCounted = true;
    // Releases the unused part of the hold only before the end of the answer. At the end, the settlement releases it.
    const releasesUnused = meter.finishReason === null && !this.#isClosing;
    const { usage } = chargedForRound(this.#answer, 'usage');
    this.#context.extender.promptCounted(usage, { writtenBytes: meter.outputBytes, releasesUnused });
  }

  #follow(data: MessagesEvent): void {
    if (data.type === 'content_block_start') this.#openBlocks.add(data.index);
    else if (data.type === 'content_block_stop') this.#openBlocks.delete(data.index);
    // The answer is complete after `message_stop`, even if the client then closes the connection.
    else if (data.type === 'message_stop') this.ending = 'complete';
  }

  async #withPrice(events: AnswerEvent[]): Promise<AnswerEvent[]> {
    const shown: AnswerEvent[] = [];
    for (const event of events) {
      if (!isEnding(event.data)) shown.push(event);
      else shown.push({ data: await this.#priced(withShortening(event.data, this.#context.shortened)) });
    }
    return shown;
  }

  async #priced(event: MessageDelta): Promise<MessageDelta> {
    this.#final = await chargedAtEnd(this.#answer, this.ending ?? 'complete');
    return priced(event, this.#final, this.#answer);
  }
}

function unmeasured(context: AnswerContext, attempt: MeasuredAnswer['attempt']): MeasuredAnswer {
  const { estimatedInputTokens } = context;
  const promptCountedAtStart = messagesFactsOf(attempt.candidate.endpoint.wire).countsPromptAtStart;
  return { context, attempt, meter: new UsageMeter({ estimatedInputTokens, promptCountedAtStart }), rounds: [] };
}

function stopBy(failure: GatewayError | undefined): Stop | undefined {
  return failure && { ending: 'out_of_money', failure };
}
