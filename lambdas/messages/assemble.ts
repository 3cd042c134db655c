import { isRawNumber, readExactly } from '../platform/json/exact-json.ts';
import { append } from '../platform/append.ts';
import type { TokenLogprob } from './token-logprob.ts';
import type { Block, Delta, MessageBody, MessagesEvent } from './types.ts';

interface AssembledBlock {
  block: Block;
  /** JSON text of a tool call's arguments, as received so far. */
  json: string;
  /** The list in `block.citations`; set when the first citation is added. */
  citations?: unknown[];
  /** The list in `block.logprobs`; set when the first token probabilities are added. */
  logprobs?: TokenLogprob[];
  /** Bytes of a spoken answer, as received so far. */
  recording?: Buffer[];
}

/**
 * End of an answer with a tool call whose arguments are unreadable. The client must not run this call, so the answer
 * ends like an answer that max_tokens cut off.
 */
const UNREADABLE_CALL = {
  stop_reason: 'max_tokens',
  metadata: {
    error_type: 'provider_unavailable',
    message:
      "The arguments of a tool call in this answer are not a JSON object. The call is shown without arguments; don't run it.",
  },
} as const;

/** Assembles the non-streaming answer from its events. */
export class MessageAssembler {
  #message: MessageBody | undefined;
  readonly #blocks = new Map<number, AssembledBlock>();

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
        // A later event without a stop reason does not clear the earlier stop reason.
        this.#message = {
          ...message,
          ...more,
          ...newsIn(delta, message),
          usage: { ...message.usage, ...newsIn(usage, message.usage) },
        };
        break;
      }
    }
  }

  /**
   * Returns the message; undefined if no message ever started. The input of a tool call that max_tokens cut off becomes
   * an empty object, as in the Messages API.
   */
  finish(): MessageBody | undefined {
    if (!this.#message) return undefined;
    let isReadable = true;
    const content = [...this.#blocks.entries()]
      .sort(([a], [b]) => a - b)
      .map(([, { block, json, recording }]) => {
        if (recording) return { ...block, data: Buffer.concat(recording).toString('base64') };
        if (json === '') return block;
        const input = parseInput(json);
        isReadable &&= input !== undefined;
        return { ...block, input: input ?? {} };
      });
    const message = { ...this.#message, content };
    return isReadable || message.stop_reason !== 'tool_use' ? message : { ...message, ...UNREADABLE_CALL };
  }

  #addDelta(index: number, delta: Delta): void {
    const open = this.#blocks.get(index);
    if (!open) return;
    const { block } = open;
    switch (delta.type) {
      case 'text_delta':
        block['text'] = `${(block['text'] as string | undefined) ?? ''}${delta.text}`;
        if (delta.logprobs) append((open.logprobs ??= logprobsIn(block)), delta.logprobs);
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
      case 'audio_delta':
        (open.recording ??= []).push(Buffer.from(delta.data, 'base64'));
        break;
      case 'transcript_delta':
        block['transcript'] = `${(block['transcript'] as string | undefined) ?? ''}${delta.transcript}`;
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
 * Parses the input of a tool call. Numbers keep the digits that the model wrote. null becomes an empty object.
 * @returns undefined if the text is not a JSON object: max_tokens cut it off, or the model wrote something else
 */
function parseInput(json: string): object | undefined {
  let input: unknown;
  try {
    input = readExactly(json);
  } catch {
    return undefined;
  }
  if (input === null) return {};
  return typeof input === 'object' && !Array.isArray(input) && !isRawNumber(input) ? input : undefined;
}

/** Replaces the block's list of citations by a copy that can be extended, and returns the copy. */
function citationsOf(block: Block): unknown[] {
  const citations = Array.isArray(block['citations']) ? [...(block['citations'] as unknown[])] : [];
  block['citations'] = citations;
  return citations;
}

function logprobsIn(block: Block): TokenLogprob[] {
  const logprobs: TokenLogprob[] = [];
  block['logprobs'] = logprobs;
  return logprobs;
}

/** Returns the fields of a message_delta, or of its usage, to merge. A null does not replace a known value. */
function newsIn(report: object | undefined, known: object): object {
  return Object.fromEntries(Object.entries(report ?? {}).filter(([name, value]) => value !== null || !(name in known)));
}
