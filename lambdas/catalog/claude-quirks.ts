/** Quirks that all wires for Claude have. */

import * as z from 'zod';
import { reasoningEfforts, thinkingForms } from './quirk-values.ts';

/** Values of tool_choice.type in the Messages API. */
export const toolChoices = ['auto', 'any', 'tool', 'none'] as const;

/** Quirks that differ between generations of Claude models. */
export const claudeQuirks = {
  /** Accepted types of `thinking`; another type is replaced by the nearest one. Absent: sent unchanged. */
  thinking_forms: z.array(z.enum(thinkingForms)).min(1).optional(),
  /** Accepted values of output_config.effort; may be empty. Absent: any. */
  reasoning_efforts: z.array(z.enum(reasoningEfforts)).max(reasoningEfforts.length).optional(),
  /** Accepted values of output_config.effort without thinking. Absent: as `reasoning_efforts`. */
  efforts_without_thinking: z.array(z.enum(reasoningEfforts)).min(1).optional(),
  /** Accepted values of tool_choice.type. Absent: all. */
  tool_choices: z.array(z.enum(toolChoices)).min(1).optional(),
  /** Whether the model rejects a forced tool call while it thinks. Thinking is then turned off. */
  forced_tool_needs_no_thinking: z.boolean().optional(),
  /** Whether the model accepts no sampling parameters while it thinks. */
  thinking_fixes_sampling: z.boolean().optional(),
  /** Whether the model accepts only one of temperature and top_p. With both, temperature is sent. */
  temperature_or_top_p: z.boolean().optional(),
};
