/** Quirks that depend on the Claude model, on every wire that serves Claude. */

import * as z from 'zod';
import { reasoningEfforts, thinkingForms } from './quirk-values.ts';

/** Types of tool_choice, as the Messages API names them. */
export const toolChoices = ['auto', 'any', 'tool', 'none'] as const;

/** Quirks for thinking, forced tools and sampling. They differ between generations of Claude models. */
export const claudeQuirks = {
  /**
   * Accepted types of `thinking`. Any other type is replaced by the nearest accepted type. Absent: `thinking` is sent
   * unchanged.
   */
  thinking_forms: z.array(z.enum(thinkingForms)).min(1).optional(),
  /** Accepted values of output_config.effort; empty if the model accepts none. Absent: any value is accepted. */
  reasoning_efforts: z.array(z.enum(reasoningEfforts)).max(reasoningEfforts.length).optional(),
  /** Accepted values of output_config.effort if the model does not think. Absent: the values of `reasoning_efforts`. */
  efforts_without_thinking: z.array(z.enum(reasoningEfforts)).min(1).optional(),
  /** Accepted values of tool_choice.type. Absent: all. */
  tool_choices: z.array(z.enum(toolChoices)).min(1).optional(),
  /**
   * Whether the model rejects a forced tool call while it thinks. The gateway then turns thinking off for a forced
   * call.
   */
  forced_tool_needs_no_thinking: z.boolean().optional(),
  /** Whether the model accepts no sampling parameters while it thinks. */
  thinking_fixes_sampling: z.boolean().optional(),
  /** Whether the model accepts only one of temperature and top_p. If a request has both, temperature is sent. */
  temperature_or_top_p: z.boolean().optional(),
};
