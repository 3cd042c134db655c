/** Writes an answer as chunks of the Chat Completions API. */

import { isRefusal } from '../../messages/refusal-block.ts';
import type { TokenLogprob } from '../../messages/token-logprob.ts';
import {
  PROVIDER,
  WRITTEN,
  type Block,
  type Delta,
  type MessageDelta,
  type MessagesEvent,
} from '../../messages/types.ts';
import { withArguments } from '../../messages/assemble.ts';
import type { ErrorEnvelope } from '../../platform/errors.ts';
import { STREAM_DONE } from '../../platform/sse.ts';
import { urlAnnotations } from '../citations.ts';
import { chatLogprobs, type CompletionSettings } from './completion.ts';
import { customInput } from '../custom-tools.ts';
import { lastEnding } from '../last-ending.ts';
import { finishFields } from './finish-reason.ts';
import { chatImage } from './media.ts';
import { encryptedDetail, signatureDetail, textDetail, type ShownDetail } from './reasoning-details.ts';
import { createdSeconds } from './created-seconds.ts';
import { completionUsage } from './usage.ts';

interface OpenBlock {
  type: string;
  /** Index at which the block's text begins in the answer's content, in UTF-16 units. */
  start: number;
  citations: unknown[];
  /** Index of the tool call among the answer's tool calls, or of the thinking block among its thinking blocks. */
  index: number;
  /** Number of tool calls that began before the block. */
  calls: number;
  isRefusal: boolean;
  /** Whether a part of the call's arguments, or of the thinking that the client gets, has arrived. */
  hasBegun: boolean;
  /** Complete arguments of a call, if they arrived in one piece. */
  input: unknown;
  /** Whether the block calls a custom tool. The call's input is sent at the end of the block. */
  isCustom: boolean;
  /** JSON of a custom tool call, as received so far. */
  json: string;
}

const CHUNK_START = 'data: {';

/** Id, model and provider of an answer. */
export interface AnswerIdentity {
  generationId: string;
  model: string;
  provider?: string | undefined;
}

export interface ChunkSettings extends CompletionSettings {
  /** Whether the client requested an additional chunk with the usage, after the chunk with the finish reason. */
  hasUsageChunk: boolean;
}

export class ChunkWriter {
  readonly #settings: ChunkSettings;
  /** Start of every chunk: the members that all chunks of the answer share. */
  #head: string;
  /** Length of the content that was already sent, in UTF-16 units. */
  #length = 0;
  #calls = 0;
  #thoughts = 0;
  #images = 0;
  #hasRefusal = false;
  /** Open blocks by their index. Some providers begin a block before the end of the previous one. */
  readonly #open = new Map<number, OpenBlock>();
  #ending: MessageDelta | undefined;

  constructor(identity: AnswerIdentity, settings: ChunkSettings) {
    this.#settings = settings;
    this.#head = headOf(identity);
  }

