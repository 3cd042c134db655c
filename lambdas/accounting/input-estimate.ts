import { promptPieces } from '../catalog/unit-lists.ts';
import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';
import type { InputEstimate } from '../store/generations/generation.ts';
import { priceUsage, type UsageBound } from './price.ts';
import { recordedUsage } from './recorded-usage.ts';
import { isUsed, type TokenUsage } from './usage.ts';

/** Usage of a prompt before it is sent: its estimated tokens, and units such as characters. */
export type PromptUsage = Pick<TokenUsage, 'inputTokens' | (typeof promptPieces)[number]['usage']>;

/**
 * Returns the estimate that is charged if the handler dies before it has measured anything. The estimate contains its
 * units, so that its cost can be recomputed from the record.
 */
export function inputEstimateOf(prompt: PromptUsage, pricing: Pricing): InputEstimate {
  const usage = { ...prompt, outputTokens: 0 };
  return {
    tokens: prompt.inputTokens,
    units: unitsOf(usage),
    cost: isUsed(usage) ? priceUsage(usage, pricing).total : Money.zero,
  };
}

function unitsOf(usage: TokenUsage): InputEstimate['units'] {
  if (!promptPieces.some((unit) => usage[unit.usage])) return undefined;
  const recorded = recordedUsage(usage);
  return Object.fromEntries(
    promptPieces.map(({ record: [field] }) => [field, recorded[field]]),
  ) as InputEstimate['units'];
}

/** Returns an estimate that is within the bound of an endpoint, at its prices. */
export function estimateWithin({ tokens, units }: InputEstimate, bound: UsageBound, pricing: Pricing): InputEstimate {
  const prompt: PromptUsage = { inputTokens: Math.min(tokens, bound.promptTokens) };
  for (const { usage: field, record } of units ? promptPieces : []) {
    const estimated = units?.[record[0]];
    if (estimated) prompt[field] = Math.min(estimated, bound[field] ?? 0);
  }
  return inputEstimateOf(prompt, pricing);
}
