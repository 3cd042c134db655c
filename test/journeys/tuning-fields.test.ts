/** Fields that only tune the answer, and token probabilities. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textModel } from '../support/catalog.ts';
import { answer, type WireName } from '../support/dialects.ts';
import { startScriptedGateway, type ScriptedGateway } from '../support/scripted-gateway.ts';

const pricing = { prompt: '0.001', completion: '0.001' };
const rare = ['max_tokens', 'seed', 'min_p', 'logit_bias', 'verbosity', 'logprobs', 'top_logprobs'];
const modelOn = (wire: WireName, supported_parameters: string[]) =>
  textModel(`test/${wire}-${supported_parameters.length}`, [{ provider: `on-${wire}`, pricing }], {
    supported_parameters,
  });

const wires = ['openai-chat', 'openai-responses', 'google-gemini', 'anthropic'] as const;

let scripted: ScriptedGateway;
beforeAll(async () => {
  scripted = await startScriptedGateway({
    providers: wires.map((wire) => ({ id: `on-${wire}`, wire })),
    models: wires.flatMap((wire) => [modelOn(wire, rare), modelOn(wire, ['max_tokens'])]),
  });
});
afterAll(() => scripted.stop());

const capable = (wire: WireName) => `test/${wire}-${rare.length}`;
const plain = (wire: WireName) => `test/${wire}-1`;

/** Sends a request. The provider answers with `stream`, or with a normal answer; `sent` is the body that it got. */
async function ask(api: 'chat/completions' | 'responses', model: string, more: object, stream?: string) {
  let sent = '';
  const marker = scripted.behaves(async ({ body, dialect, begin, send, finish }) => {
    sent = body;
    await begin();
    await send(stream ?? answer(dialect, 'Fine.'));
    await finish();
  });
  const { baseUrl, key } = scripted.gateway;
  const response = await fetch(`${baseUrl}/${api}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      ...(api === 'responses' ? { input: marker } : { messages: [{ role: 'user', content: marker }] }),
      ...more,
    }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  const leftOut = response.headers.get('x-gateway-left-out');
  return { status: response.status, body, leftOut, sent: (sent === '' ? {} : JSON.parse(sent)) as object };
}

const tuned = { seed: 7, min_p: 0.1, logit_bias: { 5: -100 } };

describe('a tuning field', () => {
  it.each<[WireName, object, string | null]>([
    ['openai-chat', { ...tuned, verbosity: 'low' }, null],
    ['openai-responses', { text: { verbosity: 'low' } }, 'seed, min_p, logit_bias'],
    ['google-gemini', { generationConfig: { seed: 7 } }, 'min_p, logit_bias, verbosity'],
    ['anthropic', {}, 'seed, min_p, logit_bias, verbosity'],
  ])('is sent over %s if the endpoint lists it and the wire can express it', async (wire, sent, leftOut) => {
    const asked = await ask('chat/completions', capable(wire), { ...tuned, verbosity: 'low' });

    expect(asked).toMatchObject({ status: 200, sent, leftOut });
  });

  it.each(wires)('is left out over %s and reported if the endpoint does not list it', async (wire) => {
    const asked = await ask('chat/completions', plain(wire), { ...tuned, verbosity: 'low' });

    expect(asked).toMatchObject({ status: 200, leftOut: 'seed, min_p, logit_bias, verbosity' });
    expect(JSON.stringify(asked.sent)).not.toMatch(/seed|min_p|logit_bias|verbosity/);
  });

  it('is reported by the name in the client’s API', async () => {
    const more = { seed: 7, text: { verbosity: 'low' } };

    expect(await ask('responses', plain('openai-chat'), more)).toMatchObject({ leftOut: 'seed, text.verbosity' });
    expect(await ask('responses', capable('openai-chat'), more)).toMatchObject({
      sent: { seed: 7, verbosity: 'low' },
      leftOut: null,
    });
  });

  it('is refused if the request requires its parameters, and no endpoint lists them', async () => {
    const insists = { ...tuned, provider: { require_parameters: true } };

    expect(await ask('chat/completions', capable('openai-chat'), insists)).toMatchObject({ status: 200, sent: tuned });
    expect(await ask('chat/completions', plain('openai-chat'), insists)).toMatchObject({
      status: 404,
      body: { error: { metadata: { excluded_by: ['require_parameters'] } } },
    });
  });
});

describe('token probabilities', () => {
  const asked = { logprobs: true, top_logprobs: 1 };
  const hi = { token: 'Hi', logprob: -0.25, bytes: null };
  const told = { content: [{ ...hi, top_logprobs: [hi] }] };

  it('are returned from chat completions', async () => {
    const choice = { index: 0, delta: { content: 'Hi' }, logprobs: told, finish_reason: 'stop' };
    const stream = `data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`;

    expect(await ask('chat/completions', capable('openai-chat'), asked, stream)).toMatchObject({
      sent: asked,
      body: { choices: [{ message: { content: 'Hi' }, logprobs: told }] },
    });
  });

  it('are returned from Gemini, in both of OpenAI’s APIs', async () => {
    const chosen = { token: 'Hi', tokenId: 5, logProbability: -0.25 };
    const logprobsResult = { chosenCandidates: [chosen], topCandidates: [{ candidates: [chosen] }] };
    const content = { role: 'model', parts: [{ text: 'Hi' }] };
    const stream = `data: ${JSON.stringify({ candidates: [{ content, finishReason: 'STOP', logprobsResult }] })}\n\n`;
    const sent = { generationConfig: { responseLogprobs: true, logprobs: 1 } };

    expect(await ask('chat/completions', capable('google-gemini'), asked, stream)).toMatchObject({
      sent,
      body: { choices: [{ message: { content: 'Hi' }, logprobs: told }] },
    });
    const include = { include: ['message.output_text.logprobs'], top_logprobs: 1 };
    expect(await ask('responses', capable('google-gemini'), include, stream)).toMatchObject({
      sent,
      body: { output: [{ content: [{ text: 'Hi', logprobs: [{ token: 'Hi', logprob: -0.25 }] }] }] },
    });
  });

  it.each(wires)('are refused by name over %s if the endpoint does not list them', async (wire) => {
    expect(await ask('chat/completions', plain(wire), { logprobs: true })).toMatchObject({
      status: 400,
      body: { error: { metadata: { field: 'logprobs' } } },
    });
  });
});
