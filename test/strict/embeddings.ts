/** Strict fakes of embedding providers, from their API references. */

import * as z from 'zod';
import { strictFake, type Rule, type StrictFake } from './rules.ts';

const text = z.string().min(1);
const upTo = (max: number) => z.array(text).min(1).max(max);
const tokens = z.array(z.int().min(0)).min(1);

const openai = 'https://developers.openai.com/api/reference/resources/embeddings/methods/create';
const openaiBody = z.strictObject({
  model: text,
  input: z.union([text, upTo(2_048), tokens, z.array(tokens).min(1).max(2_048)]),
  encoding_format: z.enum(['float', 'base64']).optional(),
  dimensions: z.int().min(1).optional(),
  user: z.string().optional(),
});
const fixedLength: Rule<z.output<typeof openaiBody>> = {
  source: openai,
  refuses: ({ model, read: { dimensions } }) =>
    dimensions !== undefined && model === 'text-embedding-ada-002' && 'This model does not support dimensions',
};

const voyage = 'https://docs.voyageai.com/reference/embeddings-api';
const voyageBody = z.strictObject({
  model: text,
  input: upTo(1_000),
  input_type: z.enum(['query', 'document']).nullish(),
  truncation: z.boolean().optional(),
  encoding_format: z.literal('base64').nullish(),
  output_dimension: z.literal([256, 512, 1_024, 2_048]).optional(),
  output_dtype: z.enum(['float', 'int8', 'uint8', 'binary', 'ubinary']).optional(),
});
/** Voyage cuts a text that is too long, unless `truncation` is false. */
const uncutAtVoyage: Rule<{ truncation?: boolean | undefined }> = {
  source: voyage,
  refuses: ({ read: { truncation } }) => truncation !== false && 'a text that is too long would be cut',
};

