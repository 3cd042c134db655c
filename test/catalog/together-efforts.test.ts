/**
 * Efforts of models at Together. Sources: docs.together.ai/docs/glm-5.3-quickstart, and the files of these models in
 * anomalyco/models.dev, providers/togetherai/models.
 */

import { expect, it } from 'vitest';
import { sent } from '../support/chat-request.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const catalog = loadShippedCatalog();
const quirksAtTogether = (id: string) =>
  catalog.models.find((model) => model.id === id)!.endpoints.find(({ provider }) => provider.id === 'togetherai')!
    .quirks;

it.each(['deepseek/deepseek-v4.1-flash', 'deepseek/deepseek-v4-pro-0813', 'moonshotai/kimi-k3', 'z-ai/glm-5.2'])(
  '%s gets the effort of the client',
  (id) => {
    const request = { thinking: { type: 'enabled' as const }, output_config: { effort: 'max' } };

    expect(sent(request, quirksAtTogether(id))).toMatchObject({ reasoning_effort: 'max' });
  },
);

it.each(['z-ai/glm-5.3', 'z-ai/glm-5.3-flash'])('%s, which always thinks, gets only an effort', (id) => {
  const body = sent({ thinking: { type: 'disabled' } }, quirksAtTogether(id));

  expect(body).toMatchObject({ reasoning_effort: 'low' });
  expect(body).not.toHaveProperty('reasoning');
});
