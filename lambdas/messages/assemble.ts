import { isRawNumber, readExactly } from '../platform/json/exact-json.ts';
import { append } from '../platform/append.ts';
import type { TokenLogprob } from './token-logprob.ts';
import { WRITTEN, type Block, type Delta, type MessageBody, type MessagesEvent } from './types.ts';

interface AssembledBlock {
  block: Block;
  json: string;
  /** The list in `block.citations`; undefined until the first citation arrives. */
  citations?: unknown[];
  /** The list in `block.logprobs`; undefined until the first token probabilities arrive. */
  logprobs?: TokenLogprob[];
  recording?: Buffer[];
}

/**
 * Ending of an answer that has a tool call with unreadable arguments. The stop reason max_tokens shows the client that
 * the call is incomplete: it must not run the call.
 */
const UNREADABLE_CALL = {
  stop_reason: 'max_tokens',
  metadata: {
    error_type: 'provider_unavailable',
    message:
      "The arguments of a tool call in this answer are not a JSON object. The call is shown without arguments; don't run it.",
  },
} as const;

/** Assembles a complete message from the events of an answer. */
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
   * Returns the message; undefined if no message started. The input of a tool call that max_tokens cut off becomes an
   * empty object, as in the Messages API.
   */
  finish(): MessageBody | undefined {
    if (!this.#message) return undefined;
    const content = [...this.#blocks.entries()]
      .sort(([a], [b]) => a - b)
      .map(([, { block, json, recording }]) => {
        if (recording) return { ...block, data: Buffer.concat(recording).toString('base64') };
        return withArguments(block, json);
      });
    const message = { ...this.#message, content };
    const isReadable = message.stop_reason !== 'tool_use' || content.every((block) => block[WRITTEN] === undefined);
    return isReadable ? message : { ...message, ...UNREADABLE_CALL };
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
 * Returns a call with its arguments as its input. The input is empty if the arguments are not a JSON object; the member
 * WRITTEN then has them.
 */
export function withArguments(block: Block, json: string): Block {
  if (json === '') return block;
  const input = argumentsIn(json);
  return input ? { ...block, input } : { ...block, input: {}, [WRITTEN]: json };
}

/**
 * Parses the input of a call, whose numbers keep their digits. Returns undefined for text that is neither a JSON object
 * nor null.
 */
export function argumentsIn(json: string): Record<string, unknown> | undefined {
  try {
    const input = readExactly(json) ?? {};
    const isObject = typeof input === 'object' && !Array.isArray(input) && !isRawNumber(input);
    return isObject ? (input as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the block's list of citations by a copy that can be extended. */
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

/** Returns the report without nulls that would replace a known value, such as an earlier stop reason. */
function newsIn(report: object | undefined, known: object): object {
  return Object.fromEntries(Object.entries(report ?? {}).filter(([name, value]) => value !== null || !(name in known)));
}
