/** Schemas of the quirks of the wires that make decisions (choices among given options). */

import * as z from 'zod';
import { common } from './common-quirks.ts';

/** Quirks of wires that make decisions (choices among given options) with chat completions. */
export const decisionsChatQuirks = z.strictObject({
  ...common,
  /** Name of the field that limits the output. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
});
export type DecisionsChatQuirks = z.infer<typeof decisionsChatQuirks>;

export const decisionsLogprobsQuirks = decisionsChatQuirks.extend({
  /** Divisor for the logarithms of probabilities. A value above 1 corrects an overconfident model. Default: 1. */
  temperature: z.number().min(0.1).max(10).optional(),
});
export type DecisionsLogprobsQuirks = z.infer<typeof decisionsLogprobsQuirks>;
