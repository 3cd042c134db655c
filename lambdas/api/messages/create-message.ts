import type { HoldRequest } from '../../admission/hold.ts';
import { admit, type Admitted } from '../../admission/admit.ts';
import { privacyOf, type InferenceCaller } from '../../admission/caller.ts';
import { refusalError } from '../../admission/refusal.ts';
import { priceUsage } from '../../accounting/price.ts';
import { releaseUnknown } from '../../accounting/release.ts';
import { AnswerStream } from '../../http/answer-stream.ts';
import type { EndpointInput } from '../../http/define-endpoint.ts';
import { resources } from '../../resources.ts';
import { jsonResponse, streamResponse, type HttpResponse } from '../../http/response.ts';
import { MessageAssembler } from '../../messages/assemble.ts';
import type { AnswerEvent, MessageBody, MessagesRequest } from '../../messages/types.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { refuseUnprotected } from '../../protection/sensitive-data.ts';
import { clientHeaders } from '../../providers/client-headers.ts';
import { withDefaultParameters } from '../../routing/default-parameters.ts';
import { messagesCandidates, resolveModel } from '../../routing/candidates.ts';
import { connect, dispatch } from '../../routing/dispatch.ts';
import { answerEvents } from './answer.ts';
import type { AbortReason, AnswerContext } from './answer-context.ts';
import { countedPlan, prepareAttempts, reencoded, type Prepared } from './attempts.ts';
import { PING_AFTER_MS, streamBody } from './stream-body.ts';

/** The earliest at which a hold may be swept: later than any function, which Lambda stops after 15 minutes at most. */
const HOLD_EXPIRES_AFTER_MS = 20 * 60_000;
/** A stream ends itself this long before Lambda would, so that its settlement is still reported. */
const STOP_BEFORE_TIMEOUT_MS = 15_000;
/** Time for the last event to be read, out of these fifteen seconds. */
const GRACE_FOR_LAST_WORDS_MS = 5_000;
/** A connection that has waited for its request longer than this may have been closed by the other side. */
const CONNECTION_KEEPS_MS = 2_000;

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
  const prepared = prepareAttempts(candidates, message, client);
  // Whatever settlement needs is there before anything is held.
  const [table, queue] = [resources.table(), resources.queue('finalize-cost')];
  const abort = new AbortController();
  stopWhenLeft(abort, input.clientLeft);
  const { admitted, attempts } = await holdWhileConnecting(input, caller, prepared, abort.signal);
  stopInTime(abort, input.remainingMs());

  const current: AnswerContext['current'] = { index: 0, sentAtMs: undefined };
  const attempted = prepared.attempts.map(({ candidate }, index) => ({
    candidate,
    quote: admitted.plan.quotes[index]!,
  }));
  const context: AnswerContext = {
    generationId: input.generationId,
    payer: caller.payer,
    table,
    queue,
    keeper: admitted.keeper,
    attempts: attempted,
    dispatched: dispatch(attempts, {
      request: message,
      estimatedInputTokens: prepared.content.estimatedTokens,
      signal: abort.signal,
      onAttempt: (index) => Object.assign(current, { index, sentAtMs: undefined }),
      // A large request may be refused before the last of it has left.
      onSent: (index) => {
        if (current.index === index) current.sentAtMs = performance.now();
      },
    }),
    current,
    estimatedInputTokens: prepared.content.estimatedTokens,
    receivedAtMs: request.receivedAtMs,
    requestId: request.id,
    streamed: message.stream === true,
    shortened: admitted.shortened,
    abort,
  };
  return context.streamed ? streamAnswer(context) : jsonResponse<MessageBody>(200, await collectAnswer(context));
}

