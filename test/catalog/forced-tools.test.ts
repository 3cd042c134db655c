/**
 * Models at OpenRouter whose own services refuse a forced tool while the model thinks: deepseek-ai/DeepSeek-V3#1376,
 * can1357/oh-my-pi#1077. OpenRouter passes requests and their errors through: dirac-run/dirac#5.
 */

import { expect, it } from 'vitest';
import { sent, weather } from '../support/chat-request.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

it.each(['deepseek/deepseek-v4-pro', 'deepseek/deepseek-v4-flash', 'moonshotai/kimi-k2.6'])(
  '%s at OpenRouter does not think if a tool is forced',
  (id) => {
    const model = loadShippedCatalog().models.find((one) => one.id === id)!;
    const { quirks } = model.endpoints.find(({ provider }) => provider.id === 'openrouter')!;

    expect(sent({ tools: [weather], tool_choice: { type: 'tool', name: 'weather' } }, quirks)).toMatchObject({
      tool_choice: { type: 'function', function: { name: 'weather' } },
      reasoning: { enabled: false },
    });
  },
);
