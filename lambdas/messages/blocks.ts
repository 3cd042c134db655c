import { z } from 'zod';
import { anyObject, cacheControl, httpUrl, optional } from './field-kinds.ts';
import { firstFault, listOf, refuse } from './list-of.ts';
import { tool } from './tool-schema.ts';
import type { Block } from './types.ts';

/** Content blocks of messages, system prompts and results. Types that are newer than us pass: their upstream judges them. */

const imageMediaTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

const imageSource = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('base64'), media_type: z.enum(imageMediaTypes), data: z.string().min(1) }),
  z.looseObject({ type: z.literal('url'), url: httpUrl }),
  z.looseObject({ type: z.literal('file'), file_id: z.string().min(1) }),
]);

/** A content block: of a known type and well-formed, or of a type that only the upstream can judge. */
export const block = z
  .unknown()
  .superRefine((value, context) => {
    const fault = blockFault(value);
    if (fault) refuse(context, fault);
  })
  .meta({
    override: {
      type: 'object',
      properties: { type: { type: 'string' } },
      required: ['type'],
      additionalProperties: {},
    },
  }) as unknown as z.ZodType<Block>;

const blocks = listOf(block);

/** A text, or blocks. */
export const content = z.union([z.string(), blocks], { error: 'must be a string or an array of content blocks' });

const documentSource = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: z.string().min(1) }),
  z.looseObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
  z.looseObject({ type: z.literal('content'), content }),
  z.looseObject({ type: z.literal('url'), url: httpUrl }),
  z.looseObject({ type: z.literal('file'), file_id: z.string().min(1) }),
]);

/** A map, because a client may name a block like a member of every object: `constructor`, `__proto__`. */
const knownBlocks = new Map<string, z.ZodType>([
  ['text', z.looseObject({ text: z.string(), cache_control: cacheControl })],
  ['image', z.looseObject({ source: imageSource, cache_control: cacheControl })],
  ['document', z.looseObject({ source: documentSource, cache_control: cacheControl })],
  ['thinking', z.looseObject({ thinking: z.string(), signature: optional(z.string()) })],
  ['redacted_thinking', z.looseObject({ data: z.string() })],
  [
    'tool_use',
    z.looseObject({
      id: z.string().min(1),
      name: z.string().min(1),
      input: anyObject,
      cache_control: cacheControl,
    }),
  ],
  [
    'tool_result',
    z.looseObject({
      tool_use_id: z.string().min(1),
      content: optional(content),
      is_error: optional(z.boolean()),
      cache_control: cacheControl,
    }),
  ],
  // Tools can be declared in the middle of a conversation: the same ones as at its beginning.
  ['tool_addition', z.looseObject({ tool: z.looseObject({ definition: optional(tool) }) })],
  ['compaction', z.looseObject({ tool_changes: optional(blocks) })],
  // Files in a container are billed by the hour, whether or not anything runs.
  ['container_upload', z.looseObject({ type: z.never('is not supported by this gateway; send the text instead') })],
]);

const anyBlock = z.looseObject({ type: z.string() });

function blockFault(value: unknown) {
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined;
  return firstFault((typeof type === 'string' && knownBlocks.get(type)) || anyBlock, value);
}
