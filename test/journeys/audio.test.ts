/** Audio recordings through every API, to models that list audio and models that do not. */

import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

const data = Buffer.from('RIFF....WAVEfmt ').toString('base64');
const words = 'What is said?\n@sandbox delay=0';
const sentAudio = { type: 'input_audio', input_audio: { data, format: 'wav' } };

/** The same recording in each API, and the name of its field. */
const apis: [string, (model: string) => object, string][] = [
  [
    '/messages',
    (model) => ({
      model,
      max_tokens: 60,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data } },
            { type: 'text', text: words },
          ],
        },
      ],
    }),
    'messages.0.content.0.type',
  ],
  [
    '/chat/completions',
    (model) => ({
      model,
      max_tokens: 60,
      messages: [{ role: 'user', content: [sentAudio, { type: 'text', text: words }] }],
    }),
    'messages.0.content.0',
  ],
  [
    '/responses',
    (model) => ({
      model,
      max_output_tokens: 60,
      input: [{ role: 'user', content: [sentAudio, { type: 'input_text', text: words }] }],
    }),
    'input.0.content.0',
  ],
];

describe.each(apis)('a recording sent to %s', (path, bodyFor, field) => {
  it.each(['sandbox/gemini', 'sandbox/gpt'])('is read by %s, and its tokens are charged', async (model) => {
    const answer = await post(gateway, path, bodyFor(model));

    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('I was played 1 recording(s).');
    const record = await finalGeneration(gateway, answer.headers.get('x-generation-id')!);
    expect(record['tokens_prompt']).toBeGreaterThanOrEqual(320);
    expect(record['total_cost']).toBeGreaterThanOrEqual(320 * 0.00015);
  });

  it.each(['sandbox/claude', 'sandbox/reasoner', 'sandbox/bedrock', 'sandbox/priced'])(
    'is refused by name by %s, which does not list audio',
    async (model) => {
      const answer = await post(gateway, path, bodyFor(model));

      expect(answer.status).toBe(400);
      const { error } = (await answer.json()) as { error: { message: string; metadata: { field: string } } };
      expect(error.metadata.field).toBe(field);
      expect(error.message).toContain('audio');
    },
  );
});

it('a recording is held at the context of the model until a provider has counted it', async () => {
  const [, bodyFor] = apis[0]!;

  const estimate = await post(gateway, '/messages/estimate', bodyFor('sandbox/gpt'));

  const { data: preview } = (await estimate.json()) as { data: { hold_rub: string } };
  expect(Number(preview.hold_rub)).toBeGreaterThanOrEqual(128_000 * 0.00015);
});
