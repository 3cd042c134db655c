/**
 * Format of a list of models for Codex. Codex rejects a list if one of these fields is missing, and ignores other
 * fields.
 */

import * as z from 'zod';

const levels = ['low', 'medium', 'high'] as const;
export type CodexLevel = (typeof levels)[number];

const level = z.strictObject({
  effort: z.enum(levels).meta({ description: 'The value that requests send as `reasoning.effort`.' }),
  description: z.string().meta({ description: 'The purpose of the effort.' }),
});

const codexModel = z
  .strictObject({
    slug: z.string().meta({ description: 'The id of the model, which requests send as `model`.' }),
    display_name: z.string().meta({ description: 'The name of the model for people.' }),
    description: z.string().meta({ description: 'The purpose of the model.' }),
    default_reasoning_level: z.enum(levels).nullable().meta({
      description:
        'The effort that is requested unless the user chooses another; null for a model that does not think.',
    }),
    supported_reasoning_levels: z.array(level).meta({ description: 'The efforts that a user may choose from.' }),
    shell_type: z.literal('shell_command'),
    visibility: z.literal('list'),
    supported_in_api: z.literal(true),
    priority: z.int().meta({ description: 'The place in the list, the first one first.' }),
    base_instructions: z.string().meta({ description: 'The instructions with which Codex begins a conversation.' }),
    supports_reasoning_summaries: z.boolean().meta({ description: 'Whether the thinking can be shown.' }),
    support_verbosity: z.boolean().meta({ description: 'Whether the model takes `text.verbosity`.' }),
    default_verbosity: z.null().meta({ description: 'Always null: a request says how long its answer is to be.' }),
    apply_patch_tool_type: z.literal('freeform'),
    truncation_policy: z
      .strictObject({
        mode: z.literal('tokens'),
        limit: z.int().meta({ description: 'The most tokens of one result.' }),
      })
      .meta({ description: 'How much of the result of a tool Codex sends.' }),
    supports_parallel_tool_calls: z.boolean().meta({ description: 'Whether an answer may have several calls.' }),
    context_window: z.int().nullable().meta({ description: 'The most tokens of a conversation; null if unknown.' }),
    experimental_supported_tools: z
      .array(z.never())
      .meta({ description: 'Always empty, because no tool here is experimental.' }),
    input_modalities: z
      .array(z.enum(['text', 'image']))
      .meta({ description: 'Those of the two that the model reads.' }),
  })
  .meta({ id: 'CodexModel', description: 'A model as Codex reads it.' });
export type CodexModelBody = z.output<typeof codexModel>;

export const codexModelListAnswer = z
  .strictObject({ models: z.array(codexModel).meta({ description: 'The models, the first one first.' }) })
  .meta({ id: 'CodexModelList', description: 'A list of models as Codex reads it.' });
export type CodexModelListAnswer = z.output<typeof codexModelListAnswer>;
