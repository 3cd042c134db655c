/** Converts streams of the Responses API to events of the Messages API. */

import { isRecord } from '../../platform/json/foreign-json.ts';
import { gatewaySignature } from '../../messages/thinking-signatures.ts';
import { expectsJson } from '../../messages/output-format.ts';
import type { AnswerBatch } from '../../messages/types.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import { asOptionalRecord, asRecord, asRecords, asText } from '../shapes.ts';
import type { Reading } from '../decoded-body.ts';
import { TranslatedAnswer } from '../translated/answer.ts';
import { openaiUsage } from '../translated/openai-usage.ts';
import { withServiceTier } from '../translated/service-tier.ts';
import { statesError } from '../faults/error-detection.ts';
import { parseEvent, sseReader, translate } from '../translated/stream.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { DecodeContext } from '../wire.ts';
import { ItemPlaces } from './item-places.ts';
import { OutputItems } from './output-items.ts';
import { responsesStopReason } from './stop-reason.ts';

export function decodeResponsesStream(body: AsyncIterable<Buffer>, context: DecodeContext): PullIterator<AnswerBatch> {
  const translation = new ResponsesTranslation(context);
  const reader = sseReader({ data: (data) => translation.onData(data), end: () => translation.onEnd() });
  return translate(body, translation.answer, reader);
}

/** Converts a non-streaming response, as if it were the last event of a stream. */
export function decodeResponse(document: unknown, context: DecodeContext): AnswerBatch | undefined {
  const response = asRecord(document);
  if (response['error'] || !Array.isArray(response['output']) || hasFailed(response)) return undefined;
  const { batch, failure } = new ResponsesTranslation(context).readDocument(response);
  if (failure) throw failure;
  return batch;
}

class ResponsesTranslation {
  readonly answer: TranslatedAnswer;
  readonly #items: OutputItems;
  readonly #places = new ItemPlaces();
  /** Whether the response failed without an error. */
  #hasFailed = false;

  constructor({ target, ...context }: DecodeContext) {
    this.answer = new TranslatedAnswer(context, gatewaySignature('openai-responses'));
    this.#items = new OutputItems(this.answer, target.providerId, expectsJson(context.request));
  }

  readDocument(response: Record<string, unknown>): Reading {
    return this.answer.reading(() => this.#complete(response));
  }

  onData(data: string): void {
    if (this.answer.ended) return;
    if (data === '[DONE]') {
      this.onEnd();
      return;
    }
    this.#onEvent(asRecord(parseEvent(data)));
    this.answer.waitingBytes = this.#items.waitingBytes;
  }

  /** Handles the end of the stream. A complete stream ends with an event that contains the whole response. */
  onEnd(): void {
    if (this.answer.ended) return;
    if (this.#hasFailed) {
      this.answer.fail(undefined);
      return;
    }
    throw new UpstreamError('broken', 'The provider ended its answer before it was complete');
  }

  #onEvent(event: Record<string, unknown>): void {
    const index = this.#places.of(event);
    switch (asText(event['type'])) {
      case 'response.output_item.added':
      case 'response.output_item.done':
        this.#onItem(index, event);
        break;
      case 'response.output_text.delta':
      case 'response.output_text.done':
        this.#onText(index, event);
        break;
      case 'response.output_text.annotation.added':
        this.#items.cite(index, event['content_index'], asRecord(event['annotation']));
        break;
      case 'response.refusal.delta':
        this.#items.say(index, 'refusal', event['content_index'], asText(event['delta']));
        break;
      case 'response.refusal.done':
        this.#items.sayWhole(index, 'refusal', event['content_index'], asText(event['refusal']));
        break;
      case 'response.reasoning_summary_text.delta':
        this.#items.say(index, 'summary', event['summary_index'], asText(event['delta']));
        break;
      case 'response.reasoning_summary_text.done':
        this.#items.sayWhole(index, 'summary', event['summary_index'], asText(event['text']));
        break;
      // LM Studio and DeepSeek send the complete reasoning, not only a summary.
      case 'response.reasoning_text.delta':
        this.#items.say(index, 'reasoning', event['content_index'], asText(event['delta']));
        break;
      case 'response.reasoning_text.done':
        this.#items.sayWhole(index, 'reasoning', event['content_index'], asText(event['text']));
        break;
      case 'response.function_call_arguments.delta':
        this.#items.passArguments(index, asText(event['delta']));
        break;
      case 'response.function_call_arguments.done':
        this.#items.passWholeArguments(index, event['arguments']);
        break;
      case 'response.in_progress':
        this.#report(asOptionalRecord(event['response']) ?? {});
        break;
      case 'response.completed':
      case 'response.incomplete':
        this.#complete(asRecord(event['response']));
        break;
      case 'response.failed':
      case 'response.cancelled':
        // Relays put the error into the event, next to the response (https://github.com/openai/codex/issues/24973).
        this.#fail(asRecord(event['response']), event['error']);
        break;
      case 'error':
        this.answer.fail(event['error'] ?? event);
        break;
      default:
        // An event without a type may be an error of a proxy. Content in other events is repeated later.
        if (event['error'] || (event['type'] === undefined && statesError(event))) {
          this.answer.fail(event['error'] ?? event);
        }
    }
  }

  /** Reads the start or the end of an item. Some servers send null items (https://github.com/openai/openai-python/pull/3126). */
  #onItem(index: number, { type, item: sent }: Record<string, unknown>): void {
    const item = asOptionalRecord(sent);
    if (!item) return;
    if (type === 'response.output_item.added') this.#items.begin(index, item);
    else this.#items.end(index, item);
  }

  /** Reads a text. The API repeats the complete text after its deltas, so it is written only if there was no delta. */
  #onText(index: number, { type, content_index: number, ...event }: Record<string, unknown>): void {
    const logprobs = this.answer.logprobsIn(event['logprobs']);
    if (type === 'response.output_text.delta') this.#items.say(index, 'text', number, asText(event['delta']), logprobs);
    else this.#items.sayWhole(index, 'text', number, asText(event['text']), logprobs);
  }

  #complete(response: Record<string, unknown>): void {
    if (hasFailed(response)) {
      this.#fail(response);
      return;
    }
    this.#report(response);
    this.answer.start();
    if (!this.#items.hasAnswer) {
      for (const [index, item] of asRecords(response['output']).entries()) this.#items.end(index, item);
    }
    this.#items.finish();
    const { hasRefused } = this.#items;
    this.answer.close(
      asText(asOptionalRecord(response['incomplete_details'])?.['reason']) || asText(response['status']),
    );
    this.answer.finish(responsesStopReason(response, { hasRefused, hasToolCalls: this.answer.blocks.hasToolCalls }));
  }

  /**
   * Ends the answer with the error of a failed response. Azure may send the error only in a later event
   * (https://github.com/maximhq/bifrost/pull/6652).
   */
  #fail(response: Record<string, unknown>, beside?: unknown): void {
    this.#report(response);
    const error = response['error'] ?? beside;
    if (error === undefined || error === null) this.#hasFailed = true;
    else this.answer.fail(error);
  }

  #report({ usage, service_tier: tier }: Record<string, unknown>): void {
    const reported = withServiceTier(isRecord(usage) ? openaiUsage(usage) : {}, tier);
    if (isRecord(usage) || reported['service_tier']) this.answer.report(reported);
  }
}

function hasFailed({ status }: Record<string, unknown>): boolean {
  return status === 'failed' || status === 'cancelled';
}
