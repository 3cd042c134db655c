/** Providers that need the thinking of earlier answers between tool calls, by their own documentation. */

import { expect, it } from 'vitest';
import { loadShippedCatalog } from '../support/catalog.ts';

it.each([
  ['deepseek', 'https://api-docs.deepseek.com/guides/thinking_mode'],
  ['moonshotai', 'https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model'],
  ['zai', 'https://docs.z.ai/guides/capabilities/thinking-mode'],
])('every reasoning model of %s gets its earlier thinking (%s)', (providerId) => {
  const endpoints = loadShippedCatalog()
    .models.flatMap((model) => model.endpoints)
    .filter(
      ({ provider, wire, supportedParameters }) =>
        provider.id === providerId && wire === 'openai-chat' && supportedParameters.includes('reasoning'),
    );

  expect(endpoints.length).toBeGreaterThan(0);
  expect(endpoints.map(({ quirks }) => (quirks as { reasoning_history?: string }).reasoning_history)).toEqual(
    endpoints.map(() => 'reasoning_content'),
  );
});

it.each([
  'deepseek/deepseek-v4-pro',
  'deepseek/deepseek-v4-flash',
  'moonshotai/kimi-k2.6',
  'z-ai/glm-5.2',
  'z-ai/glm-5.1',
])('%s at OpenRouter gets its earlier thinking, which its own service needs there too', (upstreamModel) => {
  const endpoints = loadShippedCatalog()
    .models.flatMap((model) => model.endpoints)
    .filter((endpoint) => endpoint.provider.id === 'openrouter' && endpoint.upstreamModel === upstreamModel);

  expect(endpoints.map(({ quirks }) => (quirks as { reasoning_history?: string }).reasoning_history)).toEqual([
    'reasoning_content',
  ]);
});
