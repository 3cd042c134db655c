import { embeddingsRequestSchema } from '../../embeddings/schema.ts';

/** As many tokens as a request of this size can have. */
const MAX_VALUES = 2_000_000;

/** All fields that the schema knows, many times over: tokens have no names. */
const MAX_NAMED_FIELDS = 1_000;

/** The body of a request for embeddings. */
export const embeddingsBody = {
  body: embeddingsRequestSchema,
  maxValues: MAX_VALUES,
  maxFields: MAX_NAMED_FIELDS,
  exactWithin: ['max_price'],
};
