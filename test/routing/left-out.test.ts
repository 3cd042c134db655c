import { describe, expect, it } from 'vitest';
import type { Wire } from '../../lambdas/catalog/wires.ts';
import { leftOutFields, refuseWithoutLogprobs, tuningsOf, withoutFields } from '../../lambdas/routing/left-out.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { refused } from '../support/refused.ts';

const message = { model: 'm', max_tokens: 10, messages: [{ role: 'user' as const, content: 'Hi' }] };
const tuned = { ...message, temperature: 0.5, seed: 7, min_p: 0.1, verbosity: 'low' };
const listed = ['temperature', 'seed', 'min_p', 'verbosity', 'logprobs', 'top_logprobs'];
const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

function sentBy(wire: Wire, supportedParameters: string[]): Record<string, unknown> {
  const bare = withoutFields(tuned, leftOutFields(tuningsOf(tuned), { wire, supportedParameters }));
  const target = { providerId: 'p', upstreamModel: 'u', maxOutputTokens: 100, supportedParameters, quirks: {} };
  return JSON.parse(messagesWire(wire)!.encode(bare, target, client).body) as Record<string, unknown>;
}

describe('tuning fields', () => {
  it.each<[Wire, string[], object]>([
    ['openai-chat', [], { temperature: 0.5, seed: 7, min_p: 0.1, verbosity: 'low' }],
    ['openai-responses', ['seed', 'min_p'], { temperature: 0.5, text: { verbosity: 'low' } }],
    ['google-gemini', ['min_p', 'verbosity'], { generationConfig: { temperature: 0.5, seed: 7 } }],
    ['anthropic', ['seed', 'min_p', 'verbosity'], { temperature: 0.5 }],
    ['bedrock-converse', ['seed', 'min_p', 'verbosity'], { inferenceConfig: { temperature: 0.5 } }],
  ])('are sent if the wire has them and the endpoint lists them: %s', (wire, leftOut, body) => {
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

  it.each<Wire>(['anthropic', 'bedrock-converse'])('exclude probabilities over %s', (wire) => {
    const asked = { ...message, logprobs: true };

    const refusal = refused(() => refuseWithoutLogprobs(asked, { wire, supportedParameters: listed }));
    expect(refusal).toMatchObject({ status: 400, metadata: { field: 'logprobs' } });
  });

  it.each<Wire>(['openai-chat', 'openai-responses', 'google-gemini'])(
    'include probabilities over %s if they are listed',
    (wire) => {
      const asked = { ...message, logprobs: true };

      expect(() => refuseWithoutLogprobs(asked, { wire, supportedParameters: listed })).not.toThrow();
      expect(refused(() => refuseWithoutLogprobs(asked, { wire, supportedParameters: [] })).status).toBe(400);
    },
  );

  it('include probabilities of other tokens only if these are listed as well', () => {
    const alone = { wire: 'openai-chat' as const, supportedParameters: ['logprobs'] };
    const asked = { ...message, logprobs: true, top_logprobs: 3 };

    expect(refused(() => refuseWithoutLogprobs(asked, alone)).metadata).toEqual({ field: 'top_logprobs' });
    expect(() => refuseWithoutLogprobs({ ...asked, top_logprobs: 0 }, alone)).not.toThrow();
    expect(() => refuseWithoutLogprobs(asked, { ...alone, supportedParameters: listed })).not.toThrow();
  });
});
