/**
 * Maximum thinking budgets of Alibaba's models. Sources: anomalyco/models.dev#2365 and #2366, which quote Alibaba's
 * table of models (help.aliyun.com/zh/model-studio/text-generation-model); Qwen4 Max: apidog.com/blog/qwen-4-max-api.
 */

import { expect, it } from 'vitest';
import { loadShippedCatalog } from '../support/catalog.ts';

it("each reasoning model of Alibaba has the maximum thinking budget of Alibaba's table", () => {
  const budgets = loadShippedCatalog()
    .models.flatMap((model) => model.endpoints)
    .filter(
      ({ provider, supportedParameters }) => provider.id === 'alibaba' && supportedParameters.includes('reasoning'),
    )
    .map(({ upstreamModel, quirks }) => [
      upstreamModel,
      (quirks as { max_thinking_budget?: number }).max_thinking_budget,
    ]);

  expect(Object.fromEntries(budgets)).toEqual({
    'qwen3-8b': 38_912,
    'qwen3-14b': 38_912,
    'qwen-flash': 81_920,
    'qwen-plus': 81_920,
    'qwen3-vl-plus': 81_920,
    'qwen3.5-27b': 81_920,
    'qwen3.5-35b-a3b': 81_920,
    'qwen3.5-122b-a10b': 81_920,
    'qwen3.5-397b-a17b': 81_920,
    'qwen3.5-plus': 81_920,
    'qwen3.6-plus': 81_920,
    'qwen3.6-27b': 131_072,
    'qwen3.6-35b-a3b': 131_072,
    'qwen3.6-flash': 131_072,
    'qwen3.7-max': 262_144,
    'qwen3.7-plus': 262_144,
    'qwen4-max': 262_144,
  });
});