const voyageMultimodal = 'https://docs.voyageai.com/reference/multimodal-embeddings-api';
const multimodalPart = z.union([
  z.strictObject({ type: z.literal('text'), text }),
  z.strictObject({ type: z.literal('image_base64'), image_base64: z.string().regex(/^data:image\//) }),
  z.strictObject({ type: z.literal('image_url'), image_url: z.url() }),
]);
const voyageMultimodalBody = z.strictObject({
  model: text,
  inputs: z
    .array(z.strictObject({ content: z.array(multimodalPart).min(1) }))
    .min(1)
    .max(1_000),
  input_type: z.enum(['query', 'document']).nullish(),
  truncation: z.boolean().optional(),
  output_encoding: z.literal('base64').nullish(),
  output_dimension: z.literal([256, 512, 1_024, 2_048]).optional(),
});

const cohere = 'https://docs.cohere.com/reference/embed';
const uses = z.enum(['search_document', 'search_query', 'classification', 'clustering', 'image']);
const cohereFields = {
  input_type: uses,
  texts: upTo(96).optional(),
  inputs: z.array(z.unknown()).min(1).max(96).optional(),
  embedding_types: z.array(z.enum(['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'])).optional(),
  output_dimension: z.literal([256, 512, 1_024, 1_536, 2_048]).optional(),
  truncate: z.enum(['NONE', 'START', 'END']).optional(),
};
const cohereBody = z.strictObject({ model: text, ...cohereFields });
const bedrockCohereBody = z.strictObject(cohereFields);
const uncutAtCohere: Rule<z.output<typeof bedrockCohereBody>> = {
  source: cohere,
  refuses: ({ read: { truncate } }) => truncate !== 'NONE' && 'a text that is too long would be cut',
};

const titanText = 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html';
const titanTextBody = z.strictObject({
  inputText: text,
  dimensions: z.literal([256, 512, 1_024]).optional(),
  normalize: z.boolean().optional(),
});
const titanImage = 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-mm.html';
const titanImageBody = z
  .strictObject({
    inputText: text.optional(),
    inputImage: z.base64().min(1).optional(),
    embeddingConfig: z.strictObject({ outputEmbeddingLength: z.literal([256, 384, 1_024]) }).optional(),
  })
  .refine(({ inputText, inputImage }) => inputText ?? inputImage, 'inputText or inputImage is required');

const google = 'https://ai.google.dev/api/embeddings';
const googleBody = z.strictObject({
  requests: z
    .array(
      z.strictObject({
        model: z.string().regex(/^models\//),
        content: z.strictObject({ parts: z.array(z.strictObject({ text })).min(1) }),
        taskType: z
          .enum(['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT', 'SEMANTIC_SIMILARITY', 'CLASSIFICATION', 'CLUSTERING'])
          .optional(),
        outputDimensionality: z.int().min(1).max(3_072).optional(),
      }),
    )
    .min(1)
    .max(100),
});

const usesAsTextAtGoogle: Rule<z.output<typeof googleBody>> = {
  source: 'https://ai.google.dev/gemini-api/docs/embeddings#task-types-embeddings-2',
  refuses: ({ read, model }) =>
    model === 'gemini-embedding-2' &&
    read.requests.some(({ taskType }) => taskType !== undefined) &&
    'taskType cannot be used with this model',
};

const mistral = 'https://docs.mistral.ai/api/endpoint/embeddings';
const mistralBody = z.strictObject({
  model: text,
  // https://github.com/raphaelmansuy/edgequake-llm/pull/74: "Too many inputs in request, split into more batches".
  input: z.union([text, upTo(512)]),
  encoding_format: z.enum(['float', 'base64']).optional(),
  output_dimension: z.int().min(1).max(3_072).optional(),
  output_dtype: z.enum(['float', 'int8', 'uint8', 'binary', 'ubinary']).optional(),
});
const fixedAtMistral: Rule<z.output<typeof mistralBody>> = {
  source: mistral,
  refuses: ({ model, read: { output_dimension: length } }) =>
    length !== undefined && model === 'mistral-embed' && 'This model does not support output_dimension',
};

/** Maximum tokens of all texts of a request at Mistral. A token has at least one byte. */
const MAX_MISTRAL_TOKENS = 16_384;
const boundedAtMistral: Rule<z.output<typeof mistralBody>> = {
  source: 'https://github.com/chroma-core/chroma/pull/5597',
  refuses: ({ read: { input } }) =>
    Array.isArray(input) &&
    input.length > 1 &&
    Buffer.byteLength(input.join('')) > MAX_MISTRAL_TOKENS &&
    'Too many tokens overall, split into more batches.',
};

const nim = 'https://docs.nvidia.com/nim/nemo-retriever/text-embedding/1.13.0/reference-grpc.html';
const nimBody = z.strictObject({
  model: text,
  input: z.union([text, z.array(text).min(1)]),
  input_type: z.enum(['query', 'passage'], "'input_type' parameter is required for asymmetric models"),
  truncate: z.enum(['NONE', 'START', 'END']).optional(),
  encoding_format: z.enum(['float', 'base64']).optional(),
  dimensions: z.int().min(1).optional(),
  user: z.string().optional(),
});

export const embeddingSources: readonly string[] = [
  openai,
  voyage,
  voyageMultimodal,
  cohere,
  titanText,
  titanImage,
  google,
  mistral,
  nim,
];

export const embeddingFakes: Record<string, StrictFake> = {
  'openai-embeddings openai': strictFake(openaiBody, [fixedLength]),
  'openai-embeddings voyage': strictFake(voyageBody, [uncutAtVoyage]),
  'voyage-multimodal voyage': strictFake(voyageMultimodalBody, [uncutAtVoyage]),
  'openai-embeddings mistral': strictFake(mistralBody, [fixedAtMistral, boundedAtMistral]),
  'openai-embeddings nim': strictFake(nimBody, []),
  'cohere-embeddings cohere-v2': strictFake(cohereBody, [uncutAtCohere]),
  'bedrock-cohere-embeddings amazon-bedrock': strictFake(bedrockCohereBody, [uncutAtCohere]),
  'bedrock-titan-embeddings amazon-bedrock': strictFake<unknown>(
    (model) => (model.includes('embed-image') ? titanImageBody : titanTextBody),
    [],
  ),
  'google-embeddings google': strictFake(googleBody, [usesAsTextAtGoogle]),
};