/** Holds the request's money while DNS, TCP and TLS to the first provider run. Not a byte is sent before the hold stands. */
async function holdWhileConnecting(
  input: Input,
  caller: InferenceCaller,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<{ admitted: Admitted; attempts: Prepared['attempts'] }> {
  const [first] = prepared.attempts as [Prepared['attempts'][number]];
  const upstream = connect(first.candidate, first.encoded, signal);
  const request = holdRequestOf(input, caller, prepared);
  const table = resources.table();
  const connectedAtMs = performance.now();
  let admitted: Admitted | undefined;
  try {
    const result = await admit(table, {
      request,
      plan: prepared.plan,
      recount: () => countedPlan(prepared),
      leastMaxTokens: (prepared.message.thinking?.budget_tokens ?? 0) + 1,
      receivedAtMs: input.request.receivedAtMs,
      clientLeft: input.clientLeft,
    });
    if ('refused' in result) throw refusalError(result.refused.refusal, result.refused.request);
    ({ admitted } = result);
    const attempts = admitted.shortened ? reencoded(prepared, admitted.plan) : [...prepared.attempts];
    if (performance.now() - connectedAtMs < CONNECTION_KEEPS_MS) attempts[0] = { ...attempts[0]!, upstream };
    else upstream.discard();
    return { admitted, attempts };
  } catch (error) {
    upstream.discard();
    // Nothing was sent, so nothing may be held or charged.
    if (admitted) await releaseUnknown(table, request.generation);
    throw error;
  }
}

/**
 * Waits for the first event, so that a failure before it has its own status; not for ever, because a client that hears
 * nothing leaves. From then on the answer is a stream, and failures are told in-band.
 */
async function streamAnswer(context: AnswerContext): Promise<HttpResponse> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    const waitedMs = performance.now() - context.receivedAtMs;
    timer = setTimeout(resolve, Math.max(0, PING_AFTER_MS - waitedMs));
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
    clientSignal.addEventListener('abort', () => context.abort.abort('client_left' satisfies AbortReason), {
      once: true,
    });
    return streamBody(answerEvents(context), { requestId: context.requestId, pingFirst: isSilent });
  });
  destroyWhenOutOfTime(body, context.abort.signal);
  return streamResponse(body);
}

/** A reader that takes nothing would keep the ending, and with it the settlement, from ever being reached. */
function destroyWhenOutOfTime(body: AnswerStream, signal: AbortSignal): void {
  const onAbort = () => {
    if (signal.reason === ('out_of_time' satisfies AbortReason)) {
      setTimeout(() => body.destroy(), GRACE_FOR_LAST_WORDS_MS).unref();
    }
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
}

async function drain(events: AsyncGenerator<AnswerEvent[], void>): Promise<void> {
  for await (const _ of events);
}

async function collectAnswer(context: AnswerContext): Promise<MessageBody> {
  const assembler = new MessageAssembler();
  for await (const events of answerEvents(context)) {
    for (const { data } of events) assembler.add(data);
  }
  return assembler.finish()!;
}

/** Where the door can tell that a client has left, its request ends at once, streamed or not. */
function stopWhenLeft(abort: AbortController, clientLeft: AbortSignal | undefined): void {
  const onLeft = () => abort.abort('client_left' satisfies AbortReason);
  if (clientLeft?.aborted) onLeft();
  else clientLeft?.addEventListener('abort', onLeft, { once: true });
}

function stopInTime(abort: AbortController, remainingMs: number): void {
  const timer = setTimeout(
    () => abort.abort('out_of_time' satisfies AbortReason),
    Math.max(0, remainingMs - STOP_BEFORE_TIMEOUT_MS),
  );
  timer.unref();
  abort.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}

function holdRequestOf(
  input: Input,
  caller: InferenceCaller,
  { attempts: [first], content }: Prepared,
): Omit<HoldRequest, 'amount'> {
  const { estimatedTokens } = content;
  const { model, endpoint, pricing } = first!.candidate;
  const createdAtMs = generationTimeMs(input.generationId)!;
  const inputCost = priceUsage({ inputTokens: estimatedTokens, outputTokens: 0 }, pricing).total;
  return {
    generation: {
      id: input.generationId,
      payer: caller.payer,
      apiType: 'completions',
      model: model.id,
      modelPermaslug: model.data.permaslug,
      endpointId: endpoint.id,
      providerName: endpoint.provider.name,
      pricing,
      catalogVersion: resources.catalog().version,
      streamed: input.body.stream === true,
      createdAtMs,
      inputEstimate: { tokens: estimatedTokens, cost: inputCost },
      bootId: resources.bootId(),
      sweepAtMs: createdAtMs + HOLD_EXPIRES_AFTER_MS,
    },
    scopes: caller.scopes,
  };
}
