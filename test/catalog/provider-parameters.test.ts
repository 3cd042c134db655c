/** Each listed parameter is sent in the provider's own form; others are not sent. */

import { describe, expect, it } from 'vitest';
import type { Endpoint, Model } from '../../lambdas/catalog/catalog.ts';
import { prepareAttempts } from '../../lambdas/inference/messages/attempts.ts';
import { measurePrompt } from '../../lambdas/admission/prompt/prompt-size.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { toMessagesCandidate } from '../../lambdas/routing/candidates.ts';
import { misfitOf } from '../../lambdas/routing/preference-filter.ts';
import { tuningsOf } from '../../lambdas/routing/left-out.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const { models } = loadShippedCatalog();
const places = models.flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })));
const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

interface Place {
  model: Model;
  endpoint: Endpoint;
}

function placeOf(id: string): Place {
  return places.find(({ endpoint }) => endpoint.id === id)!;
}

function sendTo({ model, endpoint }: Place, more: Partial<MessagesRequest>, requiresParameters = false) {
  const message = { model: model.id, max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }], ...more };
  const pricing = endpoint.pricing!;
  const held = { pricing, serviceCost: undefined };
  const usable = { model, endpoint: { ...endpoint, pricing }, pricing, held, credential: 'c', isOnlyFirst: false };
  const content = measurePrompt(message);
  const routed = {
    message,
    content,
    client,
    origins: undefined,
    leftOut: [],
    requiresParameters,
    onExcluded: () => undefined,
  };
  const { attempts } = prepareAttempts(routed, [toMessagesCandidate(usable)!]);
  const { leftOut, encode } = attempts[0]!;
  return { leftOut, body: JSON.parse(encode().body) as Record<string, unknown> };
}

const tunings: Partial<MessagesRequest> = {
  seed: 7,
  min_p: 0.1,
  logit_bias: { 5: -100 },
  verbosity: 'low',
  frequency_penalty: 0.5,
  repetition_penalty: 1.1,
};
const names = Object.keys(tunings);

describe('tuning fields', () => {
  it.each<[string, object, string[]]>([
    [
      'openai/openai/gpt-4.1',
      { seed: 7, logit_bias: { 5: -100 }, frequency_penalty: 0.5 },
      ['repetition_penalty', 'min_p', 'verbosity'],
    ],
    ['azure/openai/gpt-4.1', { seed: 7, logit_bias: { 5: -100 } }, ['repetition_penalty', 'min_p', 'verbosity']],
    ['openai/openai/gpt-5.5', { text: { verbosity: 'low' } }, names.filter((name) => name !== 'verbosity')],
    ['azure/openai/gpt-5', { text: { verbosity: 'low' } }, names.filter((name) => name !== 'verbosity')],
    ['openai/openai/gpt-5.3-codex', {}, names],
    ['openai/openai/o3', {}, names],
    ['google/google/gemini-2.5-flash', { generationConfig: { seed: 7 } }, names.filter((name) => name !== 'seed')],
    ['xai/x-ai/grok-4.20-0309-non-reasoning', { seed: 7 }, names.filter((name) => name !== 'seed')],
    ['groq/openai/gpt-oss-120b', { seed: 7 }, names.filter((name) => name !== 'seed')],
    [
      'cerebras/openai/gpt-oss-120b',
      { seed: 7, logit_bias: { 5: -100 }, frequency_penalty: 0.5 },
      ['repetition_penalty', 'min_p', 'verbosity'],
    ],
    [
      'togetherai/openai/gpt-oss-120b',
      { seed: 7, min_p: 0.1, logit_bias: { 5: -100 }, repetition_penalty: 1.1 },
      ['verbosity'],
    ],
    [
      'fireworks-ai/deepseek/deepseek-v4.1-flash',
      { seed: 7, min_p: 0.1, logit_bias: { 5: -100 }, repetition_penalty: 1.1 },
      ['verbosity'],
    ],
    ['deepinfra/openai/gpt-oss-120b', { seed: 7, min_p: 0.1, repetition_penalty: 1.1 }, ['logit_bias', 'verbosity']],
    [
      'cohere/cohere/command-a',
      { seed: 7, frequency_penalty: 0.5 },
      ['repetition_penalty', 'min_p', 'logit_bias', 'verbosity'],
    ],
    [
      'alibaba/qwen/qwen-plus',
      { seed: 7, repetition_penalty: 1.1 },
      ['frequency_penalty', 'min_p', 'logit_bias', 'verbosity'],
    ],
    [
      'mistral/mistralai/mistral-large-2512',
      { random_seed: 7, frequency_penalty: 0.5 },
      ['repetition_penalty', 'min_p', 'logit_bias', 'verbosity'],
    ],
    ['anthropic/anthropic/claude-haiku-4.5', {}, names],
    ['amazon-bedrock/amazon/nova-pro-v1', {}, names],
  ])('are encoded as %s expects them, and left out and named otherwise', (id, body, leftOut) => {
    const place = placeOf(id);

    const sent = sendTo(place, tunings);

    expect(sent.body).toMatchObject(body);
    expect(sent.leftOut.toSorted()).toEqual(leftOut.toSorted());
    for (const name of leftOut) expect(JSON.stringify(sent.body)).not.toContain(`"${name}"`);
  });

  it('exclude an endpoint without one of them if the request requires all parameters', () => {
    const route = { parameters: [], promptTokens: 10 };
    const misfit = (id: string, more: Partial<MessagesRequest>) => {
      const { model, endpoint } = placeOf(id);
      const tuned = tuningsOf({ model: model.id, messages: [], ...more });
      return misfitOf(
        model,
        { ...endpoint, pricing: endpoint.pricing! },
        { require_parameters: true },
        { ...route, tunings: tuned },
      );
    };

    expect(misfit('groq/openai/gpt-oss-120b', { seed: 7 })).toBe(undefined);
    expect(misfit('groq/openai/gpt-oss-120b', { seed: 7, min_p: 0.1 })).toBe('require_parameters');
    expect(misfit('openai/openai/gpt-5.5', { verbosity: 'low' })).toBe(undefined);
    expect(misfit('openai/openai/o3', { verbosity: 'low' })).toBe('require_parameters');
  });
});

