import { thinkingLevels, type ThinkingLevel } from '../../catalog/quirk-values.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { budgetsOfEfforts, effortOfBudget } from '../translated/effort.ts';
import { outputLimit } from '../translated/output-limit.ts';
import type { GeminiTarget } from './target.ts';

const isReasoning = ({ supportedParameters }: GeminiTarget) => supportedParameters.includes('reasoning');

/** Returns Gemini's thinkingConfig; undefined, so that the model's default applies, if there is nothing to set. */
export function thinkingConfig(request: MessagesRequest, target: GeminiTarget): Record<string, unknown> | undefined {
  if (!isReasoning(target)) return undefined;
  const { thinking } = request;
  const isShown = thinking !== undefined && thinking.type !== 'disabled' && thinking['display'] !== 'omitted';
  const config = { ...(isShown ? { includeThoughts: true } : {}), ...amountOf(request, target) };
  return Object.keys(config).length > 0 ? config : undefined;
}

/** Returns whether the model may think. All thinking is billed, but the client gets at most a summary. */
export function mayThink({ thinking, output_config: output }: MessagesRequest, target: GeminiTarget): boolean {
  const { quirks } = target;
  if (quirks.hidden_reasoning) return true;
  if (!isReasoning(target)) return false;
  if (thinking?.type === 'disabled') {
    if (quirks.thinking_budget) return quirks.thinking_budget.least > 0;
    return quirks.thinking_levels !== undefined || quirks.thinks_by_default === true;
  }
  return thinking !== undefined || (output?.effort ?? undefined) !== undefined || quirks.thinks_by_default === true;
}

function amountOf(request: MessagesRequest, target: GeminiTarget): Record<string, unknown> {
  const { thinking_budget: range, thinking_levels: levels } = target.quirks;
  if (range) return budgetOf(request, range, outputLimit(request, target) ?? Infinity);
  return levels ? levelOf(request, levels) : {};
}

/** Value of `thinkingBudget` that lets the model decide how much it thinks. */
const DYNAMIC = -1;

function budgetOf(
  { thinking, output_config: output }: MessagesRequest,
  { least, most }: { least: number; most: number },
  outputTokens: number,
): { thinkingBudget?: number } {
  const within = (budget: number) => ({ thinkingBudget: Math.max(least, Math.min(budget, most)) });
  if (thinking?.type === 'disabled') return { thinkingBudget: least };
  if (thinking?.budget_tokens) return within(thinking.budget_tokens);
  // Thinking counts towards the answer's token limit, so half of the limit is reserved for text.
  if (output?.effort) return within(Math.min(budgetsOfEfforts[output.effort] ?? most, Math.floor(outputTokens / 2)));
  return thinking ? { thinkingBudget: DYNAMIC } : {};
}

/**
 * Returns the thinking level. An effort or a budget becomes the model's lowest level that is at least as high, or
 * otherwise its highest level.
 */
function levelOf(
  { thinking, output_config: output }: MessagesRequest,
  levels: readonly ThinkingLevel[],
): { thinkingLevel?: ThinkingLevel } {
  if (thinking?.type === 'disabled') return { thinkingLevel: levels[0]! };
  const effort = output?.effort ?? effortOfBudget(thinking?.budget_tokens);
  if (!effort) return {};
  const rank = thinkingLevels.findIndex((level) => level === effort);
  const next = rank < 0 ? undefined : levels.find((level) => thinkingLevels.indexOf(level) >= rank);
  return { thinkingLevel: next ?? levels.at(-1)! };
}
