import { createParser, type EventSourceParser } from 'eventsource-parser';
import { ownSignature } from '../../messages/foreign-thinking.ts';
import type { AnswerEvent, MessagesEvent, StopReason, WireUsage } from '../../messages/types.ts';
import { UpstreamError } from '../upstream-http.ts';
import type { DecodeContext } from '../wire.ts';
import { BlockWriter } from './block-writer.ts';
import { messagesUsage, type ChatUsage } from './usage.ts';

/**
 * Chat-completions streams as Messages events. Written against recordings of many providers: what one of them leaves
 * out, doubles or spells differently is tolerated here, and each tolerance says whose it is.
 */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/** Reasons to finish that mean the answer failed: Mistral, DeepSeek, Z.ai, vLLM, Gemini. */
const FAILURES = new Set([
  'error',
  'insufficient_system_resource',
  'network_error',
  'abort',
  'malformed_function_call',
]);
/** Reasons that mean the provider would not say more: OpenAI, Z.ai, Gemini. */
const REFUSALS = new Set(['content_filter', 'sensitive', 'safety', 'prohibited_content', 'recitation', 'blocklist']);

type ContentPart = { type?: string; text?: string; thinking?: string | { text?: string }[] };

interface ChatDelta {
  content?: string | ContentPart[] | null;
  /** DeepSeek, Moonshot, Alibaba, xAI, Z.ai. */
  reasoning_content?: string | null;
  /** Groq, Cerebras, OpenRouter, Together. */
  reasoning?: string | null;
  refusal?: string | null;
  tool_calls?: ChatToolCall[] | null;
}

interface ChatToolCall {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | Record<string, unknown> | null } | null;
}

interface ChatChunk {
  choices?: { delta?: ChatDelta | null; finish_reason?: string | null; stop_reason?: unknown }[] | null;
  usage?: ChatUsage | null;
  /** Groq puts usage here, in the chunk that finishes. */
  x_groq?: { usage?: ChatUsage | null } | null;
  error?: { message?: string; type?: string; code?: unknown } | string | null;
}

export async function* decodeChatStream(
  body: AsyncIterable<Buffer>,
  context: DecodeContext,
): AsyncGenerator<AnswerEvent[], void> {
  const translation = new ChatTranslation(context);
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    translation.feed(decoder.decode(chunk, { stream: true }));
    const events = translation.take();
    if (events.length > 0) yield events.map((data) => ({ data }));
    if (translation.ended) return;
  }
  translation.feed(`${decoder.decode()}\n\n`);
  if (!translation.ended) translation.endOfStream();
  const events = translation.take();
  if (events.length > 0) yield events.map((data) => ({ data }));
}

class ChatTranslation {
  /** message_stop or an error was written: nothing may follow. */
  ended = false;
  readonly #context: DecodeContext;
  readonly #parser: EventSourceParser;
  readonly #blocks = new BlockWriter(ownSignature('openai-chat'));
  #events: MessagesEvent[] = [];
  #started = false;
  #finishReason: string | undefined;
  #matchedStopSequence: string | null = null;
  #refused = false;
  #usage: WireUsage | undefined;

