/** Converts chat-completions streams to events of the Messages API. */

import { numberOrNaN, recordOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';
import { gatewaySignature } from '../../messages/thinking-signatures.ts';
import type { AnswerBatch } from '../../messages/types.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { DecodeContext } from '../wire.ts';
import type { Reading } from '../decoded-body.ts';
import { TranslatedAnswer } from '../translated/answer.ts';
import { TaggedThinking } from '../translated/tagged-thinking.ts';
import { parseEvent, parseEventExactly, sseReader, translate } from '../translated/stream.ts';
import { openaiUsage } from '../translated/openai-usage.ts';
import { withServiceTier } from '../translated/service-tier.ts';
import { citationOf } from '../translated/citations.ts';
import { drawnImageAt } from '../translated/drawn-image.ts';
import { SpokenAnswer } from '../translated/spoken-answer.ts';
import { statesError } from '../faults/error-detection.ts';
import { chatStopReason, isFailedFinish } from './finish-reason.ts';
import { asArguments, asCallId, asOptionalRecord, asRecord, asRecords, asText } from '../shapes.ts';
import { toolNameRule, type ChatTarget } from './target.ts';

export function decodeChatStream(
  body: AsyncIterable<Buffer>,
  context: DecodeContext<ChatTarget['quirks']>,
): PullIterator<AnswerBatch> {
  const translation = new ChatTranslation(context);
  const reader = sseReader({
    data: (data) => translation.onData(data),
    end: () => translation.onEnd(),
  });
  return translate(body, translation.answer, reader);
}

/** Converts a non-streaming completion, as if its message were the only piece of a stream. */
export function decodeCompletion(
  document: unknown,
  context: DecodeContext<ChatTarget['quirks']>,
): AnswerBatch | undefined {
  const completion = asRecord(document);
  const [choice] = asRecords(completion['choices']);
  if (choice === undefined || completion['error'] || choice['error']) return undefined;
  const translation = new ChatTranslation(context);
  const piece = { ...choice, delta: asRecord(choice['message']) };
  const { batch, failure } = translation.readDocument({ ...completion, choices: [piece] });
  if (failure) throw failure;
  return batch;
}

/**
 * Returns every usage in a chunk or completion: Groq has its own field, Moonshot puts it into the choice, possibly next
 * to zeros in the usual place.
 */
function usagesIn(chunk: Record<string, unknown>): Record<string, unknown>[] {
  const [choice] = asRecords(chunk['choices']);
  return [chunk['usage'], recordOrEmpty(chunk['x_groq'])['usage'], choice?.['usage']]
    .map(recordOrEmpty)
    .filter((usage) => Object.keys(usage).length > 0);
}

class ChatTranslation {
  readonly answer: TranslatedAnswer;
  readonly #context: DecodeContext<ChatTarget['quirks']>;
  #finishReason: string | undefined;
  #choiceIndex: unknown;
  #matchedStopSequence: string | null = null;
  #servedTier: unknown;
  /** Whether [DONE] has arrived, or the answer is a document. */
  #isWhole = false;
  #refused = false;
  readonly #spoken: SpokenAnswer;
  readonly #words: TaggedThinking;

  constructor(context: DecodeContext<ChatTarget['quirks']>) {
    this.#context = context;
    this.answer = new TranslatedAnswer(context, gatewaySignature('openai-chat'), toolNameRule(context.target));
    this.#spoken = new SpokenAnswer(this.answer.blocks);
    this.#words = new TaggedThinking(this.answer.blocks, context.target.supportedParameters.includes('reasoning'));
  }

  readDocument(completion: Record<string, unknown>): Reading {
    return this.answer.reading(() => {
      this.#onChunk(completion);
      // A document is complete without a finish reason too (https://github.com/XiaomiMiMo/MiMo-Code/pull/2244).
      this.#isWhole = true;
      this.onEnd();
    });
  }

  onData(data: string): void {
    if (this.answer.ended) return;
    if (data === '[DONE]') {
      this.#isWhole = true;
      this.onEnd();
      return;
    }
    this.#onChunk(asRecord(parseChunk(data)));
  }

  /** Handles the end of the stream. Without [DONE], an answer is complete only with a finish reason. */
  onEnd(): void {
    if (this.answer.ended) return;
    // An answer without a finish reason is complete only if [DONE] has arrived, and if it has any output (checked
    // below). Relays send [DONE] also after their provider broke off (https://github.com/api7/aisix/pull/198), so [DONE]
    // within the arguments of a call counts as the end of a broken answer.
    if (this.#finishReason === undefined && (!this.#isWhole || this.answer.blocks.isWithinArguments)) {
      throw new UpstreamError('broken', 'The provider ended its answer before it was complete');
    }
    this.#words.flush();
    if (this.#finishReason === undefined && !this.answer.blocks.hasOutput) {
      throw new UpstreamError('malformed', 'The provider ended its answer without content');
    }
    this.#finish();
  }

  #onChunk(chunk: Record<string, unknown>): void {
    this.#servedTier = chunk['service_tier'] ?? this.#servedTier;
    for (const usage of usagesIn(chunk)) {
      this.#servedTier = chunk['service_tier'] ?? usage['service_tier'] ?? this.#servedTier;
      this.answer.report(withServiceTier(openaiUsage(usage), this.#servedTier));
    }
    const choice = this.#choiceIn(chunk);
    // OpenRouter may put an error into the choice, and Groq into its own field
    // (https://github.com/groq/groq-python/blob/main/src/groq/types/chat/chat_completion_chunk.py). Alibaba, GigaChat
    // and vLLM send an error without the `error` field around it.
    const error =
      chunk['error'] ||
      choice?.['error'] ||
      recordOrEmpty(chunk['x_groq'])['error'] ||
      (chunk['choices'] === undefined && statesError(chunk) && chunk);
    if (error) {
      this.answer.fail(error);
      return;
    }
    this.answer.start();
    if (choice === undefined) return;
    const delta = this.#deltaOf(choice);
    if (delta) this.#onDelta(delta, asOptionalRecord(choice['logprobs'])?.['content']);
    this.answer.waitingBytes = this.#words.waitingBytes;
    const reason = finishReasonIn(choice);
    if (reason !== '') this.#onFinishReason(reason, choice['stop_reason']);
  }

  /**
   * Returns the delta of a choice, or its complete message if there was no output before. Some servers stream a
   * complete message instead of deltas. Perplexity sends it in addition to deltas.
   */
  #deltaOf({ delta, message }: Record<string, unknown>): Record<string, unknown> | undefined {
    const piece = asOptionalRecord(delta);
    const saysNothing = piece === undefined || Object.keys(piece).length === 0;
    const hasOutput = this.answer.blocks.hasOutput || this.#words.waitingBytes > 0;
    return saysNothing && message && !hasOutput ? asRecord(message) : piece;
  }

  #onDelta(delta: Record<string, unknown>, logprobs: unknown): void {
    this.#onReasoning(reasoningIn(delta));
    const { content } = delta;
    const calls = separateCalls(asRecords(delta['tool_calls']));
    const isOfText = content !== '' || !(calls.length > 0 || delta['refusal']);
    if (typeof content === 'string') this.#words.add(content, isOfText ? this.answer.logprobsIn(logprobs) : undefined);
    else for (const part of asRecords(content)) this.#onPart(part);
    this.#onMedia(delta);
    for (const annotation of asRecords(delta['annotations'])) this.#onAnnotation(annotation);
    this.#onRefusal(asText(delta['refusal']));
    for (const call of calls) this.#onToolCall(call);
    // In this field, GigaChat sends at most one call per answer, complete and without an id.
    const called = asOptionalRecord(delta['function_call']);
    if (called) this.#onToolCall({ function: called });
  }

  #onReasoning(reasoning: string): void {
    if (reasoning === '') return;
    this.#words.flush();
    this.answer.blocks.thinking(reasoning);
  }

  #onRefusal(refusal: string): void {
    if (refusal === '') return;
    this.#refused = true;
    this.#words.flush();
    this.answer.blocks.refusal(refusal);
  }

  /** Reads images (OpenRouter's form) and speech (OpenAI's form), if the client requested them. */
  #onMedia(delta: Record<string, unknown>): void {
    const { modalities } = this.#context.request;
    if (modalities?.includes('image')) {
      for (const image of asRecords(delta['images'])) {
        const address = asText(asOptionalRecord(image['image_url'])?.['url']);
        this.answer.blocks.media({ type: 'image', source: drawnImageAt(address) });
      }
    }
    const audio = modalities?.includes('audio') ? asOptionalRecord(delta['audio']) : undefined;
    if (!audio) return;
    const expiresAt = numberOrNaN(audio['expires_at']);
    this.#spoken.add({
      id: asText(audio['id']),
      data: asText(audio['data']),
      transcript: asText(audio['transcript']),
      expiresAt: Number.isSafeInteger(expiresAt) ? expiresAt : undefined,
    });
  }

  #onToolCall(call: Record<string, unknown>): void {
    this.#words.flush();
    const named = asOptionalRecord(call['function']);
    const index = numberOrNaN(call['index']);
    this.answer.blocks.toolCall({
      index: Number.isSafeInteger(index) ? index : undefined,
      id: asCallId(call['id']) || undefined,
      name: asText(named?.['name']) || undefined,
      arguments: asArguments(named?.['arguments']),
    });
  }

  /**
   * Returns the choice in a chunk. The gateway requests one choice. If there are several, only the index of the
   * answer's first choice is used.
   */
  #choiceIn(chunk: Record<string, unknown>): Record<string, unknown> | undefined {
    const choices = asRecords(chunk['choices']);
    const [first] = choices;
    this.#choiceIndex ??= first?.['index'] ?? undefined;
    return choices.find(({ index }) => (index ?? this.#choiceIndex) === this.#choiceIndex);
  }

  /** Reads one part of a content list. Mistral's reasoning models send lists. */
  #onPart(part: Record<string, unknown>): void {
    if (part['type'] !== 'thinking') {
      this.#words.add(asText(part['text']));
      return;
    }
    const { thinking } = part;
    const texts = typeof thinking === 'string' ? [thinking] : asRecords(thinking).map((inner) => asText(inner['text']));
    this.#onReasoning(texts.join(''));
  }

  /** Reads a source that the model cites after a web search of its provider. */
  #onAnnotation(annotation: Record<string, unknown>): void {
    const citation = citationOf(annotation);
    if (citation) this.answer.blocks.citation(citation);
  }

  #onFinishReason(reason: string, matched: unknown): void {
    this.#finishReason = reason;
    this.answer.close(reason);
    // vLLM reports in `stop_reason` which stop sequence ended the answer.
    if (typeof matched === 'string' && this.#context.request.stop_sequences?.includes(matched)) {
      this.#matchedStopSequence = matched;
    }
  }

  #finish(): void {
    // Reports the tier again, for an answer without usage, and for a tier that follows the usage.
    this.answer.report(withServiceTier({}, this.#servedTier));
    const stopReason = chatStopReason(this.#finishReason, {
      hasRefused: this.#refused,
      hasMatchedStopSequence: this.#matchedStopSequence !== null,
      hasToolCalls: this.answer.blocks.hasToolCalls,
    });
    if (stopReason !== 'failed') this.answer.finish(stopReason, this.#matchedStopSequence);
    else this.answer.fail({ message: 'The provider stopped in the middle of its answer', code: 503 });
  }
}

