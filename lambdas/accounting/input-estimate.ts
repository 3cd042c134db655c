import { estimatedUnits } from '../catalog/unit-lists.ts';
import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';
import type { InputEstimate } from '../store/generations/generation.ts';
import { priceUsage, type UsageBound } from './price.ts';
import { recordedUsage } from './recorded-usage.ts';
import { isUsed, promptTokens, type PromptUsage, type TokenUsage } from './usage.ts';

/** Returns the estimate, with its units, that is charged if the handler dies before it has measured anything. */
export function inputEstimateOf(prompt: PromptUsage, pricing: Pricing): InputEstimate {
  const usage = { ...prompt, outputTokens: 0 };
  return {
    tokens: promptTokens(prompt),
    units: unitsOf(usage),
    cost: isUsed(usage) ? priceUsage(usage, pricing).total : Money.zero,
  };
}

function unitsOf(usage: TokenUsage): InputEstimate['units'] {
  if (!estimatedUnits.some((unit) => usage[unit.usage])) return undefined;
  const recorded = recordedUsage(usage);
  return Object.fromEntries(
    estimatedUnits.map(({ record: [field] }) => [field, recorded[field]]),
  ) as InputEstimate['units'];
}

/** Limits an estimate to an endpoint's bound, and computes its cost at the endpoint's prices. */
export function estimateWithin({ tokens, units }: InputEstimate, bound: UsageBound, pricing: Pricing): InputEstimate {
  const prompt: PromptUsage = { inputTokens: Math.min(tokens, bound.promptTokens) };
  for (const unit of units ? estimatedUnits : []) {
    const estimated = units?.[unit.record[0]];
    if (!estimated) continue;
    if (unit.part === 'piece') prompt[unit.usage] = Math.min(estimated, bound[unit.usage] ?? 0);
    else {
      const within = Math.min(estimated, prompt.inputTokens);
      prompt[unit.usage] = within;
      prompt.inputTokens -= within;
    }
  }
  return inputEstimateOf(prompt, pricing);
}
