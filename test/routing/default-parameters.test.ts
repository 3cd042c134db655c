import { describe, expect, it } from 'vitest';
import type { Model } from '../../lambdas/catalog/catalog.ts';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { encodeChatRequest } from '../../lambdas/providers/openai-chat/encode.ts';
import { withDefaultParameters } from '../../lambdas/routing/default-parameters.ts';
import { candidatesOf } from '../support/candidate.ts';
import { catalogDirectory, textModel } from '../support/catalog.ts';

const price = { pricing: { prompt: '0.0001', completion: '0.0002' } };
const sampling = { temperature: 0.6, top_p: 0.9, top_k: 40 };
const penalties = { frequency_penalty: 0.1, presence_penalty: 0.2, repetition_penalty: 1.1 };

const open = {
  id: 'open',
  name: 'Open',
  wire: 'openai-chat',
  base_url: 'http://127.0.0.1:1',
  data_policy: { logs_prompts: false, trains_on_prompts: false },
};

function modelOf(provider: string, defaults: object): Model {
  const directory = catalogDirectory(
    [textModel('test/model', [{ provider, ...price }], { default_parameters: defaults })],
    [open],
  );
  try {
    return loadCatalog(directory.path).find('test/model')!;
  } finally {
    directory.remove();
  }
}

const request = (more: object = {}) => ({
  model: 'test/model',
  messages: [{ role: 'user' as const, content: 'Hi' }],
  ...more,
});
const speaking = (anthropicVersion: string) => ({ anthropicVersion, anthropicBeta: undefined });
const OLD = speaking('2023-06-01');
const NEW = speaking('2026-10-21');

describe('default parameters of a model', () => {
  it('are all used if the client sent none', () => {
    const model = modelOf('groq', { ...sampling, ...penalties });
    expect(withDefaultParameters(request(), model, OLD)).toEqual(request({ ...sampling, ...penalties }));
  });

  it("are overridden by the client's values one by one", () => {
    const model = modelOf('groq', { ...sampling, ...penalties });
    const sent = request({ temperature: 0, presence_penalty: 0 });
    expect(withDefaultParameters(sent, model, OLD)).toEqual({ ...request({ ...sampling, ...penalties }), ...sent });
  });

  it('are not used if they are null', () => {
    expect(withDefaultParameters(request(), modelOf('groq', { temperature: null, top_p: 0.5 }), OLD)).toEqual(
      request({ top_p: 0.5 }),
    );
  });

  it('are used on chat completions with any version of the Messages API', () => {
    expect(withDefaultParameters(request(), modelOf('groq', sampling), NEW)).toEqual(request(sampling));
  });

  it('are sent to the provider, also if the model does not list them', async () => {
    const model = modelOf('open', { ...sampling, ...penalties });
    const [candidate] = await candidatesOf(model);
    const { body } = candidate!.wire.encode(withDefaultParameters(request(), model, NEW), candidate!.target, NEW);
    expect(JSON.parse(body)).toMatchObject({ ...sampling, ...penalties });
  });

  it('are not sent to Anthropic in a version without sampling parameters', () => {
    expect(withDefaultParameters(request(), modelOf('anthropic', sampling), NEW)).toEqual(request());
    expect(withDefaultParameters(request(), modelOf('anthropic', sampling), OLD)).toEqual(request(sampling));
  });
});

const encode = (more: object, supportedParameters: string[]) =>
  encodeChatRequest(request(more), {
    providerId: 'test',
    upstreamModel: 'm',
    maxOutputTokens: 100,
    supportedParameters,
    quirks: {},
  });

describe('penalties on chat completions', () => {
  it('are sent to models that list them', () => {
    expect(encode(penalties, Object.keys(penalties))).toMatchObject(penalties);
  });

  it('are not sent to models that do not list them', () => {
    expect(encode(penalties, ['presence_penalty'])).toMatchObject({ presence_penalty: 0.2 });
    expect(encode(penalties, ['presence_penalty'])).not.toHaveProperty('frequency_penalty');
  });
});
