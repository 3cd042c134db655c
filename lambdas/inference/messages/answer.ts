import { giveUpClaim } from '../../admission/request-claim.ts';
import type { AnswerEvent } from '../../messages/types.ts';
import { clientHasLeft, GatewayError, gatewayStopping, toGatewayError } from '../../platform/errors.ts';
import { describeError, log } from '../../platform/logger.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import type { Sink } from '../../platform/concurrency/sink.ts';
import { logBrokenAnswer } from '../../providers/failures.ts';
import { resources } from '../../resources.ts';
import { abortBecause, abortReasonOf } from '../abort.ts';
import type { AnswerContext } from './answer-context.ts';
import type { RoundBatch } from './answer-stage.ts';
import type { Ending } from '../../store/generations/outcome.ts';
import { Progress } from './progress.ts';

/** Interval in ms at which the checkpointer is called, which decides whether a checkpoint is due. */
const CHECKPOINT_EVERY_MS = 1_000;

/**
 * Sends the events of an answer to a sink, with the generation's id, the catalog's model id and the price.
 *
 * Guarantee: a recorded generation is reported to settlement exactly once, after the sink has received the last event,
 * even if the answer breaks off, is refused, or the client disconnects.
 * @throws {GatewayError} if no answer began, or if the answer failed before its end
 */
export async function sendAnswer(context: AnswerContext, sink: Sink<AnswerEvent[]>): Promise<void> {
  const progress = new Progress(context);
  const checkpoints = setInterval(() => progress.checkpoint(), CHECKPOINT_EVERY_MS).unref();
  let batches: PullIterator<RoundBatch> | undefined;
  try {
    const dispatched = await context.dispatched;
    progress.begin(dispatched.index);
    batches = context.stage.batches(dispatched, progress);
    for (;;) {
      let next: IteratorResult<RoundBatch, void>;
      try {
        next = await batches.next();
      } catch (error) {
        throw progress.failureOf(error);
      }
      if (next.done) return;
      const observed = progress.observe(next.value);
      // Most batches are measured and sent synchronously. Skipping the `await` for them saves time.
      const { events, stop } = observed instanceof Promise ? await observed : observed;
      const accepts = events.length === 0 || sink(events);
      if (!(accepts instanceof Promise ? await accepts : accepts)) return;
      if (stop?.ending === 'broke_off') throw stop.failure;
      if (stop) {
        // Aborts the request, because otherwise the provider would finish its answer and bill it.
        abortBecause(context.abort, 'ended');
        await sink(await progress.endEarly(stop));
        return;
      }
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) {
      const { requestId, generationId } = context;
      log('error', 'answer failed', { requestId, generationId, ...describeError(error) });
    }
    const ending = progress.endingBy(error);
    if (ending === 'broke_off') logBrokenAnswer(error, aboutAttempt(context));
    const isStopping = abortReasonOf(context.abort.signal) === 'stopping';
    const failure = answerFailure(ending, error, isStopping);
    // Without streaming, the client gets the output that was written in time, because it pays for that output.
    if (!context.streamed && ending === 'out_of_time' && !isStopping && progress.hasOutput) {
      await sink(await progress.endEarly({ ending, failure }));
      return;
    }
    progress.ending = ending;
    // A retry of a charged answer is charged again. Without streaming, the client has received nothing if the answer
    // broke off or the process is stopping.
    if (!context.streamed && (ending === 'broke_off' || isStopping)) await leaveRetryToClient(context, failure);
    else if (progress.isCharged) failure.discourageRetry();
    throw failure;
  } finally {
    clearInterval(checkpoints);
    abortBecause(context.abort, progress.ending === undefined ? 'client_left' : 'ended');
    await batches?.return();
    await progress.settle();
  }
}

function aboutAttempt({ requestId, generationId, attempts, attemptLog }: AnswerContext) {
  const { model, endpoint } = attempts[attemptLog.index]!.candidate;
  return { requestId, generationId, provider: endpoint.provider.id, model: model.id };
}

/** Allows the client to send the request again, even with the same `Idempotency-Key`. */
async function leaveRetryToClient({ claim, generationId }: AnswerContext, failure: GatewayError): Promise<void> {
  failure.leaveRetryToClient();
  if (claim) await giveUpClaim(resources.table(), claim, generationId);
}

function answerFailure(ending: Ending, error: unknown, isStopping: boolean): GatewayError {
  if (isStopping) return gatewayStopping();
  if (ending === 'client_left') return clientHasLeft(error);
  if (ending !== 'out_of_time') return toGatewayError(error);
  if (error instanceof GatewayError && error.kind === 'timeout') return error;
  return new GatewayError('timeout', 'The answer took longer than the gateway may run. Request a shorter answer.');
}
