/**
 * Schema of the body of POST /rerank: the fields of OpenRouter's API, and fields of the Cohere, Jina and Voyage APIs.
 */

import * as z from 'zod';
import { optionalField } from '../../messages/field-kinds.ts';
import { labelFields } from '../../messages/label-fields.ts';
import { boundedList, checkedBy, refuse } from '../../messages/list-of.ts';
import { openBody } from '../../messages/open-body.ts';
import { routingField } from '../../messages/preferences.ts';

/** Maximum number of documents, the highest of any known provider. */
const MAX_RANKED_DOCUMENTS = 1_000;
/** Maximum size of all texts in bytes. It is limited because the answer repeats the documents. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const MAX_TOKENS_PER_DOC = 1_000_000;

const MODELS_RULE = 'is refused here, because scores of different models cannot be compared; name one in "model"';

const filledText = z.string().min(1);
const textDocument = z.strictObject({
  text: filledText.meta({ description: 'The text of the document.' }),
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
    const { top_n, top_k, documents } = body;
    if (top_n != null && top_k != null && top_n !== top_k) {
      refuse(context, { path: ['top_k'], message: 'must equal top_n, which means the same; send one of them' });
    }
    const bytes = documents.reduce(
      (sum, one) => sum + Buffer.byteLength(rankedText(one)),
      Buffer.byteLength(body.query),
    );
    if (bytes > MAX_TEXT_BYTES) {
      const message = 'must have at most 4 MiB of text together with the query; send fewer';
      refuse(context, { path: ['documents'], message });
    }
  },
});
export type RerankRequest = z.output<typeof rerankBody.schema>;

/** Returns the text of a document, which is a string or an object. */
export function rankedText(document: RerankRequest['documents'][number]): string {
  return typeof document === 'string' ? document : document.text;
}