describe('sampling that a model takes only without thinking', () => {
  const off = { thinking: { type: 'disabled' } } as const;
  const on = { thinking: { type: 'enabled', budget_tokens: 2_000 }, max_tokens: 4_000 } as const;

  it.each([
    'openai/openai/gpt-5.1',
    'azure/openai/gpt-5.4-mini',
    'openai/openai/gpt-6-sol',
    'anthropic/anthropic/claude-haiku-4.5',
    'amazon-bedrock/anthropic/claude-sonnet-4.6',
  ])('is sent to %s without thinking, and left out and named otherwise', (id) => {
    const place = placeOf(id);
    const silent = sendTo(place, { temperature: 0.5, ...off });
    const thinking = sendTo(place, { temperature: 0.5, ...on });

    expect(silent).toMatchObject({ leftOut: [], body: { temperature: 0.5 } });
    expect(thinking.leftOut).toEqual(['temperature']);
    expect(JSON.stringify(thinking.body)).not.toContain('temperature');
    expect(() => sendTo(place, { temperature: 0.5, ...on }, true)).toThrow('temperature: ');
    expect(sendTo(place, { temperature: 0.5, ...off }, true).leftOut).toEqual([]);
  });

  it('is never sent to models that always reason', () => {
    for (const id of ['openai/openai/gpt-6.1-sol', 'openai/openai/gpt-5', 'azure/openai/gpt-5.4-pro']) {
      expect(sendTo(placeOf(id), { temperature: 0.5, ...off }).leftOut).toEqual(['temperature']);
    }
  });

  it('is sent together with probabilities, which disable thinking', () => {
    const { body } = sendTo(placeOf('openai/openai/gpt-5.2'), { logprobs: true, top_logprobs: 2, temperature: 0.5 });

    expect(body).toMatchObject({ reasoning: { effort: 'none' }, top_logprobs: 2, temperature: 0.5 });
  });
});

describe('probabilities of tokens', () => {
  const asked = { logprobs: true, top_logprobs: 3 };

  it.each([
    'openai/openai/gpt-4o',
    'azure/openai/gpt-4o',
    'cerebras/openai/gpt-oss-120b',
    'fireworks-ai/deepseek/deepseek-v4.1-flash',
  ])('are requested at %s', (id) => {
    expect(sendTo(placeOf(id), asked).body).toMatchObject(asked);
  });

  it('are refused for alternatives to the tokens of the answer at DeepInfra', () => {
    const place = placeOf('deepinfra/openai/gpt-oss-120b');

    expect(sendTo(place, { logprobs: true }).body).toMatchObject({ logprobs: true });
    expect(() => sendTo(place, asked)).toThrow('top_logprobs: ');
  });

  it('disable thinking at DeepSeek', () => {
    expect(sendTo(placeOf('deepseek/deepseek/deepseek-v4-pro'), asked).body).toMatchObject({
      ...asked,
      thinking: { type: 'disabled' },
    });
  });

  it.each([
    'openai/openai/gpt-5',
    'openai/openai/o3',
    'google/google/gemini-2.5-flash',
    'groq/openai/gpt-oss-120b',
    'togetherai/openai/gpt-oss-120b',
    'xai/x-ai/grok-4.20-0309-non-reasoning',
    'anthropic/anthropic/claude-haiku-4.5',
  ])('are refused by the name of the field at %s', (id) => {
    expect(() => sendTo(placeOf(id), asked)).toThrow('logprobs: ');
  });
});
