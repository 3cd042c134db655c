/**
 * Converts Gemini's answers into Messages events. Based on recordings of the Gemini API and of Vertex AI. Missing
 * fields and other deviations are tolerated here.
 */

import { gatewaySignature } from '../../messages/thinking-signatures.ts';
import type { TokenLogprob } from '../../messages/token-logprob.ts';
import type { AnswerBatch } from '../../messages/types.ts';
import { asList, asOptionalRecord, asRecord, asText } from '../shapes.ts';
import { TranslatedAnswer, type Reading } from '../translated/answer.ts';
import { parseEventExactly, sseReader, translate } from '../translated/stream.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { DecodeContext } from '../wire.ts';
import { CallReader } from './calls.ts';
import { geminiStopReason } from './finish-reason.ts';
import { geminiLogprobs } from './logprobs.ts';
import { sealSignature } from './signatures.ts';
import { geminiUsage } from './usage.ts';

export function decodeGeminiStream(
  body: AsyncIterable<Buffer>,
  context: DecodeContext,
): AsyncGenerator<AnswerBatch, void> {
  const translation = new GeminiTranslation(context);
  const reader = sseReader({
    data: (data) => translation.onResponse(asRecord(firstOf(parseEventExactly(data)))),
    end: () => translation.onEnd(),
  });
  return translate(body, translation.answer, reader);
}

/** An error may come as a list with one element. */
function firstOf(response: unknown): unknown {
  return Array.isArray(response) ? response[0] : response;
}

/** An answer that came as one document, or as the list that a stream without `alt=sse` returns. */
export function decodeGeminiDocument(document: unknown, context: DecodeContext): AnswerBatch | undefined {
  const responses = (Array.isArray(document) ? document : [document]).map(asRecord);
  const [first] = responses;
  if (!first?.['candidates'] && !first?.['promptFeedback']) return undefined;
  const translation = new GeminiTranslation(context);
  const { batch, failure } = translation.readDocument(responses);
  if (failure) throw failure;
  return batch;
}

class GeminiTranslation {
  readonly answer: TranslatedAnswer;
  readonly #context: DecodeContext;
  readonly #calls: CallReader;
  #finishReason: string | undefined;
  /** Signature of the text before it. It arrives behind the text, usually on an empty text. */
  #textSignature: string | undefined;
  /** Probabilities that came with the current parts; they belong to the first text among them. */
  #logprobs: TokenLogprob[] | undefined;

  constructor(context: DecodeContext) {
    this.#context = context;
    this.answer = new TranslatedAnswer(context, gatewaySignature(context.target.providerId), 'letterFirst');
    const isSingle = context.request.tool_choice?.disable_parallel_tool_use === true;
    this.#calls = new CallReader(this.answer.blocks, isSingle);
  }

  readDocument(responses: Record<string, unknown>[]): Reading {
    return this.answer.reading(() => {
      for (const response of responses) this.onResponse(response);
      this.onEnd();
    });
  }

  onResponse(response: Record<string, unknown>): void {
    if (this.answer.ended) return;
    const usage = geminiUsage(asOptionalRecord(response['usageMetadata']) ?? {});
    if (usage) this.answer.report(usage);
    if (response['error']) {
      this.answer.fail(response['error']);
      return;
    }
    const [first] = asList(response['candidates']);
    if (first !== undefined) this.#onCandidate(asRecord(first));
    else if (asText(asOptionalRecord(response['promptFeedback'])?.['blockReason']) !== '') this.#onReason('SAFETY');
  }

  onEnd(): void {
    if (this.answer.ended) return;
    if (this.#finishReason === undefined) {
      throw new UpstreamError('broken', 'The provider ended its answer before it was complete');
    }
    // A call that the limit cut off stays incomplete.
    if (this.#finishReason === 'STOP') this.#calls.end();
    const stopReason = geminiStopReason(this.#finishReason, this.answer.blocks.hasToolCalls);
    if (stopReason === 'failed') {
      this.answer.fail({ message: 'The provider stopped in the middle of its answer' });
      return;
    }
    this.answer.start();
    this.answer.finish(stopReason);
  }

  /** Only usage follows the finish reason. */
  #onCandidate(candidate: Record<string, unknown>): void {
    if (this.#finishReason !== undefined) return;
    this.#logprobs = this.answer.logprobsIn(candidate['logprobsResult'], geminiLogprobs);
    for (const part of asList(asOptionalRecord(candidate['content'])?.['parts'])) this.#onPart(asRecord(part));
    const reason = asText(candidate['finishReason']);
    if (reason !== '') this.#onReason(reason);
  }

  #onReason(reason: string): void {
    this.#finishReason = reason;
    this.answer.close(reason);
  }

  /** An answer begins with its first part. If it fails before that, another endpoint may succeed. */
  #onPart(part: Record<string, unknown>): void {
    this.answer.start();
    const signature = asText(part['thoughtSignature']);
    const call = asOptionalRecord(part['functionCall']);
    if (call) this.#onCall(call, signature);
    else if (part['thought'] === true) this.#onThought(asText(part['text']), signature);
    else this.#onText(asText(part['text']), signature);
  }

  /** The thinking with a call's signature comes directly before the call. */
  #onCall(call: Record<string, unknown>, signature: string): void {
    if (this.#calls.begins(call)) {
      this.#signText();
      this.#sign('call', signature);
    }
    this.#calls.read(call);
  }

  #onThought(thought: string, signature: string): void {
    this.#signText();
    this.answer.blocks.thinking(thought);
    this.#sign('thought', signature);
  }

  #onText(text: string, signature: string): void {
    this.answer.blocks.text(text, this.#logprobs);
    if (text !== '') this.#logprobs = undefined;
    if (signature !== '') this.#textSignature = signature;
  }

  /**
   * Writes the signature of a text when the answer continues after it. At the end of the answer it is dropped. No
   * native answer ends with thinking after its text, and clients read the last block as the reply. Google requires
   * signatures only for calls.
   */
  #signText(): void {
    this.#sign('text', this.#textSignature ?? '');
    this.#textSignature = undefined;
  }

  #sign(of: 'thought' | 'text' | 'call', signature: string): void {
    if (signature !== '') this.answer.blocks.sign(sealSignature(of, signature, this.#context.target));
  }
}