  constructor(context: DecodeContext) {
    this.#context = context;
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_CHARACTERS,
      onEvent: ({ data }) => this.#onData(data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded')
          throw new UpstreamError('broken', 'An event of the stream is too large');
      },
    });
  }

  feed(text: string): void {
    this.#parser.feed(text);
  }

  take(): MessagesEvent[] {
    this.#collect();
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Upstreams may close without [DONE], but not without a reason to stop. */
  endOfStream(): void {
    if (this.#finishReason === undefined) {
      throw new UpstreamError('broken', 'The provider ended its answer before it was complete');
    }
    this.#finish();
  }

  #onData(data: string): void {
    if (this.ended) return;
    if (data === '[DONE]') {
      this.endOfStream();
      return;
    }
    let chunk: ChatChunk;
    try {
      chunk = JSON.parse(data) as ChatChunk;
    } catch {
      throw new UpstreamError('broken', 'The provider sent an event that is not JSON');
    }
    if (chunk.error) {
      this.#fail(chunk.error);
      return;
    }
    this.#start();
    const usage = chunk.usage ?? chunk.x_groq?.usage;
    if (usage) this.#usage = messagesUsage(usage);
    const choice = chunk.choices?.[0];
    if (!choice) return;
    if (choice.delta) this.#onDelta(choice.delta);
    if (choice.finish_reason) this.#onFinishReason(choice.finish_reason, choice.stop_reason);
  }

  #onDelta(delta: ChatDelta): void {
    this.#blocks.thinking(delta.reasoning_content ?? delta.reasoning ?? '');
    if (typeof delta.content === 'string') this.#blocks.text(delta.content);
    else for (const part of delta.content ?? []) this.#onPart(part);
    if (delta.refusal) {
      this.#refused = true;
      this.#blocks.text(delta.refusal);
    }
    for (const call of delta.tool_calls ?? []) {
      const args = call.function?.arguments;
      this.#blocks.toolCall({
        index: call.index ?? undefined,
        id: call.id || undefined,
        name: call.function?.name || undefined,
        arguments: typeof args === 'string' ? args : args ? JSON.stringify(args) : '',
      });
    }
  }

  /** Mistral's reasoning models send content as typed parts. */
  #onPart(part: ContentPart): void {
    if (part.type === 'text') this.#blocks.text(part.text ?? '');
    if (part.type !== 'thinking') return;
    const thinking = part.thinking ?? '';
    this.#blocks.thinking(typeof thinking === 'string' ? thinking : thinking.map((inner) => inner.text ?? '').join(''));
  }

  #onFinishReason(reason: string, matched: unknown): void {
    this.#finishReason = reason;
    // vLLM tells which stop sequence matched.
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
    if (FAILURES.has(this.#finishReason!.toLowerCase())) {
      this.#fail({ message: 'The provider stopped in the middle of its answer', type: 'overloaded_error' });
      return;
    }
    this.#blocks.finish();
    this.#collect();
    this.#events.push(
      {
        type: 'message_delta',
        delta: { stop_reason: this.#stopReason(), stop_sequence: this.#matchedStopSequence },
        // Without usage from the provider the gateway counts; it fills the numbers in.
        usage: this.#usage ?? {},
      },
      { type: 'message_stop' },
    );
    this.ended = true;
  }

  #stopReason(): StopReason {
    if (this.#refused) return 'refusal';
    if (this.#matchedStopSequence !== null) return 'stop_sequence';
    const reason = this.#finishReason!.toLowerCase();
    if (REFUSALS.has(reason)) return 'refusal';
    switch (reason) {
      case 'length':
      case 'max_tokens':
        return 'max_tokens';
      case 'model_length':
      case 'model_context_window_exceeded':
        return 'model_context_window_exceeded';
      default:
        // Some upstreams say "stop" after tool calls, or announce calls that never come.
        return this.#blocks.hasToolCalls ? 'tool_use' : 'end_turn';
    }
  }

  #fail(error: NonNullable<ChatChunk['error']>): void {
    const { message, type, code } =
      typeof error === 'string' ? { message: error, type: undefined, code: undefined } : error;
    const overloaded = /overload|unavailable|capacity/i.test(`${type} ${String(code)}`) || Number(code) === 503;
    const atFault = Number(code) === 400 || /invalid_request/i.test(`${type} ${String(code)}`);
    const limited = Number(code) === 429 || /rate.?limit/i.test(`${type} ${String(code)}`);
    this.#collect();
    this.#events.push({
      type: 'error',
      error: {
        type: limited
          ? 'rate_limit_error'
          : overloaded
            ? 'overloaded_error'
            : atFault
              ? 'invalid_request_error'
              : 'api_error',
        message: message ?? 'The provider stopped with an error',
      },
    });
    this.ended = true;
  }

  #collect(): void {
    this.#events.push(...this.#blocks.take());
  }
}
