import { describe, expect, it } from 'vitest';
import type { Wire } from '../../lambdas/catalog/wires.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const wires: [Wire, object][] = [
  ['openai-chat', {}],
  ['openai-responses', {}],
  ['google-gemini', {}],
  ['bedrock-converse', { family: 'nova' }],
  ['anthropic', {}],
];

const bodyFor = (wire: Wire, quirks: object, schema: Record<string, unknown>): string => {
  const supportedParameters = ['structured_outputs', 'response_format'];
  const target = { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 100, supportedParameters, quirks };
  const output_config = { format: { type: 'json_schema' as const, schema } };
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  return messagesWire(wire)!.encode({ model: 'm', messages, output_config }, target, client).body;
};

describe.each(wires)('the schema of an answer over %s', (wire, quirks) => {
  it('has the form of the current draft', () => {
    const older = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'OBJECT',
      properties: {
        place: { type: 'STRING', description: null },
        list: { type: 'ARRAY', items: [] },
        empty: { type: 'object', properties: [] },
      },
      required: ['place', 'list', 'empty'],
    };
    const current = {
      type: 'object',
      properties: {
        place: { type: 'string' },
        list: { type: 'array', items: {} },
        empty: { type: 'object', properties: {} },
      },
      required: ['place', 'list', 'empty'],
    };

    expect(bodyFor(wire, quirks, older)).toBe(bodyFor(wire, quirks, current));
    expect(bodyFor(wire, quirks, older)).not.toMatch(/OBJECT|STRING|ARRAY|draft-07/);
  });
});
