import type { CodexLevel, CodexModelBody } from './codex-shape.ts';
import { contextOf, type ModelOffer } from './offer.ts';

const INSTRUCTIONS = [
  'You are a coding agent. You work in Codex, a program on the machine of the user, in the terminal and in the files of one workspace.',
  'Keep going until the task of the user is done: look at what is there before you change it, make the change, and check it by running what the project has for that.',
  'Read files and search with the shell; prefer `rg`. Change files with `apply_patch`, and not by writing whole files through the shell.',
  'Change only what the task needs, in the style of the code around it. Files named AGENTS.md hold rules of the project for their folder and what is below it: keep to them.',
  'Never undo or overwrite changes that you have not made. Do not commit, push or install anything unless the user asks for it.',
  'Before a longer step say in one sentence what you are about to do. At the end say briefly what you have changed, where, and what you have not checked.',
].join('\n');

const TOOL_RESULT_TOKENS = 10_000;

const effortTexts: Record<CodexLevel, string> = {
  low: 'Answers fast, and thinks little',
  medium: 'Thinks as much as usual tasks need',
  high: 'Thinks longer, for difficult tasks',
};

/**
 * Converts a model to the format that Codex reads.
 * @param index index of the model in its list
 */
export function codexModelView(offer: ModelOffer, index: number): CodexModelBody {
  const { id, data } = offer.model;
  const { supported_parameters: parameters, input_modalities: inputs } = data;
  const thinks = parameters.includes('reasoning');
  const levels = thinks ? (Object.entries(effortTexts) as [CodexLevel, string][]) : [];
  return {
    slug: id,
    display_name: data.name,
    description: data.description ?? '',
    default_reasoning_level: thinks ? 'medium' : null,
    supported_reasoning_levels: levels.map(([effort, description]) => ({ effort, description })),
    shell_type: 'shell_command',
    visibility: 'list',
    supported_in_api: true,
    priority: index,
    base_instructions: INSTRUCTIONS,
    supports_reasoning_summaries: thinks,
    support_verbosity: parameters.includes('verbosity'),
    default_verbosity: null,
    apply_patch_tool_type: 'freeform',
    truncation_policy: { mode: 'tokens', limit: TOOL_RESULT_TOKENS },
    supports_parallel_tool_calls: parameters.includes('tools'),
    context_window: contextOf(offer) ?? null,
    experimental_supported_tools: [],
    input_modalities: inputs.includes('image') ? ['text', 'image'] : ['text'],
  };
}
