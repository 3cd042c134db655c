/**
 * On every wire, parameters that the model does not list are not sent; listed parameters are sent, or refused by name.
 */

import { describe, expect, it } from 'vitest';
import type { Quirks } from '../../lambdas/catalog/quirk-schemas.ts';
import { messagesWires, type MessagesWireName } from '../../lambdas/catalog/wires.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { refused } from '../support/refused.ts';

const sampling = {
  temperature: 0.51,
  top_p: 0.52,
  top_k: 53,
  frequency_penalty: 0.54,
  presence_penalty: 0.55,
  repetition_penalty: 1.56,
};
type Parameter = keyof typeof sampling;
const parameters = Object.keys(sampling) as Parameter[];

const unspeakable: Record<MessagesWireName, readonly Parameter[]> = {
  anthropic: ['frequency_penalty', 'presence_penalty', 'repetition_penalty'],
  'openai-chat': [],
  'google-gemini': ['repetition_penalty'],
  'openai-responses': ['top_k', 'frequency_penalty', 'presence_penalty', 'repetition_penalty'],
  'bedrock-converse': ['frequency_penalty', 'presence_penalty', 'repetition_penalty'],
};

function sentOver(wire: MessagesWireName, more: object, supportedParameters: readonly string[]): string {
  const request = { model: 'a/b', messages: [{ role: 'user' as const, content: 'Hi' }], max_tokens: 5, ...more };
  // Over Converse, each family of models has a different field for top_k.
  const quirks = (wire === 'bedrock-converse' ? { family: 'nova' } : {}) as Quirks;
  const target = { providerId: 'acme', upstreamModel: 'm', maxOutputTokens: 100, supportedParameters, quirks };
  const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
  return messagesWire(wire)!.encode(request, target, client).body;
}

describe.each(messagesWires)('sampling fields over %s', (wire) => {
  const spoken = parameters.filter((name) => !unspeakable[wire].includes(name));

  it('are not sent if the model does not list them', () => {
    expect(sentOver(wire, sampling, ['tools'])).toBe(sentOver(wire, {}, ['tools']));
  });

  it.each(spoken)('are sent if the model lists them: %s', (name) => {
    const others = parameters.filter((other) => other !== name);

    const body = sentOver(wire, sampling, [name]);

    expect(body).toContain(String(sampling[name]));
    expect(others.filter((other) => body.includes(String(sampling[other])))).toEqual([]);
  });

  it.each(unspeakable[wire])(
    'are refused by name if the model lists them but the wire cannot express them: %s',
    (name) => {
      const refusal = refused(() => sentOver(wire, sampling, [name]));

      expect(refusal.status).toBe(400);
      expect(refusal.metadata).toEqual({ field: name });
    },
  );
});
