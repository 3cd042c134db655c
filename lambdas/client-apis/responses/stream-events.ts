/**
 * Writes an answer as events of the Responses API, in the order that clients expect. Each item has the events `added`,
 * its deltas, and `done`, before the next item begins. A failed stream ends with the event `failed`, because some
 * agents retry a turn whose stream has no last event.
 */

import { isRefusal, refusalBlock } from '../../messages/refusal-block.ts';
import type { TokenLogprob } from '../../messages/token-logprob.ts';
import type { Block, Delta, MessageDelta, MessagesEvent } from '../../messages/types.ts';
import { withArguments } from '../../messages/assemble.ts';
import { append } from '../../platform/append.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { GatewayError } from '../../platform/errors.ts';
import { lastEnding } from '../last-ending.ts';
import { BlockOrder, type BlockEvent } from './block-order.ts';
import { failureCode } from './failure-code.ts';
import {
  callItem,
  contentPart,
  continuesMessage,
  flatAnnotations,
  itemId,
  messageItem,
  reasoningItem,
  searchItem,
  isCompleteCall,
  type ItemStatus,
  type OutputItem,
  type OutputSettings,
  type OutputText,
} from './output-items.ts';
import { incompleteReason, REFUSED, responseObject, type ResponseState } from './response.ts';

interface OpenBlock {
  block: Block;
  /** Id of the block's item, or of the message that contains the block. */
  id: string;
  /** Text of the block received so far: thinking, or the arguments of a call. */
  written: string;
  /** Index at which the block's text begins in its message. */
  start: number;
}

/** The message that is being written. Adjacent texts of one phase form one message. A refusal is a separate message. */
interface OpenMessage extends OutputText {
  id: string;
  first: Block;
}

interface AnswerIdentity {
  generationId: string;
  model: string;
}

export class ResponseWriter {
  readonly #settings: OutputSettings;
  #identity: AnswerIdentity;
  #events = 0;
  /** Completed items. Their number is the index of the current item. */
  readonly #output: OutputItem[] = [];
  #open: OpenBlock | undefined;
  readonly #order = new BlockOrder();
  #message: OpenMessage | undefined;
  #ending: MessageDelta | undefined;
  /** Last call, if its arguments may be incomplete. Its item is done after the next event, which shows its status. */
  #unsure: OutputItem | undefined;
  /** Calls of searches whose results have not arrived yet, by call id. */
  readonly #searches = new Map<unknown, Block>();

  constructor(identity: AnswerIdentity, settings: OutputSettings) {
    this.#identity = identity;
    this.#settings = settings;
  }

  /** Returns the events for one event of the Messages API; empty if the Responses API has no equivalent. */
  write(event: MessagesEvent): string {
    switch (event.type) {
      case 'message_start':
        this.#identity = { generationId: event.message.id, model: event.message.model };
        return this.#begin();
      case 'content_block_start':
      case 'content_block_delta':
      case 'content_block_stop':
        return this.#blocks(this.#order.next(event));
      case 'message_delta':
        this.#ending = lastEnding(this.#ending, event);
        return '';
      case 'message_stop':
        return this.#ending ? this.#finish(this.#ending) : '';
      default:
        return '';
    }
  }

