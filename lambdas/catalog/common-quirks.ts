/** Fields of the quirks that endpoints of every wire may have. */

import * as z from 'zod';
import { mediaModalities, type commonQuirkNames } from './quirk-values.ts';
import { penalties, samplingParameters } from './sampling-parameters.ts';

const rangedParameters = [...samplingParameters, ...penalties, 'seed'] as const;

export const common = {
  /**
   * Tokenizer of the model. The gateway has only the vocabulary of `o200k`. `claude` needs more tokens for a text than
   * any other known tokenizer. Absent: another tokenizer.
   */
  tokenizer: z.enum(['o200k', 'claude']).optional(),
  /** Maximum tokens of one image; 6,000 if absent. */
  max_image_tokens: z.int().positive().optional(),
  /**
   * Whether reasoning is billed but not shown. The gateway cannot count it during the answer. So a hold covers all of
   * max_tokens from the start.
   */
  hidden_reasoning: z.boolean().optional(),
  /** Whether max_tokens limits only the answer, not the thinking before it. */
  reasoning_beyond_max_tokens: z.boolean().optional(),
  /** Minimum of max_tokens. A smaller value is raised to it, and so is the hold. */
  min_output_tokens: z.int().positive().optional(),
  /**
   * Value that is sent as `service_tier`, on wires with that field. Without it, OpenAI and Azure use the tier of the
   * operator's project. A priority tier would cost more than the catalog's price.
   */
  service_tier: z.enum(['default']).optional(),
  /**
   * Accepted ranges of sampling parameters. A value outside its range is sent as the nearest accepted value; a seed is
   * mapped to another seed in the range.
   */
  sampling_ranges: z.partialRecord(z.enum(rangedParameters), z.tuple([z.number(), z.number()])).optional(),
  /**
   * Output, besides text, that the endpoint makes for chat completions. The endpoint then answers only requests whose
   * `modalities` name it, because it may make it unasked. An endpoint that speaks also answers recordings.
   */
  modalities: z.array(z.enum(mediaModalities)).min(1).optional(),
} satisfies Record<(typeof commonQuirkNames)[number], z.ZodType>;
