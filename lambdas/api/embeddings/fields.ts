import { embeddingsRequestSchema } from '../../embeddings/schema.ts';

/** As many tokens as a request of this size can have. */
const MAX_VALUES = 2_000_000;

/** The body of a request for embeddings. */
export const embeddingsBody = { body: embeddingsRequestSchema, maxValues: MAX_VALUES, exactWithin: ['max_price'] };
