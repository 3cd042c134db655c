import { describe, expect, it } from 'vitest';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';
import { geminiSchema } from '../../lambdas/providers/google-gemini/gemini-schema.ts';
import { openaiResponsesWire } from '../../lambdas/providers/openai-responses/wire.ts';
import { acyclicSchema } from '../../lambdas/providers/translated/acyclic-schema.ts';
import { sentTo } from '../support/chat-request.ts';

const node = (required: string[]) => ({
  type: 'object',
  properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
  required,
});
const tree = { type: 'object', properties: { tree: { $ref: '#/$defs/Node' } }, $defs: { Node: node([]) } };
const cutNode = (required: string[]) => ({
  ...node(required),
  properties: { name: { type: 'string' }, children: { type: 'array', items: { type: 'object' } } },
});

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const messages = [{ role: 'user' as const, content: 'Hi' }];
const target = <Quirks>(quirks: Quirks) => ({
  providerId: 'p',
  upstreamModel: 'm',
  maxOutputTokens: 100,
  supportedParameters: ['tools', 'response_format'],
  quirks,
});
const withTool = (more: object = {}) => ({
  model: 'm',
  messages,
  tools: [{ name: 'look', input_schema: tree, ...more }],
});

describe('a schema with circular references', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['of a definition to itself', tree, { ...tree, $defs: { Node: cutNode([]) } }],
    [
      'to the root',
      { type: 'object', properties: { inner: { $ref: '#', description: 'More.' } } },
      { type: 'object', properties: { inner: { type: 'object', description: 'More.' } } },
    ],
    [
      'over two definitions',
      {
        properties: { a: { $ref: '#/definitions/A' } },
        definitions: { A: { items: { $ref: '#/definitions/B' } }, B: { not: { $ref: '#/definitions/A' } } },
      },
      {
        properties: { a: { $ref: '#/definitions/A' } },
        definitions: { A: { items: { $ref: '#/definitions/B' } }, B: { not: {} } },
      },
    ],
    [
      'to a property with an escaped name',
      { properties: { 'a/b': { type: 'array', items: { $ref: '#/properties/a~1b' } } } },
      { properties: { 'a/b': { type: 'array', items: { type: 'array' } } } },
    ],
  ])('loses only the reference that closes the circle: %s', (_, schema, expected) => {
    expect(acyclicSchema(schema)).toEqual(expected);
  });

  it('keeps references that lead to no circle, and the schema itself', () => {
    const shared = {
      properties: { a: { $ref: '#/$defs/Place' }, b: { $ref: '#/$defs/Place' }, c: { $ref: '#/$defs/missing' } },
      $defs: { Place: { type: 'string' } },
    };

    expect(acyclicSchema(shared)).toBe(shared);
  });

  it('has no circular reference at providers that refuse them', () => {
    const responses = openaiResponsesWire.encode(withTool(), target({ acyclic_schemas: true }), client);
    const claude = anthropicWire.encode(withTool(), target({ acyclic_schemas: true }), client);
    const chat = sentTo({ quirks: { acyclic_schemas: true, typed_schemas: true } }, withTool());

    for (const body of [responses.body, claude.body, JSON.stringify(chat)]) {
      expect(body).not.toContain('"items":{"$ref"');
      expect(body).toContain('"items":{"type":"object"}');
    }
  });

  it('is unchanged at other providers with the Responses API or the Messages API', () => {
    expect(openaiResponsesWire.encode(withTool(), target({}), client).body).toContain('"items":{"$ref"');
    expect(anthropicWire.encode(withTool(), target({}), client).body).toContain('"items":{"$ref"');
  });

  it('keeps circular references at Gemini only in properties that may be absent', () => {
    expect(geminiSchema({ $defs: { Node: node(['name']) } })).toEqual({ $defs: { Node: node(['name']) } });
    expect(geminiSchema({ $defs: { Node: node(['children']) } })).toEqual({ $defs: { Node: cutNode(['children']) } });
  });

  it('is refused by name if Claude would have to enforce it', () => {
    const format = { type: 'json_schema', schema: tree };

    expect(() => anthropicWire.encode(withTool({ strict: true }), target({}), client)).toThrow('tools.0.strict: ');
    expect(() => anthropicWire.encode({ model: 'm', messages, output_config: { format } }, target({}), client)).toThrow(
      'output_config.format.schema: ',
    );
  });
});
