import { isRecord, listOrEmpty, recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { isCount } from '../../messages/usage-counts.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { jsonRequest } from '../json-request.ts';
import type { EmbeddingCodec, EmbeddingTarget, EmbeddingTask } from './codec.ts';
import type { InputType } from '../../embeddings/schema.ts';
import { namedUse, refuseInputType, voyageUses, type NamedUses } from './requests.ts';
import { vectorsInOrder } from './vectors.ts';

const MAX_OPENAI_INPUTS = 2_048;

/**
 * Variants of the API: names for the uses of vectors, and a field with which the provider rejects long texts instead of
 * cutting them. NIM requires a use (https://github.com/ogx-ai/ogx/issues/2892).
 */
const embeddingForms = {
  voyage: { uses: voyageUses, usual: undefined, fields: { truncation: false } },
  nim: {
    uses: { search_query: 'query', search_document: 'passage' },
    usual: 'search_document',
    fields: { truncate: 'NONE' },
  },
} as const satisfies Record<string, { uses: NamedUses; usual: InputType | undefined; fields: object }>;

export const openaiEmbeddings: EmbeddingCodec = {
  maxInputs: MAX_OPENAI_INPUTS,
  requestFor(task, target) {
    const { inputs, dimensions } = task;
    const { quirks, upstreamModel } = target;
    refuseTokens(task, target);
    const form = quirks.embeddings_form && embeddingForms[quirks.embeddings_form];
    if (!form) refuseInputType(task);
    return jsonRequest('/embeddings', {
      model: upstreamModel,
      input: inputs,
      encoding_format: quirks.base64 === true ? 'base64' : 'float',
      ...(form ? { ...namedUse(task.inputType ?? form.usual, form.uses), ...form.fields } : {}),
      ...(dimensions === undefined ? {} : { [quirks.dimensions_field ?? 'dimensions']: dimensions }),
    });
  },
  vectorsIn: (body) => vectorsInOrder(recordOrEmpty(body)['data']),
  readUsage(body) {
    const { usage, data } = recordOrEmpty(body);
    // GigaChat reports usage in each element of `data`, instead of once for the response.
    const counts = isRecord(usage)
      ? [usage]
      : listOrEmpty(data).map((element) => recordOrEmpty(recordOrEmpty(element)['usage']));
    // Some servers report prompt_tokens as zero next to a correct total. Relays name the field input_tokens.
    const tokens = counts.map((count) =>
      [count['prompt_tokens'], count['total_tokens'], count['input_tokens']].find((one) => isCount(one) && one > 0),
    );
    if (tokens.length === 0 || !tokens.every(isCount)) return undefined;
    return { input_tokens: tokens.reduce((sum, count) => sum + count, 0), output_tokens: 0 };
  },
};

function refuseTokens({ inputs }: EmbeddingTask, { quirks }: EmbeddingTarget): void {
  if (quirks.takes_tokens === true || inputs.every((input) => typeof input === 'string')) return;
  throw invalidRequest('input', 'must be a text or a list of texts, because this model does not accept tokens');
}