  /** Returns the chunks for an event; empty if the Chat Completions API has no equivalent. */
  write(event: MessagesEvent): string {
    switch (event.type) {
      case 'message_start':
        this.#head = headOf({
          generationId: event.message.id,
          model: event.message.model,
          provider: event.message[PROVIDER],
        });
        return this.#delta({ role: 'assistant', content: '' });
      case 'content_block_start':
        return this.#begin(event.index, event.content_block);
      case 'content_block_delta': {
        const open = this.#open.get(event.index);
        return open ? this.#piece(open, event.delta) : '';
      }
      case 'content_block_stop':
        return this.#end(event.index);
      case 'message_delta':
        this.#ending = lastEnding(this.#ending, event);
        return '';
      case 'message_stop':
        return (this.#ending ? this.#finish(this.#ending) : '') + STREAM_DONE;
      default:
        return '';
    }
  }

  /**
   * Returns the last chunk, which contains the error. Some clients notice an error only by an annotation of unknown
   * type, others only by the event's name (LangChain4j), or if the data begin with the error and no other line precedes
   * them (go-openai).
   */
  fail({ error }: ErrorEnvelope): string {
    const delta = { content: '', annotations: [{ type: 'error' }] };
    const choices = JSON.stringify([{ index: 0, delta, finish_reason: 'error' }]);
    const rest = this.#head.slice(CHUNK_START.length);
    return `${CHUNK_START}"error":${JSON.stringify(error)},${rest}${choices}}\nevent: error\n\n${STREAM_DONE}`;
  }

  /**
   * Returns the chunk with the finish reason. Simple clients read the first choice of each chunk, so only the
   * additional usage chunk, which clients have to request, has no choice.
   */
  #finish({ delta, usage, metadata }: MessageDelta): string {
    const finished = finishFields(delta.stop_reason, { ...this.#settings, hasRefusal: this.#hasRefusal });
    const choice = JSON.stringify([{ index: 0, delta: {}, ...finished }]);
    const why = metadata === undefined ? '' : `,"metadata":${JSON.stringify(metadata)}`;
    const used = `,"usage":${JSON.stringify(completionUsage(usage))}`;
    return this.#settings.hasUsageChunk
      ? `${this.#head}${choice}${why}}\n\n${this.#head}[]${used}}\n\n`
      : `${this.#head}${choice}${why}${used}}\n\n`;
  }

  #begin(index: number, block: Block): string {
    const open: OpenBlock = {
      type: block.type,
      start: this.#length,
      citations: [],
      index: 0,
      calls: this.#calls,
      isRefusal: false,
      hasBegun: false,
      input: block['input'],
      isCustom: false,
      json: '',
    };
    this.#open.set(index, open);
    switch (block.type) {
      case 'text':
        open.isRefusal = isRefusal(block);
        return this.#text(open, block['text'] as string | undefined);
      case 'thinking':
        open.index = this.#thoughts++;
        return this.#thought(open, block['thinking'] as string | undefined);
      case 'redacted_thinking':
        open.index = this.#thoughts++;
        return this.#details(encryptedDetail(open, String(block['data'])));
      case 'image':
        return this.#delta({ images: [chatImage(block, this.#images++)] });
      case 'audio':
        return this.#delta({ audio: { id: block['id'] } });
      case 'tool_use': {
        const place = this.#calls++;
        const { name, kind } = this.#settings.tools.clientTool(block['name'] as string);
        const isCustom = kind === 'custom';
        open.index = place;
        open.isCustom = isCustom;
        const called = { name, arguments: '' };
        if (this.#settings.hasOlderCalls) return this.#olderCall(place, called);
        const { id } = block;
        const call = isCustom
          ? { type: 'custom', custom: { name, input: '' } }
          : { type: 'function', function: called };
        return this.#delta({ tool_calls: [{ index: place, id, ...call }] });
      }
      default:
        this.#open.delete(index);
        return '';
    }
  }

  #piece(open: OpenBlock, delta: Delta): string {
    switch (delta.type) {
      case 'text_delta':
        return this.#text(open, delta.text, delta.logprobs);
      case 'thinking_delta':
        return this.#thought(open, delta.thinking);
      case 'signature_delta':
        return this.#signature(open, delta.signature);
      case 'input_json_delta':
        return open.type === 'tool_use' ? this.#arguments(open, delta.partial_json) : '';
      case 'audio_delta':
        return this.#delta({ audio: { data: delta.data } });
      case 'audio_end_delta':
        return this.#delta({ audio: { expires_at: delta.expires_at } });
      case 'transcript_delta':
        return this.#delta({ audio: { transcript: delta.transcript } });
      case 'citations_delta':
        open.citations.push(delta.citation);
        return '';
      default:
        return '';
    }
  }

  #end(index: number): string {
    const open = this.#open.get(index);
    this.#open.delete(index);
    if (open?.isCustom) return this.#customInput(open);
    if (open?.type === 'tool_use' && !open.hasBegun) return this.#arguments(open, JSON.stringify(open.input ?? {}));
    if (!open || open.citations.length === 0) return '';
    const annotations = urlAnnotations(open.citations, open.start, this.#length);
    return annotations.length > 0 ? this.#delta({ annotations }) : '';
  }

  #text(open: OpenBlock, text: string | undefined, logprobs?: readonly TokenLogprob[]): string {
    if (!text) return '';
    if (open.isRefusal) {
      this.#hasRefusal = true;
      return this.#delta({ refusal: text });
    }
    this.#length += text.length;
    const likely = logprobs === undefined ? '' : `"logprobs":${JSON.stringify(chatLogprobs(logprobs))},`;
    // This is by far the most frequent chunk, so it is written without building an object.
    return `${this.#head}[{"index":0,"delta":{"content":${JSON.stringify(text)}},${likely}"finish_reason":null}]}\n\n`;
  }

  /**
   * Returns the chunk for a piece of thinking; empty if the client gets no thinking. Some clients read `reasoning`,
   * others `reasoning_content`.
   */
  #thought(open: OpenBlock, text: string | undefined): string {
    if (!text || !this.#settings.showsReasoning) return '';
    open.hasBegun = true;
    return this.#delta({ reasoning: text, reasoning_content: text, reasoning_details: [textDetail(open, text)] });
  }

  /** Returns the chunk with the signature of thinking. If the client got no text of this thinking, `text` is empty. */
  #signature(open: OpenBlock, signature: string): string {
    const detail = signatureDetail(open, signature);
    return this.#details(open.hasBegun ? detail : { ...detail, text: '' });
  }

  #details(detail: ShownDetail): string {
    return this.#settings.showsReasoning ? this.#delta({ reasoning_details: [detail] }) : '';
  }

  #arguments(open: OpenBlock, text: string): string {
    if (text === '') return '';
    open.hasBegun = true;
    if (open.isCustom) {
      open.json += text;
      return '';
    }
    const called = { arguments: text };
    if (this.#settings.hasOlderCalls) return this.#olderCall(open.index, called);
    return this.#delta({ tool_calls: [{ index: open.index, function: called }] });
  }

  /**
   * Returns the chunk with the input of a custom tool. Arguments that are not a JSON object, for example because
   * max_tokens cut them off, are sent as written.
   */
  #customInput({ index, json, input }: OpenBlock): string {
    const call = withArguments({ type: 'tool_use', input }, json);
    return this.#delta({
      tool_calls: [{ index, custom: { input: call[WRITTEN] ?? customInput(call['input']) } }],
    });
  }

  /**
   * Returns the chunk for a call in the older form (`function_call`). This form has only one call; later calls are
   * dropped.
   */
  #olderCall(place: number, called: object): string {
    return place === 0 ? this.#delta({ function_call: called }) : '';
  }

  #delta(delta: object): string {
    return `${this.#head}[{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":null}]}\n\n`;
  }
}

function headOf({ generationId, model, provider }: AnswerIdentity): string {
  const created = createdSeconds(generationId);
  const shared = JSON.stringify({ id: generationId, object: 'chat.completion.chunk', created, model, provider });
  return `${CHUNK_START}${shared.slice(1, -1)},"choices":`;
}
