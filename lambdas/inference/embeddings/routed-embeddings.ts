import { privacyOf, type Caller } from '../../admission/caller.ts';
import { estimateTokens } from '../../accounting/usage.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { inputsOf, type EmbeddingInput, type EmbeddingsRequest } from '../../embeddings/schema.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { GatewayError, invalidRequest } from '../../platform/errors.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { protect, type Protection } from '../../protection/sensitive-data.ts';
import type { EmbeddingTask } from '../../providers/embeddings/engine.ts';
import { embeddingCandidates, type EmbeddingCandidate } from '../../routing/embedding-candidates.ts';
import type { LeaveOut } from '../../routing/left-out.ts';
import { endpointSignals } from '../endpoint-signals.ts';

interface RoutedEmbeddings {
  /** As providers may get it. */
  task: EmbeddingTask;
  /** At least one. */
  candidates: EmbeddingCandidate[];
}

/**
 * Where texts may be embedded, and what goes there.
 * @throws {GatewayError} 400 or 404 when there is no such place, 400 for what may not be sent anywhere
 */
export async function routeEmbeddings(
  body: EmbeddingsRequest,
  { caller, protection, leaveOut }: { caller: Caller; protection: Protection; leaveOut?: LeaveOut },
): Promise<RoutedEmbeddings> {
  const { model, provider } = body;
  const inputs = await protectedInputs(inputsOf(body), protection);
  const bytes = inputs.reduce((sum, input) => sum + bytesOf(input), 0);
  const candidates = await embeddingCandidates({
    catalog: await servedCatalog(),
    request: { model, messages: [], ...(provider ? { provider } : {}) },
    exclusionOf: privacyFilter(privacyOf(caller)),
    signals: endpointSignals(),
    promptTokens: estimateTokens(bytes),
    leaveOut,
  });
  const task = {
    inputs,
    encoding: body.encoding_format ?? 'float',
    dimensions: body.dimensions ?? undefined,
    inputType: body.input_type ?? undefined,
  };
  const able = candidates.filter((candidate) => {
    const isAble = takes(task, candidate, candidates);
    if (!isAble) leaveOut?.(candidate, 'request_not_supported');
    return isAble;
  });
  return { task, candidates: able };
}

/** A token is about four bytes of text. */
function bytesOf(input: EmbeddingInput): number {
  return typeof input === 'string' ? Buffer.byteLength(input) : input.length * 4;
}

const BLOCK = /^messages\.0\.content\.(\d+)\.text/;

/** @throws {GatewayError} 400 as `protect` does, and for tokens, in which nothing can be found */
async function protectedInputs(inputs: readonly EmbeddingInput[], protection: Protection): Promise<EmbeddingInput[]> {
  if (!protection.settings.enabled) return [...inputs];
  const texts = inputs.map((input) => {
    if (typeof input === 'string') return input;
    throw invalidRequest('input', 'must be text: the key protects sensitive data, which cannot be found in tokens');
  });
  const content = texts.map((text) => ({ type: 'text', text }));
  const asMessage: MessagesRequest = { model: '', messages: [{ role: 'user', content }] };
  const { message } = await protect(asMessage, protection).catch((error: unknown) => {
    throw inInput(error);
  });
  return (message.messages[0]!.content as unknown as { text: string }[]).map(({ text }) => text);
}

/** A fault in a text is named by the field that the client wrote it in. */
function inInput(error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error;
  const { field } = error.metadata;
  const place = typeof field === 'string' ? BLOCK.exec(field)?.[1] : undefined;
  if (place === undefined) return error;
  const named = `input.${place}`;
  const { kind, status, headers, metadata } = error;
  const message = error.message.replace(field as string, () => named);
  return new GatewayError(kind, message, { status, headers, metadata: { ...metadata, field: named }, cause: error });
}

/** @throws {GatewayError} 400 where no candidate takes a field that the request has */
function takes({ dimensions, inputType }: EmbeddingTask, candidate: EmbeddingCandidate, all: EmbeddingCandidate[]) {
  const asked = [
    ...(dimensions === undefined ? [] : ['dimensions']),
    ...(inputType === undefined ? [] : ['input_type']),
  ];
  for (const field of asked) {
    const hasIt = ({ target }: EmbeddingCandidate) => target.supportedParameters.includes(field);
    if (hasIt(candidate)) continue;
    if (!all.some(hasIt)) throw invalidRequest(field, `is not taken by "${candidate.model.id}"; leave it out`);
    return false;
  }
  return true;
}
