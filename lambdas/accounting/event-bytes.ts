/** UTF-8 bytes of the events of an answer, written by the model or by others. */

import type { Block, MessagesEvent } from '../messages/types.ts';
import { CALL_OVERHEAD_BYTES } from '../messages/usage-counts.ts';

/** Bytes that the model wrote in an event. They bound a stream. */
export function eventBytes(event: MessagesEvent): number {
  if (event.type === 'content_block_start') return blockBytes(event.content_block);
  return event.type === 'content_block_delta' ? deltaBytes(event.delta) : 0;
}

/** Bytes in an event that the model did not write: cited sources, and results of a search. */
export function extraBytes(event: MessagesEvent): number {
  if (event.type === 'content_block_start' && event.content_block.type === 'web_search_tool_result') {
    return serialisedBytes(event.content_block);
  }
  return event.type === 'content_block_delta' && event.delta.type === 'citations_delta'
    ? serialisedBytes(event.delta)
    : 0;
}

/** Bytes that a block has from its start: redacted thinking and results of server tools arrive whole. */
export function blockBytes(block: Block): number {
  switch (block.type) {
    case 'text':
      return utf8Bytes(block['text']);
    case 'thinking':
      return utf8Bytes(block['thinking']);
    case 'redacted_thinking':
      return utf8Bytes(block['data']);
    case 'tool_use':
    case 'server_tool_use':
      return CALL_OVERHEAD_BYTES + utf8Bytes(block['name']) + serialisedBytes(block['input']);
    // Written by the provider, not by the model.
    case 'web_search_tool_result':
      return 0;
    default:
      return CALL_OVERHEAD_BYTES + serialisedBytes(block);
  }
}

/** Bytes that the model wrote in a delta of a block. */
export function deltaBytes(delta: { type: string; [field: string]: unknown }): number {
  switch (delta.type) {
    case 'text_delta':
      return utf8Bytes(delta['text']);
    case 'thinking_delta':
      return utf8Bytes(delta['thinking']);
    case 'input_json_delta':
      return utf8Bytes(delta['partial_json']);
    case 'signature_delta':
    case 'citations_delta':
      return 0;
    default:
      return serialisedBytes(delta);
  }
}

export function utf8Bytes(text: unknown): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : 0;
}

/** An empty input counts as nothing: its arguments follow as deltas. */
function serialisedBytes(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const json = JSON.stringify(value);
  return json === '{}' ? 0 : Buffer.byteLength(json);
}
