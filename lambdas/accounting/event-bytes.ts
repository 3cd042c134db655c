import type { Block, MessagesEvent } from '../messages/types.ts';
import { CALL_OVERHEAD_BYTES } from '../messages/usage-counts.ts';

/** Returns the number of bytes that the model wrote in an event. */
export function eventBytes(event: MessagesEvent): number {
  if (event.type === 'content_block_start') return blockBytes(event.content_block);
  return event.type === 'content_block_delta' ? deltaBytes(event.delta) : 0;
}

/**
 * Tokens counted for a generated image until its provider reports them. Source: Gemini 2.5 counts 1,290 tokens for an
 * image of about 1024 x 1024 pixels (https://ai.google.dev/gemini-api/docs/image-generation).
 */
const DRAWN_IMAGE_TOKENS = 1_290;
/** Base64 characters per token of speech: a token is 50 ms of 16-bit mono audio at 24 kHz. */
const CHARACTERS_PER_SPOKEN_TOKEN = 3_200;
/** Number of bytes that count as one token of an image or of speech. `estimateTokens` divides by the same number. */
const BYTES_PER_MEDIA_TOKEN = 4;

/** Returns the estimated tokens of images and of speech in an event. */
export function mediaTokens(event: MessagesEvent): { image: number; audio: number } | undefined {
  if (event.type === 'content_block_start' && event.content_block.type === 'image') {
    return { image: DRAWN_IMAGE_TOKENS, audio: 0 };
  }
  if (event.type !== 'content_block_delta' || event.delta.type !== 'audio_delta') return undefined;
  return { image: 0, audio: event.delta.data.length / CHARACTERS_PER_SPOKEN_TOKEN };
}

/**
 * Returns the number of bytes in an event that are not text written by the model: images, speech, cited sources and
 * search results.
 */
export function extraBytes(event: MessagesEvent): number {
  if (event.type === 'content_block_start' && event.content_block.type === 'image') {
    return serialisedBytes(event.content_block);
  }
  if (event.type === 'content_block_delta' && event.delta.type === 'audio_delta') return event.delta.data.length;
  if (event.type === 'content_block_start' && event.content_block.type === 'web_search_tool_result') {
    return serialisedBytes(event.content_block);
  }
  return event.type === 'content_block_delta' && event.delta.type === 'citations_delta'
    ? serialisedBytes(event.delta)
    : 0;
}

/** Returns the number of bytes that the model wrote in the start of a block. */
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
    case 'web_search_tool_result':
      return 0;
    case 'image':
      return DRAWN_IMAGE_TOKENS * BYTES_PER_MEDIA_TOKEN;
    case 'audio':
      return 0;
    default:
      return CALL_OVERHEAD_BYTES + serialisedBytes(block);
  }
}

/** Returns the number of bytes that the model wrote in a delta of a block. */
export function deltaBytes(delta: { type: string; [field: string]: unknown }): number {
  switch (delta.type) {
    case 'text_delta':
      return utf8Bytes(delta['text']);
    case 'thinking_delta':
      return utf8Bytes(delta['thinking']);
    case 'input_json_delta':
      return utf8Bytes(delta['partial_json']);
    case 'transcript_delta':
      return utf8Bytes(delta['transcript']);
    case 'audio_delta':
      return Math.ceil((utf8Bytes(delta['data']) * BYTES_PER_MEDIA_TOKEN) / CHARACTERS_PER_SPOKEN_TOKEN);
    case 'signature_delta':
    case 'citations_delta':
    case 'audio_end_delta':
      return 0;
    default:
      return serialisedBytes(delta);
  }
}

export function utf8Bytes(text: unknown): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : 0;
}

/** Returns the size of a value's JSON. */
function serialisedBytes(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const json = JSON.stringify(value);
  return json === '{}' ? 0 : Buffer.byteLength(json);
}
