/**
 * Efforts of models at providers that host them. Sources: docs.together.ai/docs/glm-5.3-quickstart; the files of these
 * models in anomalyco/models.dev, providers/togetherai/models; openrouter.ai/z-ai/glm-5.2; earendil-works/pi#3787.
 */

import { expect, it } from 'vitest';
import { sent } from '../support/chat-request.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const catalog = loadShippedCatalog();
const quirksOf = (id: string, at: string) =>
  catalog.models.find((model) => model.id === id)!.endpoints.find(({ provider }) => provider.id === at)!.quirks;
const most = { thinking: { type: 'enabled' as const }, output_config: { effort: 'max' } };
const off = { thinking: { type: 'disabled' as const } };

it.each(['deepseek/deepseek-v4.1-flash', 'deepseek/deepseek-v4-pro-0813', 'moonshotai/kimi-k3', 'z-ai/glm-5.2'])(
  '%s at Together gets the effort of the client',
  (id) => {
    expect(sent(most, quirksOf(id, 'togetherai'))).toMatchObject({ reasoning_effort: 'max' });
  },
);

it.each(['z-ai/glm-5.3', 'z-ai/glm-5.3-flash'])('%s at Together, which always thinks, gets only an effort', (id) => {
  const body = sent(off, quirksOf(id, 'togetherai'));

  expect(body).toMatchObject({ reasoning_effort: 'low' });
  expect(body).not.toHaveProperty('reasoning');
});

it.each(['deepseek/deepseek-v4-pro', 'deepseek/deepseek-v4-flash', 'z-ai/glm-5.2'])(
  '%s at OpenRouter gets the effort max by its name there',
  (id) => {
    const quirks = quirksOf(id, 'openrouter');

    expect(sent(most, quirks)).toMatchObject({ reasoning: { effort: 'xhigh' } });
    expect(sent(off, quirks)).toMatchObject({ reasoning: { enabled: false } });
  },
);