  #blocks(events: readonly BlockEvent[]): string {
    let written = '';
    for (const event of events) written += this.#block(event);
    return written;
  }

  #block(event: BlockEvent): string {
    if (event.type === 'content_block_start')
      return this.#endUnsure('completed') + this.#start({ ...event.content_block });
    if (!this.#open) return '';
    return event.type === 'content_block_delta' ? this.#piece(this.#open, event.delta) : this.#end(this.#open);
  }

  /**
   * Ends a failed answer with `error` and `response.failed`, because some clients read only one of them. `error` has its
   * fields twice: some clients read only the documented form, and others only the form that OpenAI's servers send.
   */
  fail(error: GatewayError): string {
    const code = failureCode(error);
    const { message } = error;
    const begun = this.#events > 0 ? '' : this.#begin();
    const fields = { code, message, param: null };
    const event = this.#event('error', { ...fields, error: { type: code, ...fields } });
    return begun + event + this.#terminal('failed', { error: { code, message } });
  }

  #begin(): string {
    const response = this.#response('in_progress');
    return this.#event('response.created', { response }) + this.#event('response.in_progress', { response });
  }

  #start(block: Block): string {
    if (block.type === 'text') {
      const ended = this.#message && !continuesMessage(this.#message.first, block) ? this.#endMessage() : '';
      const begun = this.#message ? '' : ended + this.#beginMessage(block);
      this.#open = { block, id: this.#message!.id, written: '', start: this.#message!.text.length };
      return begun + this.#text(block['text'] as string | undefined);
    }
    const ended = this.#endMessage();
    const open = (prefix: string) => (this.#open = { block, id: this.#nextId(prefix), written: '', start: 0 });
    switch (block.type) {
      case 'thinking':
        return ended + this.#added({ ...this.#reasoning(open('rs').id, {} as Block), encrypted_content: null });
      case 'redacted_thinking':
        open('rs');
        return ended;
      case 'tool_use':
        return ended + this.#added(this.#begunCall(open('fc')));
      case 'server_tool_use':
      case 'web_search_tool_result':
        open('ws');
        return ended;
      default:
        this.#open = undefined;
        return ended;
    }
  }

  #begunCall({ id, block }: OpenBlock): OutputItem {
    const begun = { ...callItem(id, block, this.#settings), status: 'in_progress' };
    switch (begun.type) {
      case 'function_call':
        return { ...begun, arguments: '' };
      case 'custom_tool_call':
        return { ...begun, input: '' };
      default:
        return begun;
    }
  }

  #piece(open: OpenBlock, delta: Delta): string {
    switch (delta.type) {
      case 'text_delta':
        return this.#text(delta.text, delta.logprobs);
      case 'thinking_delta':
        return this.#thought(open, delta.thinking);
      case 'signature_delta':
        open.block['signature'] = delta.signature;
        return '';
      case 'input_json_delta':
        open.written += delta.partial_json;
        return open.block.type === 'tool_use' && this.#isFunction(open) && delta.partial_json !== ''
          ? this.#event('response.function_call_arguments.delta', { ...this.#placeOf(open), delta: delta.partial_json })
          : '';
      case 'citations_delta':
        open.block['citations'] = [...((open.block['citations'] ?? []) as unknown[]), delta.citation];
        return '';
      default:
        return '';
    }
  }

  #end(open: OpenBlock): string {
    this.#open = undefined;
    const { block, id, written } = open;
    switch (block.type) {
      case 'text':
        return this.#cite(open);
      case 'thinking':
        return this.#endThinking(open);
      case 'redacted_thinking': {
        const item = this.#reasoning(id, block);
        return this.#added({ ...item, encrypted_content: null }) + this.#done(item);
      }
      case 'tool_use':
        return this.#endCall(open);
      case 'server_tool_use':
        this.#searches.set(block['id'], withArguments(block, written));
        return '';
      default:
        return this.#searched(open);
    }
  }

  #beginMessage(first: Block): string {
    const message = { id: this.#nextId('msg'), text: '', annotations: [], logprobs: [], first };
    this.#message = message;
    return (
      this.#added(messageItem(message.id, 'in_progress', [], first)) +
      this.#event('response.content_part.added', {
        ...this.#partPlace(message),
        part: contentPart(message.first, message),
      })
    );
  }

  #text(text: string | undefined, logprobs: readonly TokenLogprob[] = []): string {
    const message = this.#message;
    if (!text || !message) return '';
    message.text += text;
    const place = this.#partPlace(message);
    if (isRefusal(message.first)) return this.#event('response.refusal.delta', { ...place, delta: text });
    append(message.logprobs, logprobs);
    return this.#event('response.output_text.delta', { ...place, delta: text, logprobs });
  }

  /**
   * Returns the events for a block's citations. Each citation covers the text that the block has added to the message.
   */
  #cite({ block, start }: OpenBlock): string {
    const message = this.#message!;
    return flatAnnotations(block['citations'], start, message.text.length)
      .map((annotation) => {
        const place = { ...this.#placeOf(message), content_index: 0, annotation_index: message.annotations.length };
        message.annotations.push(annotation);
        return this.#event('response.output_text.annotation.added', { ...place, annotation });
      })
      .join('');
  }

  #endUnsure(status: ItemStatus): string {
    const item = this.#unsure;
    this.#unsure = undefined;
    return item ? this.#done({ ...item, status }) : '';
  }

  #endMessage(status: ItemStatus = 'completed'): string {
    const message = this.#message;
    if (!message) return '';
    this.#message = undefined;
    const place = this.#partPlace(message);
    const { text, logprobs } = message;
    const part = contentPart(message.first, message);
    return (
      (isRefusal(message.first)
        ? this.#event('response.refusal.done', { ...place, refusal: text })
        : this.#event('response.output_text.done', { ...place, text, logprobs })) +
      this.#event('response.content_part.done', { ...place, part }) +
      this.#done(messageItem(message.id, status, [part], message.first))
    );
  }

  #thought(open: OpenBlock, text: string): string {
    if (text === '') return '';
    const isFirst = open.written === '';
    open.written += text;
    if (!this.#settings.showsThinking) return '';
    const place = { ...this.#placeOf(open), summary_index: 0 };
    const begun = isFirst
      ? this.#event('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } })
      : '';
    return begun + this.#event('response.reasoning_summary_text.delta', { ...place, delta: text });
  }

  #endThinking(open: OpenBlock): string {
    const { block, id } = open;
    // A provider may send the complete thinking with the start of its block.
    const late = open.written === '' ? this.#thought(open, (block['thinking'] ?? '') as string) : '';
    const text = open.written;
    const place = { ...this.#placeOf(open), summary_index: 0 };
    const ended =
      text === '' || !this.#settings.showsThinking
        ? ''
        : this.#event('response.reasoning_summary_text.done', { ...place, text }) +
          this.#event('response.reasoning_summary_part.done', { ...place, part: { type: 'summary_text', text } });
    return late + ended + this.#done(this.#reasoning(id, { ...block, thinking: text }));
  }

  #reasoning(id: string, block: Block): OutputItem {
    return reasoningItem(id, block, this.#settings);
  }

  #isFunction({ block }: OpenBlock): boolean {
    return this.#settings.tools.clientTool(block['name'] as string).kind === 'function';
  }

  /** Returns the events that end a call. */
  #endCall(open: OpenBlock): string {
    const { block, id, written } = open;
    const place = this.#placeOf(open);
    const call = withArguments(block, written);
    const whole = callItem(id, call, this.#settings);
    const done = (item: OutputItem) => {
      if (isCompleteCall(call)) return this.#done(item);
      this.#unsure = item;
      return '';
    };
    if (whole.type === 'custom_tool_call') {
      const { input } = whole;
      return (
        this.#event('response.custom_tool_call_input.delta', { ...place, delta: input }) +
        this.#event('response.custom_tool_call_input.done', { ...place, input }) +
        done(whole)
      );
    }
    if (whole.type === 'tool_search_call') return done(whole);
    const item = written === '' ? whole : { ...whole, arguments: written };
    const { name, arguments: text } = item as unknown as { name: string; arguments: string };
    const late = written === '' ? this.#event('response.function_call_arguments.delta', { ...place, delta: text }) : '';
    return (
      late + this.#event('response.function_call_arguments.done', { ...place, name, arguments: text }) + done(item)
    );
  }

  #searched({ block, id }: OpenBlock): string {
    const call = this.#searches.get(block['tool_use_id']);
    if (!call) return '';
    this.#searches.delete(block['tool_use_id']);
    const item = searchItem(id, call, block, this.#settings);
    const place = { output_index: this.#output.length, item_id: id };
    return (
      this.#added({ ...item, status: 'in_progress' }) +
      this.#event('response.web_search_call.in_progress', place) +
      this.#event('response.web_search_call.searching', place) +
      this.#event('response.web_search_call.completed', place) +
      this.#done(item)
    );
  }

  #finish({ delta, usage, metadata }: MessageDelta): string {
    const waiting = this.#blocks(this.#order.drain());
    const incomplete = incompleteReason(delta.stop_reason);
    const status = incomplete === undefined ? 'completed' : 'incomplete';
    // A block that max_tokens cut off may have no end.
    const open = this.#open ? this.#end(this.#open) : '';
    const ended = waiting + open + this.#endUnsure(status) + this.#endMessage(status);
    const hasMessage = this.#output.some(({ type }) => type === 'message');
    const refused = delta.stop_reason === 'refusal' && !hasMessage ? this.#refuse() : '';
    return ended + refused + this.#terminal(status, { usage, incompleteReason: incomplete, metadata });
  }

  #refuse(): string {
    return this.#beginMessage(refusalBlock()) + this.#text(REFUSED) + this.#endMessage();
  }

  #terminal(status: Exclude<ResponseState['status'], 'in_progress'>, more: Partial<ResponseState>): string {
    const completedAt = status === 'completed' ? nowSeconds() : undefined;
    return this.#event(`response.${status}`, { response: this.#response(status, { ...more, completedAt }) });
  }

  #response(status: ResponseState['status'], more: Partial<ResponseState> = {}): object {
    const { format } = this.#settings;
    return responseObject({ ...this.#identity, format, status, output: this.#output, ...more });
  }

  #nextId(prefix: string): string {
    return itemId(prefix, this.#identity.generationId, this.#output.length);
  }

  #placeOf({ id }: { id: string }): { item_id: string; output_index: number } {
    return { item_id: id, output_index: this.#output.length };
  }

  /** Returns the position of a message's only part. */
  #partPlace(message: OpenMessage): { item_id: string; output_index: number; content_index: number } {
    return { ...this.#placeOf(message), content_index: 0 };
  }

  #added(item: OutputItem): string {
    return this.#event('response.output_item.added', { output_index: this.#output.length, item });
  }

  #done(item: OutputItem): string {
    const event = this.#event('response.output_item.done', { output_index: this.#output.length, item });
    this.#output.push(item);
    return event;
  }

  #event(type: string, fields: object): string {
    const data = JSON.stringify({ type, sequence_number: this.#events, ...fields });
    this.#events += 1;
    return `event: ${type}\ndata: ${data}\n\n`;
  }
}
