/** Converts Gemini's answers to events of the Messages API. */

import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { gatewaySignature } from '../../messages/thinking-signatures.ts';
import type { TokenLogprob } from '../../messages/token-logprob.ts';
import type { AnswerBatch } from '../../messages/types.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import { asOptionalRecord, asRecord, asRecords, asText } from '../shapes.ts';
import type { Reading } from '../decoded-body.ts';
import { TranslatedAnswer } from '../translated/answer.ts';
import { drawnImage } from '../translated/drawn-image.ts';
import { parseEventExactly, sseReader, translate } from '../translated/stream.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { DecodeContext } from '../wire.ts';
import { CallReader } from './calls.ts';
import { blockReasonOf, geminiStopReason } from './finish-reason.ts';
import { geminiLogprobs } from './logprobs.ts';
import { makesMusic, Song } from './music.ts';
import { sealSignature } from './signatures.ts';
import { geminiUsage } from './usage.ts';

export function decodeGeminiStream(body: AsyncIterable<Buffer>, context: DecodeContext): PullIterator<AnswerBatch> {
  const translation = new GeminiTranslation(context);
  const reader = sseReader({
    data: (data) => translation.onResponse(asRecord(firstOf(parseEventExactly(data)))),
    end: () => translation.onEnd(),
  });
  return translate(body, translation.answer, reader);
}

/** Returns the first element if the value is a list: Google sends some errors as a list with one element. */
function firstOf(response: unknown): unknown {
  return Array.isArray(response) ? response[0] : response;
}

/** Converts a non-streaming answer: a document, or the list of documents that Gemini returns without `alt=sse`. */
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
  /** Writer of the requested song; undefined if the request is not for music. */
  readonly #song: Song | undefined;
  #finishReason: string | undefined;
  /** Signature of the last text. Gemini sends it after the text, usually on a part with an empty text. */
  #textSignature: string | undefined;
  /** Token probabilities in the current event, which belong to the event's first text. */
  #logprobs: TokenLogprob[] | undefined;

  constructor(context: DecodeContext) {
    this.#context = context;
    this.answer = new TranslatedAnswer(context, gatewaySignature(context.target.providerId), 'letterFirst');
    const isSingle = context.request.tool_choice?.disable_parallel_tool_use === true;
    this.#calls = new CallReader(this.answer.blocks, isSingle);
    if (makesMusic(context.request)) this.#song = new Song(this.answer.blocks);
  }

  readDocument(responses: Record<string, unknown>[]): Reading {
    return this.answer.reading(() => {
      for (const response of responses) this.onResponse(response);
      this.onEnd();
    });
  }

  onResponse(response: Record<string, unknown>): void {
    if (this.answer.ended) return;
    const usage = geminiUsage(recordOrEmpty(response['usageMetadata']));
    if (usage) this.answer.report(usage);
    if (response['error']) {
      this.answer.fail(response['error']);
      return;
    }
    const [first] = asRecords(response['candidates']);
    if (first) this.#onCandidate(first);
    else if (blockReasonOf(response) !== undefined) this.#onReason('SAFETY');
  }

  onEnd(): void {
    if (this.answer.ended) return;
    if (this.#finishReason === undefined) {
      throw new UpstreamError('broken', 'The provider ended its answer before it was complete');
    }
    // In some complete answers, no piece marks the end of the last call. A call that the token limit cut off stays
    // incomplete.
    if (this.#finishReason === 'STOP') this.#calls.end();
    this.#song?.end(this.#finishReason === 'STOP');
    const { hasOutput, hasToolCalls } = this.answer.blocks;
    // With a text, NO_IMAGE is a refusal, and the text says why. Without a text, another endpoint may draw the image.
    const isRefused = this.#finishReason === 'NO_IMAGE' && hasOutput;
    const stopReason = isRefused ? 'refusal' : geminiStopReason(this.#finishReason, hasToolCalls);
    if (stopReason === 'failed') {
      this.answer.fail({ message: 'The provider stopped in the middle of its answer' });
      return;
    }
    this.answer.start();
    this.answer.finish(stopReason);
  }

  /**
   * Reads a piece of the answer. Content may follow a finish reason (https://github.com/0xPlaygrounds/rig/pull/2328);
   * the last reason counts.
   */
  #onCandidate(candidate: Record<string, unknown>): void {
    this.#logprobs = this.answer.logprobsIn(candidate['logprobsResult'], geminiLogprobs);
    const parts = asRecords(asOptionalRecord(candidate['content'])?.['parts']);
    for (const part of parts) this.#onPart(part);
    // If this piece has no text, its probabilities belong to text in other pieces, unless it has a thought or a call.
    const isOfText = parts.every((part) => part['thought'] !== true && !part['functionCall']);
    if (isOfText) this.answer.blocks.text('', this.#logprobs);
    const reason = asText(candidate['finishReason']);
    if (reason !== '') this.#onReason(reason);
  }

  #onReason(reason: string): void {
    this.#finishReason = reason;
    this.answer.close(reason);
  }

  /** Reads a part. The answer begins with the first part, not earlier: until then, another endpoint can answer. */
  #onPart(part: Record<string, unknown>): void {
    this.answer.start();
    const signature = asText(part['thoughtSignature']);
    const call = asOptionalRecord(part['functionCall']);
    const inline = asOptionalRecord(part['inlineData']);
    if (call) this.#onCall(call, signature);
    else if (inline && this.#song) this.#song.audio(inline);
    else if (inline) this.#onImage(inline, { signature, isDraft: part['thought'] === true });
    else if (part['thought'] === true) {
      // A song is one block, so thoughts after its first audio are dropped.
      if (!this.#song?.hasAudio) this.#onThought(asText(part['text']), signature);
    } else if (this.#song) this.#song.text(asText(part['text']));
    else this.#onText(asText(part['text']), signature);
  }

  /** Reads a tool call. Its signature becomes a thinking block directly before the call. */
  #onCall(call: Record<string, unknown>, signature: string): void {
    if (this.#calls.begins(call)) {
      this.#signText();
      this.#sign('call', signature);
    }
    this.#calls.read(call);
  }

  /** Reads an image. Drafts that a model draws while it thinks are not part of the answer. */
  #onImage(inline: Record<string, unknown>, { signature, isDraft }: { signature: string; isDraft: boolean }): void {
    if (isDraft || !this.#context.request.modalities?.includes('image')) return;
    this.#signText();
    this.#sign('image', signature);
    const source = drawnImage(asText(inline['mimeType']), asText(inline['data']));
    this.answer.blocks.media({ type: 'image', source });
  }

  #onThought(thought: string, signature: string): void {
    this.#signText();
    this.answer.blocks.thinking(thought);
    this.#sign('thought', signature);
  }

  #onText(text: string, signature: string): void {
    if (text !== '') {
      this.answer.blocks.text(text, this.#logprobs);
      this.#logprobs = undefined;
    }
    if (signature !== '') this.#textSignature = signature;
  }

  /**
   * Writes the signature of the last text once the answer continues. At the answer's end, it is dropped: clients would
   * take its thinking block for the reply, and Google does not require it.
   */
  #signText(): void {
    this.#sign('text', this.#textSignature ?? '');
    this.#textSignature = undefined;
  }

  #sign(of: Parameters<typeof sealSignature>[0], signature: string): void {
    if (signature !== '') this.answer.blocks.sign(sealSignature(of, signature, this.#context.target));
  }
}
