/**
 * Content blocks of messages, system prompts and results. Types and fields that are newer than the gateway pass: upstreams
 * check them. Blocks are only checked here, and passed on as they are, so that no schema copies what it does not know.
 */

import * as z from 'zod';
import { anyObject, cacheControl, sourceUrl, optionalField } from './field-kinds.ts';
import { firstFault, boundedList, refuse } from './list-of.ts';
import { inlineTool } from './tool-schema.ts';
import type { Block } from './types.ts';

const imageMediaTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

const imageSource = z.discriminatedUnion('type', [
  z.object({ type: z.literal('base64'), media_type: z.enum(imageMediaTypes), data: z.string().min(1) }),
  z.object({ type: z.literal('url'), url: sourceUrl }),
  z.object({ type: z.literal('file'), file_id: z.string().min(1) }),
]);

/** A content block: of a known type and well-formed, or of a type that only the upstream can check. */
const block = z
  .unknown()
  .superRefine((value, context) => {
    const fault = blockFault(value);
    if (fault) refuse(context, fault);
  })
  .meta({
    // The document lists the known kinds in its place.
    id: 'ContentBlock',
    override: {
      type: 'object',
      properties: { type: { type: 'string' } },
      required: ['type'],
      additionalProperties: {},
    },
  }) as unknown as z.ZodType<Block>;

const blocks = boundedList(block);

/** A text, or blocks. */
export const content = z.union([z.string(), blocks], { error: 'must be a string or an array of content blocks' });

const documentSource = z.discriminatedUnion('type', [
  z.object({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: z.string().min(1) }),
  z.object({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
  z.object({ type: z.literal('content'), content }),
  z.object({ type: z.literal('url'), url: sourceUrl }),
  z.object({ type: z.literal('file'), file_id: z.string().min(1) }),
]);

/** What a search found, or why it found nothing. */
const searchResults = z.union(
  [
    boundedList(
      z.object({
        type: z.literal('web_search_result'),
        url: z.string(),
        title: optionalField(z.string()),
        encrypted_content: z.string(),
        page_age: optionalField(z.string()),
      }),
    ),
    z.object({ type: z.literal('web_search_tool_result_error'), error_code: z.string() }),
  ],
  'must be a list of web_search_result blocks, or a web_search_tool_result_error',
);

/** A map, because a type from a client may be the name of a member of every object: `constructor`, `__proto__`. */
export const knownBlocks: ReadonlyMap<string, z.ZodObject> = new Map<string, z.ZodObject>([
  ['text', z.object({ text: z.string(), cache_control: cacheControl })],
  ['image', z.object({ source: imageSource, cache_control: cacheControl })],
  ['document', z.object({ source: documentSource, cache_control: cacheControl })],
  ['thinking', z.object({ thinking: z.string(), signature: optionalField(z.string()) })],
  ['redacted_thinking', z.object({ data: z.string() })],
  [
    'tool_use',
    z.object({
      id: z.string().min(1),
      name: z.string().min(1),
      input: anyObject,
      cache_control: cacheControl,
    }),
  ],
  [
    'tool_result',
    z.object({
      tool_use_id: z.string().min(1),
      content: optionalField(content),
      is_error: optionalField(z.boolean()),
      cache_control: cacheControl,
    }),
  ],
  ['server_tool_use', z.object({ id: z.string().min(1), name: z.string().min(1), input: anyObject })],
  ['web_search_tool_result', z.object({ tool_use_id: z.string().min(1), content: searchResults })],
  // Tools can be declared in the middle of a conversation.
  ['tool_addition', z.object({ tool: z.object({ definition: optionalField(inlineTool) }) })],
  ['compaction', z.object({ tool_changes: optionalField(blocks) })],
  // Files in a container are billed by the hour, whether or not anything runs.
  ['container_upload', z.object({ type: z.never('is not supported by this gateway; send the text instead') })],
]);

const anyBlock = z.object({ type: z.string() });

/** Parts of OpenAI's APIs, and what says the same here. */
const foreignBlocks = new Map(
  Object.entries({
    image_url: '{"type": "image", "source": {"type": "url", "url": …}}',
    input_image: '{"type": "image", "source": {"type": "url", "url": …}}',
    input_text: '{"type": "text", "text": …}',
    output_text: '{"type": "text", "text": …}',
    file: '{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": …}}',
    input_file: '{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": …}}',
  }),
);

const foreignBlock = z.object({
  type: z.string().refine((type) => !foreignBlocks.has(type), {
    error: ({ input }) => `is a part of another API: send ${foreignBlocks.get(input as string)}`,
  }),
});

function blockFault(value: unknown) {
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined;
  if (typeof type === 'string' && foreignBlocks.has(type)) return firstFault(foreignBlock, value);
  return firstFault((typeof type === 'string' && knownBlocks.get(type)) || anyBlock, value);
}
