import * as z from 'zod';
import { optionalField } from './field-kinds.ts';

const UNLISTED = 'A model that does not list the field in its `supported_parameters` answers without it.';

export const samplingParameterFields = {
  temperature: optionalField(z.number().min(0).max(2)).meta({
    description: `Sampling temperature: with 0 the model nearly always takes the most likely token; higher values give more variety. ${UNLISTED}`,
  }),
  top_p: optionalField(z.number().min(0).max(1)).meta({
    description: `Nucleus sampling: the model considers only the most likely tokens whose probabilities add up to \`top_p\`. With 1 it considers all tokens. ${UNLISTED}`,
  }),
  top_k: optionalField(z.int().nonnegative()).meta({
    description: `The model considers only the \`top_k\` most likely tokens. With 0 it considers all tokens. ${UNLISTED}`,
  }),
  frequency_penalty: optionalField(z.number().min(-2).max(2)).meta({
    description: `Lowers the probability of a token by how often it has occurred in the text so far; negative values raise it. With 0 nothing changes. ${UNLISTED}`,
  }),
  presence_penalty: optionalField(z.number().min(-2).max(2)).meta({
    description: `Lowers the probability of every token that has occurred in the text so far, however often; negative values raise it. With 0 nothing changes. ${UNLISTED}`,
  }),
};

/** Largest seed. OpenAI's API has 64-bit integers (https://github.com/openai/openai-openapi). */
const MAX_SEED = 2 ** 63;
/** The schema is not `z.int`, because that refuses whole numbers above 2^53. */
const seed = z
  .number()
  .multipleOf(1, 'must be a whole number')
  .min(-MAX_SEED)
  .max(MAX_SEED)
  .meta({ override: { type: 'integer' } });

export const rareParameterFields = {
  seed: optionalField(seed).meta({
    description: `A number that makes answers repeatable: some models answer the same request with the same seed alike. ${UNLISTED}`,
  }),
  min_p: optionalField(z.number().min(0).max(1)).meta({
    description: `The model considers only tokens at least so probable in relation to the most likely one. With 0 it considers all. ${UNLISTED}`,
  }),
  top_a: optionalField(z.number().min(0).max(1)).meta({
    description: `The model considers only tokens whose probability is large enough in relation to the square of that of the most likely one. With 0 it considers all. ${UNLISTED}`,
  }),
  logit_bias: optionalField(z.record(z.string().max(20), z.number().min(-100).max(100))).meta({
    description: `Makes tokens, by their ids, more or less likely. ${UNLISTED}`,
  }),
};

/** OpenRouter also has levels above `high` (https://github.com/anomalyco/opencode/issues/25626). They mean `high`. */
export const verbosity = optionalField(
  z
    .enum(['low', 'medium', 'high', 'xhigh', 'max'])
    .transform((level) => (level === 'xhigh' || level === 'max' ? 'high' : level)),
).meta({
  description: `How long and detailed the answer is; \`medium\` is the same as leaving the field out. ${UNLISTED}`,
});

export const repetitionPenalty = optionalField(z.number().min(0).max(2)).meta({
  description: `Values above 1 lower the probability of tokens that occur in the prompt or in the answer so far; values below 1 raise it. With 1 nothing changes. ${UNLISTED}`,
});
