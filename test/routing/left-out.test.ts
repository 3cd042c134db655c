import { describe, expect, it } from 'vitest';
import type { Wire } from '../../lambdas/catalog/wires.ts';
import { leftOutFields, refuseWithoutLogprobs, tuningsOf, withoutFields } from '../../lambdas/routing/left-out.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { refused } from '../support/refused.ts';

const message = { model: 'm', max_tokens: 10, messages: [{ role: 'user' as const, content: 'Hi' }] };
const tuned = { ...message, temperature: 0.5, seed: 7, min_p: 0.1, verbosity: 'low' };
const listed = ['temperature', 'seed', 'min_p', 'verbosity', 'logprobs'];
const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

function sentBy(wire: Wire, supportedParameters: string[]): Record<string, unknown> {
  const bare = withoutFields(tuned, leftOutFields(tuningsOf(tuned), { wire, supportedParameters }));
  const target = { providerId: 'p', upstreamModel: 'u', maxOutputTokens: 100, supportedParameters, quirks: {} };
  return JSON.parse(messagesWire(wire)!.encode(bare, target, client).body) as Record<string, unknown>;
}

describe('fields that only tune', () => {
  it.each<[Wire, string[], object]>([
    ['openai-chat', [], { temperature: 0.5, seed: 7, min_p: 0.1, verbosity: 'low' }],
    ['openai-responses', ['seed', 'min_p'], { temperature: 0.5, text: { verbosity: 'low' } }],
    ['google-gemini', ['min_p', 'verbosity'], { generationConfig: { temperature: 0.5, seed: 7 } }],
    ['anthropic', ['seed', 'min_p', 'verbosity'], { temperature: 0.5 }],
    ['bedrock-converse', ['seed', 'min_p', 'verbosity'], { inferenceConfig: { temperature: 0.5 } }],
  ])('are sent where the wire has them and the endpoint lists them: %s', (wire, leftOut, body) => {
    expect(leftOutFields(tuningsOf(tuned), { wire, supportedParameters: listed })).toEqual(leftOut);
    expect(sentBy(wire, listed)).toMatchObject(body);
    expect(leftOutFields(tuningsOf(tuned), { wire, supportedParameters: [] })).toEqual([
      'temperature',
      'seed',
      'min_p',
      'verbosity',
    ]);
    expect(JSON.stringify(sentBy(wire, []))).not.toMatch(/temperature|seed|min_p|verbosity/);
  });

  it.each<Wire>(['anthropic', 'google-gemini', 'bedrock-converse'])('has no probabilities over %s', (wire) => {
    const asked = { ...message, logprobs: true };

    const refusal = refused(() => refuseWithoutLogprobs(asked, { wire, supportedParameters: listed }));
    expect(refusal).toMatchObject({ status: 400, metadata: { field: 'logprobs' } });
  });

  it('has probabilities where the endpoint lists them', () => {
    const asked = { ...message, logprobs: true };

    expect(() => refuseWithoutLogprobs(asked, { wire: 'openai-chat', supportedParameters: listed })).not.toThrow();
    expect(refused(() => refuseWithoutLogprobs(asked, { wire: 'openai-chat', supportedParameters: [] })).status).toBe(
      400,
    );
  });
});
