import { priceUsage } from '../../accounting/price.ts';
import { HoldKeeper } from '../../admission/hold-keeper.ts';
import { placeHold, type HoldRequest } from '../../admission/hold.ts';
import { measurePrompt, type PromptSize } from '../../admission/prompt-size.ts';
import { privacyOf, type InferenceCaller } from '../../admission/caller.ts';
import { AnswerStream } from '../../http/answer-stream.ts';
import { GatewayError } from '../../platform/errors.ts';
import type { EndpointInput } from '../../http/define-endpoint.ts';
import { resources } from '../../resources.ts';
import { jsonResponse, streamResponse, type HttpResponse } from '../../http/response.ts';
import { MessageAssembler } from '../../messages/assemble.ts';
import type { AnswerEvent, ErrorEvent, MessageBody, MessagesRequest } from '../../messages/types.ts';
import { nowMs } from '../../platform/clock.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import { checkpoint, unbegunOutcome } from '../../store/generations.ts';
import type { Table } from '../../store/table.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { refuseUnprotected } from '../../protection/sensitive-data.ts';
import { StoreBusyError } from '../../store/transact.ts';
import { clientHeaders } from '../../providers/client-headers.ts';
import { withDefaultParameters } from '../../routing/default-parameters.ts';
import { brokenAnswer } from '../../providers/failures.ts';
import { messagesCandidates, resolveModel, type Candidate } from '../../routing/candidates.ts';
import { dispatch, prepareDispatch, type DispatchInput } from '../../routing/dispatch.ts';
import { answerEvents, CLIENT_LEFT, OUT_OF_TIME, type AnswerContext } from './answer.ts';
import { planSpending } from './spending-plan.ts';
import { PING_AFTER_MS, streamBody } from './stream-body.ts';

/** Holds outlive any function: Lambda stops a handler after 15 minutes at most. */
const HOLD_EXPIRES_AFTER_MS = 20 * 60_000;
/** A stream ends itself this long before Lambda would, so that its settlement is still reported. */
const STOP_BEFORE_TIMEOUT_MS = 15_000;
/** Time for the last event to be read, out of these fifteen seconds. */
const GRACE_FOR_LAST_WORDS_MS = 5_000;

type Input = EndpointInput<'inference', MessagesRequest>;

/**
 * Answers a message: candidates, hold, dispatch, stream, settlement. The way is the same with and without streaming:
 * upstreams always stream, and a client that does not gets the events put together.
 */
export async function createMessage(input: Input): Promise<HttpResponse> {
  const { body, caller, request } = input;
  refuseUnprotected(caller.key.sensitiveData);
  const model = resolveModel(resources.catalog(), body.model);
  const candidates = await messagesCandidates(model, privacyFilter(privacyOf(caller)));
  const client = clientHeaders(request.headers);
  const message = withDefaultParameters(body, model, client);
  const [first] = candidates as [Candidate];
  const encoded = first.wire.encode(message, first.target, client);
  const size = measurePrompt(message, Buffer.byteLength(encoded.body), first.endpoint);
  const plan = planSpending(candidates, size, message);

  const abort = new AbortController();
  const dispatchInput: DispatchInput = {
    request: message,
    client,
    estimatedInputTokens: size.estimatedTokens,
    signal: abort.signal,
  };
  // DNS, TCP and TLS run side by side with the hold.
  const prepared = prepareDispatch(candidates, encoded, dispatchInput);
  const holdRequest = holdRequestOf(input, caller, first, size, plan);
  const table = resources.table();
  const placed = await placeHold(table, holdRequest).catch(async (error: unknown) => {
    prepared.first.upstream.discard();
    await releaseUncertainHold(table, holdRequest, error);
    throw error;
  });
  stopInTime(abort, input.remainingMs());

  const context: AnswerContext = {
    generationId: input.generationId,
    payer: caller.payer,
    table,
    queue: resources.finalizeQueue(),
    keeper: new HoldKeeper({
      table,
      request: holdRequest,
      placed,
      stepTokens: plan.stepTokens,
      hiddenTokens: plan.hiddenTokens,
      maxOutputTokens: plan.maxOutputTokens,
      promptBound: size.boundTokens,
      pricing: first.pricing,
    }),
    dispatched: dispatch(prepared, dispatchInput),
    firstCandidate: first,
    estimatedInputTokens: size.estimatedTokens,
    receivedAtMs: request.receivedAtMs,
    requestId: request.id,
    abort,
  };
  return message.stream ? streamAnswer(context, request.id) : jsonResponse(200, await collectAnswer(context));
}