/**
 * Returns the calls of a list with their positions as indexes, if several calls have the same id and index, or neither
 * (https://github.com/HKUDS/nanobot/issues/4059). Each element with a name is another call.
 */
function separateCalls(calls: Record<string, unknown>[]): Record<string, unknown>[] {
  if (calls.length < 2) return calls;
  const isSeparate = new Set(calls.map(({ index, id }) => JSON.stringify([index, id]))).size === calls.length;
  const haveNames = calls.every((call) => recordOrEmpty(call['function'])['name']);
  return isSeparate || !haveNames ? calls : calls.map((call, index) => ({ ...call, index }));
}

/** Returns the reasoning in a delta. Providers use different fields. Some send only `reasoning_details`. */
function reasoningIn(delta: Record<string, unknown>): string {
  const { reasoning_content: content, reasoning, reasoning_details: details } = delta;
  const text = [content, reasoning].find((one) => typeof one === 'string' && one !== '');
  if (text !== undefined || !Array.isArray(details)) return asText(text);
  return details.map((detail) => textOrAbsent(recordOrEmpty(detail)['text']) ?? '').join('');
}

/**
 * Returns the finish reason of a choice; empty if the answer goes on. OpenRouter may report "stop" after a failure, so a
 * failure in `native_finish_reason` has precedence. Some servers send the text "null" or "None" until the answer ends
 * (https://github.com/PowerShell/AIShell/issues/350, https://github.com/vercel/ai/issues/2548).
 */
function finishReasonIn(choice: Record<string, unknown>): string {
  const reason = asText(choice['finish_reason']);
  if (/^(?:null|none)$/i.test(reason)) return '';
  const native = asText(choice['native_finish_reason']);
  return reason !== '' && isFailedFinish(native) ? native : reason;
}

/** Parses a chunk. Arguments that are an object are parsed exactly, so that their numbers keep their digits. */
function parseChunk(data: string): unknown {
  return /"arguments"\s*:\s*\{/.test(data) ? parseEventExactly(data) : parseEvent(data);
}
