/**
 * Schemas of content blocks. Unknown block types and fields are forwarded unchanged, for the provider to check. Blocks
 * are checked without a copy, because a schema's copy would lack unknown fields.
 */

import * as z from 'zod';
import { audioMediaTypes } from './audio.ts';
import { anyObject, base64, cacheControl, sourceUrl, optionalField } from './field-kinds.ts';
import { firstFault, boundedList, refuse } from './list-of.ts';
import { inlineTool } from './tool-schema.ts';
import type { Block } from './types.ts';

/** Types of iPhones' photos, which only Gemini accepts: https://github.com/QuantumNous/new-api/issues/3502 */
export const heicTypes: readonly string[] = ['image/heic', 'image/heif'];

/**
 * `image/jpg` is no media type, but some clients write it (https://github.com/NousResearch/hermes-agent/issues/55432).
 */
const imageMediaTypes = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/jpg',
  'image/heic',
  'image/heif',
] as const;

const urlSource = z.object({
  type: z.literal('url'),
  url: sourceUrl.meta({ description: 'The address of the content; the provider fetches it.' }),
});

const fileSource = z.object({
  type: z.literal('file'),
  file_id: z
    .string()
    .min(1)
    .meta({ description: 'The id of a file that the provider has stored already; this API uploads none.' }),
});

const imageSource = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('base64'),
    media_type: z.enum(imageMediaTypes).meta({ description: 'The media type of the image bytes.' }),
    data: base64.meta({ description: 'The bytes of the image, in base64.' }),
  }),
  urlSource,
  fileSource,
]);

/** A valid block of a known type, or a block of a type that only the provider can check. */
const block = z
  .unknown()
  .superRefine((value, context) => {
    const fault = blockFault(value);
    if (fault) refuse(context, fault);
  })
  .meta({
    // The list of known block types replaces this schema in the API document.
    id: 'ContentBlock',
    override: {
      type: 'object',
      properties: { type: { type: 'string' } },
      required: ['type'],
      additionalProperties: {},
    },
  }) as unknown as z.ZodType<Block>;

const blocks = boundedList(block);

export const content = z.union([z.string(), blocks], { error: 'must be a string or an array of content blocks' });

const documentSource = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('base64'),
    media_type: z.literal('application/pdf'),
    data: base64.meta({ description: 'The bytes of the document, in base64.' }),
  }),
  z.object({
    type: z.literal('text'),
    media_type: z.literal('text/plain'),
    data: z.string().meta({ description: 'The text of the document.' }),
  }),
  z.object({
    type: z.literal('content'),
    content: content.meta({ description: 'The content as a text, or as a list of blocks.' }),
  }),
  urlSource,
  fileSource,
]);

const audioSource = z.object({
  type: z.literal('base64', 'must be "base64": send the recording itself'),
  media_type: z.enum(Object.values(audioMediaTypes)).meta({ description: 'The media type of the recording.' }),
  data: base64.meta({ description: 'The bytes of the recording, in base64.' }),
});

const searchResults = z.union(
  [
    boundedList(
      z.object({
        type: z.literal('web_search_result'),
        url: z.string().meta({ description: 'The address of the page that was found.' }),
        title: optionalField(z.string()).meta({ description: 'The title of the page that was found.' }),
        encrypted_content: z
          .string()
          .meta({ description: 'The text of the page, encrypted. Send it back unchanged in the next turn.' }),
        page_age: optionalField(z.string()).meta({ description: 'The age of the page, as the search engine says it.' }),
      }),
    ),
    z.object({
      type: z.literal('web_search_tool_result_error'),
      error_code: z.string().meta({ description: 'The reason why the search has no result.' }),
    }),
  ],
  'must be a list of web_search_result blocks, or a web_search_tool_result_error',
);

/**
 * Schemas of the known blocks, by their type. They are in a Map, because a client may send a type such as
 * `constructor`, which an object would inherit.
 */
