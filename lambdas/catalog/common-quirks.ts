/** Quirks that several wires have in common. */

import * as z from 'zod';
import { mediaModalities, type commonQuirkNames } from './quirk-values.ts';
import { penalties, samplingParameters } from './sampling-parameters.ts';

const rangedParameters = [...samplingParameters, ...penalties, 'seed'] as const;

export const common = {
  /**
   * Tokenizer of the model. The gateway has the vocabulary of `o200k`. `claude` usually needs more tokens for a text
   * than other tokenizers. Absent: another tokenizer.
   */
  tokenizer: z.enum(['o200k', 'claude']).optional(),
  /** Maximum tokens of one image. Default: 6,000. */
  max_image_tokens: z.int().positive().optional(),
  /** Whether reasoning is billed but not in the answer. The hold then covers all of max_tokens from the start. */
  hidden_reasoning: z.boolean().optional(),
  /** Whether max_tokens limits only the answer, not the thinking before it. */
  reasoning_beyond_max_tokens: z.boolean().optional(),
  /** Maximum tokens of the thinking before an answer. A larger thinking_budget of chat completions is lowered to it. */
  max_thinking_budget: z.int().positive().optional(),
  /** Minimum value of max_tokens. A smaller value is raised to it, and the hold covers it. */
  min_output_tokens: z.int().positive().optional(),
  /**
   * Value of `service_tier`, on wires with that field. Without it, OpenAI and Azure use the default tier of the
   * operator's project, which may cost more than the catalog's price.
   */
  service_tier: z.enum(['default']).optional(),
  /**
   * Whether the service may store requests that do not forbid it (Gemini API). The Gemini wires then send `store:
   * false`, which takes precedence over the settings of the project. Vertex AI has no such field.
   */
  stores_requests: z.boolean().optional(),
  /**
   * Accepted ranges of sampling parameters. A value outside its range is replaced by the nearest value in the range,
   * but a seed by a different seed in the range.
   */
  sampling_ranges: z.partialRecord(z.enum(rangedParameters), z.tuple([z.number(), z.number()])).optional(),
  /**
   * Media that the endpoint generates in chat completions, in addition to text. The endpoint may generate them even if
   * they were not requested, so it gets only requests whose `modalities` name them. An endpoint that generates speech
   * also accepts audio input.
   */
  modalities: z.array(z.enum(mediaModalities)).min(1).optional(),
} satisfies Record<(typeof commonQuirkNames)[number], z.ZodType>;
