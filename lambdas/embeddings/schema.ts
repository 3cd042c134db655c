import * as z from 'zod';
import { optionalField } from '../messages/field-kinds.ts';
import { labelFields } from '../messages/label-fields.ts';
import { firstFault, refuse } from '../messages/list-of.ts';
import { openBody } from '../messages/open-body.ts';
import { routingField } from '../messages/preferences.ts';
import type { Fault } from '../platform/zod-messages.ts';

const MAX_INPUTS = 2_048;
const MAX_TOKENS_OF_INPUT = 100_000;
const MAX_DIMENSIONS = 16_384;
const MAX_VOCABULARY = 2 ** 31;

/** Maximum number of parts of an input, and of images in a request. */
const MAX_PARTS = 64;

const contentPart = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('text'), text: z.string().min(1) }),
    z.strictObject({ type: z.literal('image_url'), image_url: z.strictObject({ url: z.string().min(1) }) }),
  ],
  'must be a part of the type text or image_url; other parts are not supported',
);
const embeddedContent = z.strictObject({ content: z.array(contentPart).min(1).max(MAX_PARTS) });

/** Several texts and images for which one common vector is computed. */
export type EmbeddedContent = z.output<typeof embeddedContent>;
export type ContentPart = z.output<typeof contentPart>;

/** A text, the list of its tokens, or content of texts and images. */
export type EmbeddingInput = string | readonly number[] | EmbeddedContent;

const INPUT_RULE =
  'must be a text, a list of texts, a list of tokens, a list of lists of tokens, or a list of objects with "content"';
const text = z.string().min(1);