export const supportedBlocks: ReadonlyMap<string, z.ZodObject> = new Map<string, z.ZodObject>([
  [
    'text',
    z.object({
      text: z.string().meta({ description: 'The text of the block.' }),
      cache_control: cacheControl.meta({
        description:
          'Requests that the provider cache everything up to and including this block, so that the next request with the same beginning costs less.',
      }),
    }),
  ],
  [
    'image',
    z.object({
      source: imageSource.meta({
        description: 'The image: its data, its address, or the id of a file that the provider has.',
      }),
      cache_control: cacheControl.meta({
        description:
          'Requests that the provider cache everything up to and including this block, so that the next request with the same beginning costs less.',
      }),
    }),
  ],
  [
    'document',
    z.object({
      source: documentSource.meta({
        description:
          'The document (PDF or text): its data, its address, blocks, or the id of a file that the provider has.',
      }),
      cache_control: cacheControl.meta({
        description:
          'Requests that the provider cache everything up to and including this block, so that the next request with the same beginning costs less.',
      }),
    }),
  ],
  [
    'search_result',
    z.object({
      source: z.string().meta({ description: 'The address or the name of the source.' }),
      title: z.string().meta({ description: 'The title of the source.' }),
      content: boundedList(
        z.object({
          type: z.literal('text', 'must be "text": a search result has no other content'),
          text: z.string().meta({ description: 'A part of the result.' }),
        }),
      ).meta({ description: 'The texts that your own search has found.' }),
      cache_control: cacheControl.meta({
        description:
          'Requests that the provider cache everything up to and including this block, so that the next request with the same beginning costs less.',
      }),
    }),
  ],
  [
    'thinking',
    z.object({
      thinking: z.string().meta({ description: 'The thinking of the model as text.' }),
      signature: optionalField(z.string()).meta({
        description:
          'A signature with which the provider recognises its thinking. Send it back unchanged in the next turn.',
      }),
    }),
  ],
  [
    'redacted_thinking',
    z.object({
      data: z.string().meta({
        description: 'Encrypted thinking that only its provider can read. Send it back unchanged in the next turn.',
      }),
    }),
  ],
  [
    'tool_use',
    z.object({
      id: z.string().min(1).meta({ description: 'The id of the call; the result of the tool refers to it.' }),
      name: z.string().min(1).meta({ description: 'The name of the tool that the model calls.' }),
      input: anyObject.meta({ description: 'The arguments of the call.' }),
      cache_control: cacheControl.meta({
        description:
          'Requests that the provider cache everything up to and including this block, so that the next request with the same beginning costs less.',
      }),
    }),
  ],
  [
    'tool_result',
    z.object({
      tool_use_id: z.string().min(1).meta({ description: 'The id of the call that this is the result of.' }),
      content: optionalField(content).meta({ description: 'The result of the call: a text, or a list of blocks.' }),
      is_error: optionalField(z.boolean()).meta({
        description: 'With true the call has failed, and the content says why.',
      }),
      cache_control: cacheControl.meta({
        description:
          'Requests that the provider cache everything up to and including this block, so that the next request with the same beginning costs less.',
      }),
    }),
  ],
  [
    'server_tool_use',
    z.object({
      id: z.string().min(1).meta({ description: 'The id of the call; its result refers to it.' }),
      name: z.string().min(1).meta({ description: 'The name of the tool that the gateway runs: `web_search`.' }),
      input: anyObject.meta({ description: 'The arguments of the call.' }),
    }),
  ],
  [
    'web_search_tool_result',
    z.object({
      tool_use_id: z.string().min(1).meta({ description: 'The id of the search that this is the result of.' }),
      content: searchResults.meta({ description: 'The pages that were found, or an error.' }),
    }),
  ],
  [
    'tool_addition',
    z.object({
      tool: z
        .object({
          definition: optionalField(inlineTool).meta({ description: 'The definition of the tool, as in `tools`.' }),
        })
        .meta({ description: 'A tool that the model has from this point of the conversation on.' }),
    }),
  ],
  [
    'compaction',
    z.object({
      tool_changes: optionalField(blocks).meta({
        description:
          'Blocks that add tools at this point of the conversation. A `compaction` block is a summary that stands in place of the messages before it.',
      }),
    }),
  ],
  [
    'audio',
    z.object({
      source: audioSource.meta({
        description:
          'The recording as data. The block is an addition of this gateway to the Messages API, for messages of the user; models with `audio` in their `input_modalities` take it.',
      }),
    }),
  ],
  // This block is refused: a provider may charge for each hour that files are in a container, even if no code runs.
  ['container_upload', z.object({ type: z.never('is not supported by this gateway; send the text instead') })],
]);

const anyBlock = z.object({ type: z.string() });

/** Content parts of OpenAI's APIs, with the block of the Messages API to send instead. */
const foreignBlocks = new Map(
  Object.entries({
    image_url: '{"type": "image", "source": {"type": "url", "url": …}}',
    input_image: '{"type": "image", "source": {"type": "url", "url": …}}',
    input_audio: '{"type": "audio", "source": {"type": "base64", "media_type": "audio/wav", "data": …}}',
    input_text: '{"type": "text", "text": …}',
    output_text: '{"type": "text", "text": …}',
    file: '{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": …}}',
    input_file: '{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": …}}',
  }),
);

const foreignBlock = z.object({
  type: z.string().refine((type) => !foreignBlocks.has(type), {
    error: ({ input }) => `is a block type of another API; send ${foreignBlocks.get(input as string)}`,
  }),
});

function blockFault(value: unknown) {
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined;
  if (typeof type === 'string' && foreignBlocks.has(type)) return firstFault(foreignBlock, value);
  return firstFault((typeof type === 'string' && supportedBlocks.get(type)) || anyBlock, value);
}
