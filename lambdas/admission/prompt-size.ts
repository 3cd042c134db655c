import { estimateTokens } from '../accounting/usage.ts';
import type { Block, MessagesRequest } from '../messages/types.ts';

/** How large a prompt is, before any provider has counted it. */
export interface PromptSize {
  /** No tokenizer makes more tokens of it than this. */
  boundTokens: number;
  /** What it probably is. */
  estimatedTokens: number;
}

/** More than most providers count for one image at its largest size; the catalog knows the others. */
const MAX_IMAGE_TOKENS = 6_000;
const USUAL_IMAGE_TOKENS = 1_500;
/** Chat templates, default system prompts and tool instructions that a provider adds to what was sent. */
const ADDED_TOKENS = 1_024;

/**
 * Bounds the prompt by the bytes that are sent: a token has at least one byte. Images are bounded by their declared
 * maximum, documents by their bytes, and everything by the context of the model, beyond which it is refused anyway.
 * @param encodedBytes the request as it goes upstream, media included
 */
export function measurePrompt(
  request: MessagesRequest,
  encodedBytes: number,
  endpoint: { contextLength?: number | undefined; quirks: { max_image_tokens?: number | undefined } },
): PromptSize {
  const contextLength = endpoint.contextLength ?? Infinity;
  const imageTokens = endpoint.quirks.max_image_tokens ?? MAX_IMAGE_TOKENS;
  const media = { images: 0, mediaBytes: 0, documentBytes: 0, unbounded: false };
  for (const { content } of request.messages) if (typeof content !== 'string') measureBlocks(content, media);
  const textBytes = Math.max(0, encodedBytes - media.mediaBytes);
  const bound = media.unbounded
    ? contextLength
    : textBytes + media.documentBytes + media.images * imageTokens + ADDED_TOKENS;
  const estimate =
    estimateTokens(readBytes(request)) + estimateTokens(media.documentBytes) + media.images * USUAL_IMAGE_TOKENS;
  return { boundTokens: Math.min(bound, contextLength), estimatedTokens: Math.min(estimate, contextLength) };
}

/** Bytes of what the model reads: texts, arguments, results and tools, without the JSON around them. */
function readBytes({ system, messages, tools }: MessagesRequest): number {
  const toolBytes = tools?.length ? Buffer.byteLength(JSON.stringify(tools)) : 0;
  const systemBytes = system === undefined ? 0 : contentBytes(system);
  return messages.reduce((sum, { content }) => sum + contentBytes(content), systemBytes + toolBytes);
}

function contentBytes(content: string | Block[]): number {
  if (typeof content === 'string') return Buffer.byteLength(content);
  return content.reduce((sum, block) => {
    const text = [block['text'], block['thinking']].find((value) => typeof value === 'string') ?? '';
    const input = block.type === 'tool_use' ? JSON.stringify(block['input']) : '';
    const inner = block.type === 'tool_result' ? contentBytes((block['content'] ?? '') as string | Block[]) : 0;
    return sum + Buffer.byteLength(text) + Buffer.byteLength(input) + inner;
  }, 0);
}

interface Media {
  images: number;
  /** Base64 that stands in the request but is not read as text. */
  mediaBytes: number;
  documentBytes: number;
  /** A document that the provider fetches: its size is unknown. */
  unbounded: boolean;
}

function measureBlocks(blocks: Block[], media: Media): void {
  for (const block of blocks) {
    const source = block['source'] as { type?: string; data?: string } | undefined;
    if (block.type === 'image') {
      media.images += 1;
      if (source?.type === 'base64') media.mediaBytes += source.data!.length;
    } else if (block.type === 'document') {
      if (source?.type === 'base64') {
        media.mediaBytes += source.data!.length;
        media.documentBytes += source.data!.length;
      } else if (source?.type === 'url' || source?.type === 'file') {
        media.unbounded = true;
      }
    } else if (block.type === 'tool_result' && Array.isArray(block['content'])) {
      measureBlocks(block['content'] as Block[], media);
    }
  }
}
