/** POST /rerank has the fields of OpenRouter's API, and fields of the Cohere, Jina and Voyage APIs. */

import * as z from 'zod';
import { optionalField } from '../../messages/field-kinds.ts';
import { labelFields } from '../../messages/label-fields.ts';
import { boundedList, checkedBy, refuse } from '../../messages/list-of.ts';
import { openBody } from '../../messages/open-body.ts';
import { routingField } from '../../messages/preferences.ts';

const MAX_RANKED_DOCUMENTS = 1_000;
/** Maximum size of all texts in bytes, because the answer repeats the documents. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const MAX_TOKENS_PER_DOC = 1_000_000;

const MODELS_RULE = 'is refused here, because scores of different models cannot be compared; name one in "model"';

const filledText = z.string().min(1);
const MAX_RANK_FIELDS = 20;
/**
 * A document as an object. Members other than `text` are ranked only if `rank_fields` names them, as in Cohere's API.
 */
const textDocument = z.looseObject({
  text: optionalField(filledText).meta({ description: 'The text of the document.' }),
  image: optionalField(z.never('is refused here: only texts are ranked; send "text"')).meta({
    description: 'This field is refused, because only texts are ranked.',
  }),
});
const document = checkedBy<string | z.output<typeof textDocument>>(
  (value) => (typeof value === 'string' ? filledText : textDocument),
  [filledText, textDocument],
);

const topN = optionalField(z.int().min(1).max(MAX_RANKED_DOCUMENTS));

const rerankFields = {
  model: z.string().min(1).max(200).meta({
    description: 'The id of a model that ranks documents, such as `cohere/rerank-v3.5`; GET /rerank/models lists them.',
  }),
  query: filledText.meta({ description: 'The text that the documents are compared with.' }),
  documents: boundedList(document, { min: 1, max: MAX_RANKED_DOCUMENTS }).meta({
    description: 'Up to 1,000 documents, each a text or an object with a `text`. Together they have at most 4 MiB.',
  }),
  rank_fields: optionalField(boundedList(z.string().min(1).max(100), { min: 1, max: MAX_RANK_FIELDS })).meta({
    description:
      'The fields of each document, if it is an object, that are compared with the query, in this order; `["text"]` if absent.',
  }),
  top_n: topN.meta({ description: 'The number of results; all documents if absent.' }),
  top_k: topN.meta({ description: 'The same as `top_n`, under the name of Voyage’s API.' }),
  return_documents: optionalField(z.boolean()).meta({
    description: 'With true, which is the default, each result has its `document`; with false it has not.',
  }),
  max_tokens_per_doc: optionalField(z.int().min(1).max(MAX_TOKENS_PER_DOC)).meta({
    description: 'The tokens of each document that are read; the rest is cut. Only models that list it take it.',
  }),
  provider: routingField,
  models: optionalField(z.never(MODELS_RULE)).meta({
    description: 'This field is refused, because scores of different models cannot be compared.',
  }),
  stream: optionalField(z.literal(false, 'must be false: a rank is never streamed')).meta({
    description: 'Only false is accepted, because a rank comes as a whole.',
  }),
  ...labelFields,
};

export const rerankBody = openBody(rerankFields, {
  check: (body, context) => {
    const { top_n, top_k, documents, rank_fields: ranked } = body;
    if (top_n != null && top_k != null && top_n !== top_k) {
      refuse(context, { path: ['top_k'], message: 'must equal top_n, which means the same; send one of them' });
    }
    const textless = documents.findIndex((one) => rankedText(one, ranked) === '');
    if (textless !== -1) {
      const message = `is required (expected ${(ranked ?? ['text']).join(' or ')} with a text)`;
      refuse(context, { path: ['documents', textless, ranked?.[0] ?? 'text'], message });
    }
    const bytes = documents.reduce(
      (sum, one) => sum + Buffer.byteLength(rankedText(one, ranked)),
      Buffer.byteLength(body.query),
    );
    if (bytes > MAX_TEXT_BYTES) {
      const message = 'must have at most 4 MiB of text together with the query; send fewer';
      refuse(context, { path: ['documents'], message });
    }
  },
});
export type RerankRequest = z.output<typeof rerankBody.schema>;

/** Returns the text of a document. Several fields become lines with their names, as Cohere recommends. */
export function rankedText(
  document: RerankRequest['documents'][number],
  ranked?: RerankRequest['rank_fields'],
): string {
  if (typeof document === 'string') return document;
  // A field that is named twice counts once, so that a request cannot multiply the size of its documents.
  const names = [...new Set(ranked ?? ['text'])];
  const fields = names.filter((name) => typeof document[name] === 'string' && document[name] !== '');
  if (fields.length === 1) return document[fields[0]!] as string;
  return fields.map((name) => `${name}: ${document[name] as string}`).join('\n');
}
