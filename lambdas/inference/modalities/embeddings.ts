import { embeddingsBody, inputsOf, inputTypeOf, isContent, type EmbeddingInput } from '../../embeddings/schema.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { EmbeddingTask } from '../../providers/embeddings/codec.ts';
import { isOwnLength } from '../../providers/embeddings/embed.ts';
import { embeddingEngines } from '../../providers/embeddings/engines.ts';
import { textBytes } from '../../providers/embeddings/requests.ts';
import { textsOfRequest, withFetchedImages, inputWithTexts } from './embedded-content.ts';
import { candidatesWith } from './listed-fields.ts';
import { defineModality, plainRoute } from './modality.ts';

/** Maximum number of JSON values in a request, whose input may consist of token numbers. */
const MAX_VALUES = 2_000_000;
const MAX_NAMED_FIELDS = 1_000;

const isSearchable = (input: EmbeddingInput) => typeof input === 'string' || isContent(input);

export const embeddingsModality = defineModality({
  apiType: 'embeddings',
  makes: 'embeddings',
  accepts: {
    body: embeddingsBody.schema,
    maxValues: MAX_VALUES,
    maxFields: MAX_NAMED_FIELDS,
    exactWithin: ['max_price'],
  },
  prepare: withFetchedImages,
  leftOut: embeddingsBody.unknownIn,
  engines: embeddingEngines,
  textsOf: textsOfRequest,
  refuseUnsearchable: (body) => {
    // Images are not searched for sensitive data (docs/protection.md).
    if (!inputsOf(body).every(isSearchable))
      throw invalidRequest(
        'input',
        'must be text: the key protects sensitive data, which the gateway cannot find in tokens',
      );
  },
  taskOf: (body, texts): EmbeddingTask => {
    const next = texts.values();
    return {
      inputs: inputsOf(body).map((input) => inputWithTexts(input, next)),
      encoding: body.encoding_format ?? 'float',
      dimensions: body.dimensions ?? undefined,
      inputType: inputTypeOf(body),
    };
  },
  promptBytes: ({ inputs }) => inputs.reduce((bytes, input) => bytes + textBytes(input), 0),
  routeOf: plainRoute,
  fitting: ({ dimensions, inputType }, candidates, onExcluded) =>
    candidatesWith(
      { dimensions, input_type: inputType },
      candidates,
      onExcluded,
      ({ target }, name) =>
        target.supportedParameters.includes(name) || (name === 'dimensions' && isOwnLength(dimensions, target)),
    ),
  tooLarge: (maxMebibytes) =>
    invalidRequest('input', `is more than ${maxMebibytes} MiB for this model; send fewer texts`),
  tooMany: (requests, maxRequests) =>
    invalidRequest(
      'input',
      `needs ${requests} requests to this model, and the maximum is ${maxRequests}; send fewer texts`,
    ),
  // Maximum number of concurrent requests. It is low because responses are large, and stay in memory until the last one
  // arrives.
  maxAtOnce: 4,
  resultOf: (vectors) => vectors,
  outOfTime: 'The texts took longer than the gateway may run. Send fewer texts at once.',
});
