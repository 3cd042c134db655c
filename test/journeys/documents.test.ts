import { beforeAll, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

it.each(['sandbox/claude', 'sandbox/gpt', 'sandbox/reasoner'])(
  'the model %s reads a PDF document and charges its page',
  async (model) => {
    const answer = await post(gateway, '/messages', {
      model,
      max_tokens: 20,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
            { type: 'text', text: '@sandbox delay=0' },
          ],
        },
      ],
    });
    expect(answer.status).toBe(200);
    const { id } = (await answer.json()) as { id: string };
    expect((await finalGeneration(gateway, id))['tokens_prompt']).toBeGreaterThanOrEqual(1_500);
  },
);
