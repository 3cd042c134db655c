/**
 * The gateway must not request token counts for a prompt that is refused at any count: counts cost time, and use the
 * provider's rate limit.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textModel } from '../support/catalog.ts';
import { askFor, startScriptedGateway, type ScriptedGateway } from '../support/scripted-gateway.ts';

let scripted: ScriptedGateway;
beforeAll(async () => {
  const endpoint = {
    provider: 'claude',
    max_output_tokens: 100_000,
    pricing: { prompt: '0.0001', completion: '0.01' },
    quirks: { thinks_by_default: false },
  };
  scripted = await startScriptedGateway({
    providers: [{ id: 'claude', wire: 'anthropic', quirks: { count_tokens: true } }],
    models: [textModel('test/claude', [endpoint], { context_length: 200_000 })],
  });
});
afterAll(() => scripted.stop());

const REQUESTS = 30;
const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } };

describe('a prompt that is refused at any count', () => {
  it.each([
    { why: 'for a limit of 0', limitRub: 0, beside: [] },
    { why: 'for a limit that the answer alone exceeds', limitRub: 0.01, beside: [] },
    { why: 'for a limit of 0 and with a PDF', limitRub: 0, beside: [pdf] },
  ])('is not sent to a provider for counting: $why', async ({ limitRub, beside }) => {
    const client = await scripted.withLimit(limitRub);
    let counts = 0;
    const marker = scripted.behaves(({ respond }) => {
      counts += 1;
      return respond('200 OK', { 'content-type': 'application/json' }, '{"input_tokens":2000}');
    });
    const text = { type: 'text', text: `${marker} ${'word '.repeat(5_000)}` };

    const statuses = new Set<number>();
    for (let asked = 0; asked < REQUESTS; asked += 1) {
      const response = await askFor(client, {
        model: 'test/claude',
        messages: [{ role: 'user', content: [text, ...beside] }],
      });
      await response.text();
      statuses.add(response.status);
    }

    expect([...statuses]).toEqual([402]);
    expect(counts).toBe(0);
  });
});