/**
 * When every reply to a hold was lost, its record may exist although nothing was sent: it is noted as free, so that the
 * sweep does not charge it for its input.
 */
async function releaseUncertainHold(table: Table, request: HoldRequest, error: unknown): Promise<void> {
  if (error instanceof GatewayError || error instanceof StoreBusyError) return;
  const { id, payer, model, modelPermaslug, endpointId, providerName } = request.generation;
  const outcome = unbegunOutcome({ model, modelPermaslug, endpointId, providerName });
  await checkpoint(table, { accountId: payer.accountId, id }, outcome, nowMs()).catch(() => undefined);
}

/**
 * Waits for the first event, so that a failure before it has its own status; not for ever, because a client that hears
 * nothing leaves. From then on the answer is a stream, and failures are told in-band.
 */
async function streamAnswer(context: AnswerContext, requestId: string): Promise<HttpResponse> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PING_AFTER_MS);
  });
  let isSilent = false;
  try {
    isSilent = (await Promise.race([context.dispatched, patience])) === undefined;
  } catch {
    // answerEvents settles the generation and throws the refusal.
    await drain(answerEvents(context));
  } finally {
    clearTimeout(timer);
  }
  const body = new AnswerStream((clientSignal) => {
    clientSignal.addEventListener('abort', () => context.abort.abort(CLIENT_LEFT), { once: true });
    return streamBody(answerEvents(context), { requestId, pingFirst: isSilent });
  });
  destroyWhenOutOfTime(body, context.abort.signal);
  return streamResponse(body);
}

/** A reader that takes nothing would keep the ending, and with it the settlement, from ever being reached. */
function destroyWhenOutOfTime(body: AnswerStream, signal: AbortSignal): void {
  const onAbort = () => {
    if (signal.reason === OUT_OF_TIME) setTimeout(() => body.destroy(), GRACE_FOR_LAST_WORDS_MS).unref();
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
}

async function drain(events: AsyncGenerator<AnswerEvent[], void>): Promise<void> {
  for await (const _ of events);
}

async function collectAnswer(context: AnswerContext): Promise<MessageBody> {
  const assembler = new MessageAssembler();
  for await (const batch of answerEvents(context)) {
    for (const { data } of batch) {
      if (data.type === 'error') throw brokenAnswer(data.error.type, data.error.message, providerOf(data));
      assembler.add(data);
    }
  }
  return assembler.finish()!;
}

function providerOf({ error }: ErrorEvent): string {
  return (error['metadata'] as { provider_name: string }).provider_name;
}

function stopInTime(abort: AbortController, remainingMs: number): void {
  const timer = setTimeout(() => abort.abort(OUT_OF_TIME), Math.max(0, remainingMs - STOP_BEFORE_TIMEOUT_MS));
  timer.unref();
  abort.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}

function holdRequestOf(
  input: Input,
  caller: InferenceCaller,
  first: Candidate,
  size: PromptSize,
  plan: { amount: HoldRequest['amount']; affordableTokens: HoldRequest['affordableTokens'] },
): HoldRequest {
  const createdAtMs = generationTimeMs(input.generationId)!;
  const inputCost = priceUsage({ inputTokens: size.estimatedTokens, outputTokens: 0 }, first.pricing).total;
  return {
    generation: {
      id: input.generationId,
      payer: caller.payer,
      apiType: 'completions',
      model: first.model.id,
      modelPermaslug: first.model.data.permaslug,
      endpointId: first.endpoint.id,
      providerName: first.endpoint.provider.name,
      pricing: first.pricing,
      streamed: input.body.stream === true,
      createdAtMs,
      inputEstimate: { tokens: size.estimatedTokens, cost: inputCost },
      bootId: resources.bootId(),
      sweepAtMs: createdAtMs + HOLD_EXPIRES_AFTER_MS,
    },
    amount: plan.amount,
    scopes: caller.scopes,
    affordableTokens: plan.affordableTokens,
  };
}
