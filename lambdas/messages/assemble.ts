import { readExactly } from '../platform/exact-json.ts';
import type { Block, Delta, MessageBody, MessagesEvent } from './types.ts';

interface OpenBlock {
  block: Block;
  /** Arguments of a call, as they were written. */
  json: string;
  /** The block's own list, once a citation was added. */
  citations?: unknown[];
}

/** Builds the complete answer from its events, for clients that do not stream. */
export class MessageAssembler {
  #message: MessageBody | undefined;
  readonly #blocks = new Map<number, OpenBlock>();

  add(event: MessagesEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#message = { ...event.message, content: [] };
        break;
      case 'content_block_start':
        this.#blocks.set(event.index, { block: { ...event.content_block }, json: '' });
        break;
      case 'content_block_delta':
        this.#addDelta(event.index, event.delta);
        break;
      case 'message_delta': {
        const { type: _, delta, usage, ...more } = event;
        const message = this.#message!;
        // A later event without a reason does not clear an earlier one.
        this.#message = {
          ...message,
          ...more,
          ...withoutNulls(delta),
          usage: { ...message.usage, ...withoutNulls(usage) },
        };
        break;
      }
    }
  }

  /** The message, or undefined when no message ever started. */
  finish(): MessageBody | undefined {
    if (!this.#message) return undefined;
    const content = [...this.#blocks.entries()]
      .sort(([a], [b]) => a - b)
      .map(([, { block, json }]) => (json === '' ? block : { ...block, input: parseInput(json) }));
    return { ...this.#message, content };
  }

  #addDelta(index: number, delta: Delta): void {
    const open = this.#blocks.get(index);
    if (!open) return;
    const { block } = open;
    switch (delta.type) {
      case 'text_delta':
        block['text'] = `${(block['text'] as string | undefined) ?? ''}${delta.text}`;
        break;
      case 'thinking_delta':
        block['thinking'] = `${(block['thinking'] as string | undefined) ?? ''}${delta.thinking}`;
        break;
      case 'signature_delta':
        block['signature'] = delta.signature;
        break;
      case 'input_json_delta':
        open.json += delta.partial_json;
        break;
      case 'citations_delta':
        (open.citations ??= citationsOf(block)).push(delta.citation);
        break;
      default: {
        const { type: _, ...fields } = delta as { type: string };
        Object.assign(block, fields);
      }
    }
  }
}

/**
 * Input with the numbers that the model wrote. Input that max_tokens cut off is not JSON: it is empty then, as the Messages
 * API answers it.
 */
function parseInput(json: string): unknown {
  try {
    return readExactly(json);
  } catch {
    return {};
  }
}

/** The list in a block that citations are added to. */
function citationsOf(block: Block): unknown[] {
  const citations = Array.isArray(block['citations']) ? [...(block['citations'] as unknown[])] : [];
  block['citations'] = citations;
  return citations;
}

function withoutNulls(usage: object | undefined): object {
  return Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => value !== null));
}
