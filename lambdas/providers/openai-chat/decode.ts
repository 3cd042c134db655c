/**
 * Chat-completions streams as Messages events. Written against recordings of many providers: what one of them leaves
 * out, repeats or spells differently is tolerated here, and each tolerance names its provider.
 */

import { createParser, type EventSourceParser } from 'eventsource-parser';
import { gatewaySignature } from '../../messages/thinking-signatures.ts';
import type { AnswerBatch, MessagesEvent, WireUsage } from '../../messages/types.ts';
import { UpstreamError } from '../upstream-http.ts';
import { withLastWords } from '../last-words.ts';
import type { DecodeContext } from '../wire.ts';
import { BlockWriter } from '../block-writer.ts';
import { citationOf } from './citations.ts';
import { chatError } from './errors.ts';
import { stopReasonOf } from './finish-reason.ts';
import { asList, asOptionalRecord, asRecord, asText } from '../shapes.ts';
import { laterUsage, messagesUsage } from './usage.ts';
import { WholeLines } from '../whole-lines.ts';

const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

export async function* decodeChatStream(
  body: AsyncIterable<Buffer>,
  context: DecodeContext,
): AsyncGenerator<AnswerBatch, void> {
  const translation = new ChatTranslation(context);
  const decoder = new TextDecoder();
  const lines = new WholeLines();
  try {
    for await (const chunk of withLastWords(body, () => translation.isClosing)) {
      const { batch, failure } = translation.read(lines.push(decoder.decode(chunk, { stream: true })));
      if (batch) yield batch;
      if (failure) throw failure;
      if (translation.ended) return;
    }
  } catch (error) {
    // An answer that has said how it ends is whole, whatever happens to the connection.
    if (!translation.isClosing) throw error;
  }
  const { batch, failure } = translation.readEnd(lines.rest() + decoder.decode());
  if (batch) yield batch;
  if (failure) throw failure;
}

/** A completion that came as one document: its message is a stream of one piece. */
export function decodeCompletion(document: unknown, context: DecodeContext): AnswerBatch | undefined {
  const completion = asRecord(document);
  const [choice] = asList(completion['choices']);
  if (choice === undefined || completion['error']) return undefined;
  const translation = new ChatTranslation(context);
  const piece = { ...asRecord(choice), delta: asRecord(asRecord(choice)['message']) };
  const { batch, failure } = translation.readDocument({ ...completion, choices: [piece] });
  if (failure) throw failure;
  return batch;
}

interface Reading {
  /** Undefined when there is nothing new. */
  batch: AnswerBatch | undefined;
  failure: unknown;
}

class ChatTranslation {
  /** message_stop or an error was written: nothing may follow. */
  ended = false;
  readonly #context: DecodeContext;
  readonly #parser: EventSourceParser;
  readonly #blocks = new BlockWriter(gatewaySignature('openai-chat'));
  #events: MessagesEvent[] = [];
  #started = false;
  #finishReason: string | undefined;
  #matchedStopSequence: string | null = null;
  #saidDone = false;
  /** Part of it has been passed on. */
  #begun = false;
  #refused = false;
  #usage: WireUsage | undefined;
  /** Usage that no batch has carried yet. */
  #unreported: WireUsage | undefined;
  #finished = false;