const input = z
  .unknown()
  .superRefine((value, context) => {
    const fault = inputFault(value);
    if (fault) refuse(context, fault);
  })
  .meta({
    override: {
      oneOf: [
        { type: 'string', minLength: 1 },
        { type: 'array', minItems: 1, maxItems: MAX_INPUTS, items: { type: 'string', minLength: 1 } },
        { type: 'array', minItems: 1, maxItems: MAX_TOKENS_OF_INPUT, items: { type: 'integer', minimum: 0 } },
        {
          type: 'array',
          minItems: 1,
          maxItems: MAX_INPUTS,
          items: { type: 'array', minItems: 1, items: { type: 'integer', minimum: 0 } },
        },
        {
          type: 'array',
          minItems: 1,
          maxItems: MAX_INPUTS,
          items: {
            type: 'object',
            required: ['content'],
            properties: {
              content: {
                description: 'The texts and images that have one vector together.',
                type: 'array',
                minItems: 1,
                maxItems: MAX_PARTS,
                items: {
                  type: 'object',
                  required: ['type'],
                  properties: {
                    type: { type: 'string', enum: ['text', 'image_url'], description: 'The kind of the part.' },
                    text: { type: 'string', minLength: 1, description: 'The text of a part of the type `text`.' },
                    image_url: {
                      description: 'The image of a part of the type `image_url`.',
                      type: 'object',
                      required: ['url'],
                      properties: {
                        url: { type: 'string', description: 'A data URL with base64, or an https address.' },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      ],
    },
    description:
      'The text to embed, or a list of up to 2,048 texts. Some models also take tokens: a list of numbers for one text, or a list of such lists. Models with the input modality `image` take objects with `content`: parts of the types `text` and `image_url` (data URL or https address of a PNG, JPEG or WebP), which have one vector together.',
  }) as unknown as z.ZodType<string | string[] | number[] | number[][] | EmbeddedContent[]>;

/** Uses of vectors. Some models return different vectors for a question than for the texts that answer it. */
const inputTypes = ['search_query', 'search_document', 'classification', 'clustering', 'semantic_similarity'] as const;
export type InputType = (typeof inputTypes)[number];
/** Uses of vectors by their names in the APIs of Voyage and NVIDIA. */
const otherInputTypes = { query: 'search_query', document: 'search_document', passage: 'search_document' } as const;

/** Returns the use of the vectors; undefined if the request names none. */
export function inputTypeOf({ input_type: type }: EmbeddingsRequest): InputType | undefined {
  return type == null
    ? undefined
    : type in otherInputTypes
      ? otherInputTypes[type as keyof typeof otherInputTypes]
      : (type as InputType);
}

const vectorEncodings = ['float', 'base64'] as const;
export type VectorEncoding = (typeof vectorEncodings)[number];

/** Type of the vectors, under the names of Voyage's API, Jina's API, and LlamaIndex's client of Jina's API. */
const floatOnly = optionalField(
  z.literal('float', 'must be float: vectors of other types are not supported; for base64, send "encoding_format"'),
).meta({ description: 'Only `float` is accepted, which is the default.' });

const OTHER_MODELS = 'is refused here, because vectors of different models cannot be compared; name one in "model"';

export const embeddingsBody = openBody({
  model: z.string().min(1).max(200).meta({
    description:
      'The id of a model that makes embeddings, such as `openai/text-embedding-3-small`; GET /embeddings/models lists them.',
  }),
  input,
  encoding_format: optionalField(z.enum(vectorEncodings)).meta({
    description:
      'With `float`, which is the default, a vector is a list of numbers; with `base64` it is the bytes of its 32-bit floats, the least significant byte first.',
  }),
  dimensions: optionalField(z.int().min(1).max(MAX_DIMENSIONS)).meta({
    description: 'The length of the vectors, if the model can make shorter ones.',
  }),
  input_type: optionalField(z.enum([...inputTypes, 'query', 'document', 'passage'])).meta({
    description:
      'The use of the vectors, if the model distinguishes uses. `query` means `search_query`; `document` and `passage` mean `search_document`.',
  }),
  output_dimension: optionalField(z.never('is called "dimensions" here')).meta({
    description: 'This field is refused, because its name here is `dimensions`.',
  }),
  output_dtype: floatOnly,
  embedding_type: floatOnly,
  encoding_type: floatOnly,
  provider: routingField,
  models: optionalField(z.never(OTHER_MODELS)).meta({
    description: 'This field is refused, because vectors of different models cannot be compared.',
  }),
  stream: optionalField(z.literal(false, 'must be false: vectors are never streamed')).meta({
    description: 'Only false is accepted, because vectors come as a whole.',
  }),
  ...labelFields,
});
export type EmbeddingsRequest = z.output<typeof embeddingsBody.schema>;

/** Returns the first fault of an input, and ignores further faults, because a list may be long. */
function inputFault(value: unknown): Fault | undefined {
  if (typeof value === 'string') return firstFault(text, value);
  if (value === undefined) return { path: [], message: 'is required' };
  if (!Array.isArray(value)) return { path: [], message: INPUT_RULE };
  if (value.length === 0) return { path: [], message: 'must have at least one element' };
  const list = value as unknown[];
  if (typeof list[0] === 'number') return tokensFault(list, []);
  if (list.length > MAX_INPUTS) return { path: [], message: `must have at most ${MAX_INPUTS} elements` };
  if (isContent(list[0])) return contentFault(list);
  const isOfTokens = Array.isArray(list[0]);
  for (const [index, element] of list.entries()) {
    if (isOfTokens !== Array.isArray(element)) return { path: [], message: INPUT_RULE };
    const fault = isOfTokens ? tokensFault(element as unknown[], [index]) : firstFault(text, element);
    if (fault) return isOfTokens ? fault : { path: [index, ...fault.path], message: fault.message };
  }
  return undefined;
}

function contentFault(list: readonly unknown[]): Fault | undefined {
  let images = 0;
  for (const [index, element] of list.entries()) {
    const fault = firstFault(embeddedContent, element);
    if (fault) return { path: [index, ...fault.path], message: fault.message };
    images += imagesOf(element as EmbeddedContent).length;
  }
  return images > MAX_PARTS ? { path: [], message: `must have at most ${MAX_PARTS} images` } : undefined;
}

/** Returns whether an input is content with parts, instead of a text or a list of tokens. */
export function isContent(input: unknown): input is EmbeddedContent {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

/** Returns the URLs of the images in an input. */
export function imagesOf(input: EmbeddingInput): string[] {
  if (!isContent(input)) return [];
  return input.content.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []));
}

function tokensFault(tokens: readonly unknown[], path: PropertyKey[]): Fault | undefined {
  if (tokens.length === 0) return { path, message: 'must have at least one token' };
  if (tokens.length > MAX_TOKENS_OF_INPUT) return { path, message: `must have at most ${MAX_TOKENS_OF_INPUT} tokens` };
  const wrong = tokens.findIndex((one) => !isToken(one));
  return wrong === -1 ? undefined : { path: [...path, wrong], message: 'must be a token, a whole number from 0 on' };
}

/**
 * Returns whether a value is a token, which is a number in a model's vocabulary. A body may contain very many tokens,
 * for which a schema would take much longer than this check.
 */
function isToken(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_VOCABULARY;
}

/** Returns the inputs of a request. A single input becomes a list with one element. */
export function inputsOf({ input }: EmbeddingsRequest): EmbeddingInput[] {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as EmbeddingInput[]);
}
