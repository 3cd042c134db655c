/** Answers with arbitrary content, and their events as providers may send them. */

import fc from 'fast-check';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import type { Block, MessageBody, MessagesEvent, StopReason } from '../../lambdas/messages/types.ts';

const someText = fc.string({ unit: 'grapheme', maxLength: 40 });
const id = fc.string({ unit: fc.constantFrom(...Array.from('abc123_')), minLength: 1, maxLength: 12 });

const citation = fc.record({
  type: fc.constant('web_search_result_location'),
  url: fc.webUrl(),
  title: someText,
  cited_text: someText,
});

/** Each number is the share of the remaining text that becomes the next piece. */
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });

function piecesOf(text: string, parts: readonly number[]): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (const part of parts) {
    const end = Math.floor(rest.length * part);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest];
}

/** A block as in content_block_start, with its deltas. */
interface SentBlock {
  block: Block;
  deltas: object[];
}

const textBlock = fc
  .record({ text: someText, cited: fc.array(citation, { maxLength: 2 }), cuts })
  .map(({ text, cited, cuts: parts }): SentBlock => ({
    block: { type: 'text', text: '', ...(cited.length > 0 ? { citations: [] } : {}) },
    deltas: [
      ...cited.map((one) => ({ type: 'citations_delta', citation: one })),
      ...piecesOf(text, parts).map((piece) => ({ type: 'text_delta', text: piece })),
    ],
  }));

const thinkingBlock = fc
  .record({ thinking: someText, signature: id, cuts })
  .map(({ thinking, signature, cuts: parts }): SentBlock => ({
    block: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...piecesOf(thinking, parts).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature },
    ],
  }));

const redactedBlock = id.map((data): SentBlock => ({ block: { type: 'redacted_thinking', data }, deltas: [] }));

const input = fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
const callBlock = fc
  .record({ id, name: id, input: fc.option(input, { nil: undefined }), cuts })
  .map(({ id: callId, name, input: asked, cuts: parts }): SentBlock => ({
    block: { type: 'tool_use', id: callId, name, input: {} },
    // A call without arguments may have no delta.
    deltas: asked
      ? piecesOf(JSON.stringify(asked), parts).map((piece) => ({ type: 'input_json_delta', partial_json: piece }))
      : [],
  }));

/** Searches that the gateway makes. Those next to a call of the client's tool have no result in their answer. */
const searches = fc
  .array(fc.record({ id: fc.uuid(), query: someText, hasResult: fc.boolean() }), { minLength: 1, maxLength: 2 })
  .map((made): SentBlock[] => [
    ...made.map(({ id: callId, query }) => ({
      block: { type: 'server_tool_use', id: callId, name: 'web_search', input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify({ query }) }],
    })),
    ...made
      .filter(({ hasResult }) => hasResult)
      .map(({ id: callId }) => ({
        block: { type: 'web_search_tool_result', tool_use_id: callId, content: [] },
        deltas: [],
      })),
  ]);

const one = fc.oneof(textBlock, thinkingBlock, redactedBlock, callBlock).map((block) => [block]);
const blocks = fc.array(fc.oneof({ weight: 4, arbitrary: one }, searches), { maxLength: 6 }).map((some) => some.flat());
const reasons: StopReason[] = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'refusal',
  'pause_turn',
  'model_context_window_exceeded',
];
const count = fc.nat(1_000_000);

/** Events of one complete answer. */
export const answerEvents = fc
  .record({ blocks, reason: fc.constantFrom(...reasons), input: count, output: count, cached: count, thinking: count })
  .map(({ blocks: sent, reason, input: prompt, output, cached, thinking }): MessagesEvent[] => {
    const message = {
      id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
      type: 'message',
      role: 'assistant',
      model: 'sandbox/claude',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: prompt, output_tokens: 0 },
    } satisfies MessageBody;
    const usage = {
      input_tokens: prompt,
      output_tokens: output,
      cache_read_input_tokens: cached,
      output_tokens_details: { thinking_tokens: thinking },
      cost: 0.25,
    };
    return [
      { type: 'message_start', message },
      ...sent.flatMap(({ block, deltas }, index) => [
        { type: 'content_block_start', index, content_block: block },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ] as MessagesEvent[];
  });

export function wholeMessage(events: readonly MessagesEvent[]): MessageBody {
  const assembler = new MessageAssembler();
  for (const event of events) assembler.add(event);
  return assembler.finish()!;
}

/** Cuts bytes at any position, even within a character. */
export function cutBytes(text: string, parts: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const ends = [...parts.map((part) => Math.floor(bytes.length * part)), bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

export const byteCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });

const isOfBlock = (event: MessagesEvent) => 'index' in event;

/** Opens all blocks at once, with alternating pieces, as some providers send parallel calls. */
export function interleaved(events: readonly MessagesEvent[]): MessagesEvent[] {
  const rows = [...Map.groupBy(events.filter(isOfBlock), (event) => (event as { index: number }).index).values()];
  const begun = rows.map(([start]) => start!);
  const pieces = rows.map((row) => row.slice(1));
  const longest = Math.max(0, ...pieces.map(({ length }) => length));
  const alternating = Array.from({ length: longest }, (_, at) => pieces.flatMap((row) => row.slice(at, at + 1))).flat();
  const [first, ...rest] = events.filter((event) => !isOfBlock(event));
  return [first!, ...begun, ...alternating, ...rest];
}