  constructor(context: DecodeContext) {
    this.#context = context;
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_CHARACTERS,
      onEvent: ({ data }) => this.#onData(data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded')
          throw new UpstreamError('malformed', 'An event of the stream is too large');
      },
    });
  }

  /** It has said why it ends. */
  get isClosing(): boolean {
    return this.#finishReason !== undefined && !this.ended;
  }

  /** Reads a piece of the stream. What came before a failure is in the batch next to it. */
  read(text: string): Reading {
    return this.#reading(() => this.#parser.feed(text));
  }

  /** Reads the last piece. Upstreams may close without [DONE], but not without an answer. */
  readEnd(text: string): Reading {
    return this.#reading(() => {
      this.#parser.feed(`${text}\n\n`);
      if (!this.ended) this.#endOfStream();
    });
  }

  readDocument(completion: Record<string, unknown>): Reading {
    return this.#reading(() => {
      this.#onChunk(completion);
      if (!this.ended) this.#endOfStream();
    });
  }

  #reading(read: () => void): Reading {
    let failure: unknown;
    try {
      read();
    } catch (error) {
      failure = error;
    }
    this.#collect();
    const events = this.#events.map((data) => ({ data }));
    this.#events = [];
    // An answer that fails in its first piece has not begun.
    if (failure && !this.#blocks.hasOutput && !this.#begun) return { batch: undefined, failure };
    this.#begun ||= events.length > 0;
    // The end of a whole answer carries its usage itself.
    const usage = this.#finished ? undefined : this.#unreported;
    this.#unreported = undefined;
    const heldBackBytes = this.#blocks.heldBackBytes;
    const isNews = events.length > 0 || usage !== undefined || heldBackBytes > 0;
    return { batch: isNews ? { events, usage, heldBackBytes, isClosing: this.isClosing } : undefined, failure };
  }

  #endOfStream(): void {
    // An answer that does not say how it ends is whole if [DONE] came, and if there is any output.
    if (this.#finishReason === undefined && !this.#saidDone) {
      throw new UpstreamError('broken', 'The provider ended its answer before it was complete');
    }
    if (this.#finishReason === undefined && !this.#blocks.hasOutput) {
      throw new UpstreamError('malformed', 'The provider ended its answer without giving one');
    }
    this.#finish();
  }

  #onData(data: string): void {
    if (this.ended) return;
    if (data === '[DONE]') {
      this.#saidDone = true;
      this.#endOfStream();
      return;
    }
    let chunk: unknown;
    try {
      chunk = JSON.parse(data);
    } catch {
      throw new UpstreamError('malformed', 'The provider sent an event that is not JSON');
    }
    this.#onChunk(asRecord(chunk));
  }

  #onChunk(chunk: Record<string, unknown>): void {
    // Groq puts usage into a field of its own, in the chunk with the finish reason.
    const usage = chunk['usage'] ?? asOptionalRecord(chunk['x_groq'])?.['usage'];
    if (usage != null) this.#unreported = this.#usage = laterUsage(this.#usage, messagesUsage(asRecord(usage)));
    if (chunk['error']) {
      this.#fail(chunk['error']);
      return;
    }
    this.#start();
    const [first] = asList(chunk['choices']);
    if (first === undefined) return;
    const choice = asRecord(first);
    const delta = asOptionalRecord(choice['delta']);
    if (delta) this.#onDelta(delta);
    const reason = asText(choice['finish_reason']);
    if (reason !== '') this.#onFinishReason(reason, choice['stop_reason']);
  }

  #onDelta(delta: Record<string, unknown>): void {
    // DeepSeek, Moonshot, Alibaba, xAI and Z.ai; Groq, Cerebras, OpenRouter and Together.
    this.#blocks.thinking(asText(delta['reasoning_content'] ?? delta['reasoning']));
    const { content } = delta;
    if (typeof content === 'string') this.#blocks.text(content);
    else for (const part of asList(content)) this.#onPart(asRecord(part));
    for (const annotation of asList(delta['annotations'])) this.#onAnnotation(asRecord(annotation));
    const refusal = asText(delta['refusal']);
    if (refusal !== '') {
      this.#refused = true;
      this.#blocks.text(refusal);
    }
    for (const call of asList(delta['tool_calls'])) this.#onToolCall(asRecord(call));
  }

  #onToolCall(call: Record<string, unknown>): void {
    const named = asOptionalRecord(call['function']);
    const args = named?.['arguments'];
    this.#blocks.toolCall({
      index: Number.isSafeInteger(call['index']) ? (call['index'] as number) : undefined,
      id: asText(call['id']) || undefined,
      name: asText(named?.['name']) || undefined,
      arguments: typeof args === 'string' || args == null ? (args ?? '') : JSON.stringify(args),
    });
  }

  /** Mistral's reasoning models send content as typed parts. */
  #onPart(part: Record<string, unknown>): void {
    if (part['type'] === 'text') this.#blocks.text(asText(part['text']));
    if (part['type'] !== 'thinking') return;
    const { thinking } = part;
    const texts =
      typeof thinking === 'string' ? [thinking] : asList(thinking).map((inner) => asText(asRecord(inner)['text']));
    this.#blocks.thinking(texts.join(''));
  }

  /** Sources of models that search on their own. */
  #onAnnotation(annotation: Record<string, unknown>): void {
    const citation = citationOf(annotation);
    if (citation) this.#blocks.citation(citation);
  }

  #onFinishReason(reason: string, matched: unknown): void {
    this.#finishReason = reason;
    // vLLM says which stop sequence matched.
    if (typeof matched === 'string' && this.#context.request.stop_sequences?.includes(matched)) {
      this.#matchedStopSequence = matched;
    }
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#events.push({
      type: 'message_start',
      message: {
        id: '',
        type: 'message',
        role: 'assistant',
        model: '',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: this.#context.estimatedInputTokens, output_tokens: 0 },
      },
    });
  }

  #finish(): void {
    const stopReason = stopReasonOf(this.#finishReason, {
      hasRefused: this.#refused,
      hasMatchedStopSequence: this.#matchedStopSequence !== null,
      hasToolCalls: this.#blocks.hasToolCalls,
    });
    if (stopReason === 'failed') {
      this.#fail({ message: 'The provider stopped in the middle of its answer', code: 503 });
      return;
    }
    this.#blocks.finish();
    this.#collect();
    this.#events.push(
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason, stop_sequence: this.#matchedStopSequence },
        // Without usage from the provider, the gateway counts and fills in the numbers.
        usage: this.#usage ?? {},
      },
      { type: 'message_stop' },
    );
    this.ended = this.#finished = true;
  }

  #fail(error: unknown): void {
    const { type, message } = chatError(error);
    this.#collect();
    this.#events.push({ type: 'error', error: { type: type ?? 'api_error', message } });
    this.ended = true;
  }

  #collect(): void {
    this.#events.push(...this.#blocks.take());
  }
}
