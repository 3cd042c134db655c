import { describe, expect, it } from 'vitest';
import type { Wire } from '../../lambdas/catalog/wires.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import type { WireTarget } from '../../lambdas/providers/wire.ts';
import { agentHeaders, agentTurn } from '../support/agent-session.ts';

const client = { anthropicVersion: '2023-06-01', anthropicBeta: agentHeaders['anthropic-beta'] };

interface Prompt {
  instructions: unknown;
  said: unknown[];
  tools: unknown;
}

type Body = Record<string, unknown>;
const readers: [string, Wire, object, (body: Body) => Prompt][] = [
  [
    'Anthropic',
    'anthropic',
    {},
    (body) => ({ instructions: body['system'], said: body['messages'] as [], tools: body['tools'] }),
  ],
  [
    'Bedrock',
    'anthropic',
    { envelope: 'bedrock-invoke' },
    (body) => ({ instructions: body['system'], said: body['messages'] as [], tools: body['tools'] }),
  ],
  ['chat', 'openai-chat', {}, (body) => ({ instructions: '', said: body['messages'] as [], tools: body['tools'] })],
  [
    'Responses',
    'openai-responses',
    {},
    (body) => ({ instructions: body['instructions'], said: body['input'] as [], tools: body['tools'] }),
  ],
  [
    'Gemini',
    'google-gemini',
    {},
    (body) => ({ instructions: body['systemInstruction'], said: body['contents'] as [], tools: body['tools'] }),
  ],
  [
    'Converse',
    'bedrock-converse',
    {},
    (body) => ({ instructions: body['system'], said: body['messages'] as [], tools: body['toolConfig'] }),
  ],
];

/**
 * Removes cache marks, whose positions differ between turns, and turns texts into blocks, because a cache treats both
 * forms alike.
 */
function withoutMarks(value: unknown): unknown {
  const text = JSON.stringify(value, (key: string, inner: unknown) => {
    if (key === 'cache_control') return undefined;
    if (Array.isArray(inner)) return inner.filter((one) => !(one && typeof one === 'object' && 'cachePoint' in one));
    return key === 'content' && typeof inner === 'string' ? [{ type: 'text', text: inner }] : inner;
  });
  return text && (JSON.parse(text) as unknown);
}

describe.each(readers)('the prompt of an agent over %s', (home, name, quirks, read) => {
  const promptOf = (turn: 1 | 2 | 3, sum: string): Prompt => {
    const target: WireTarget = {
      providerId: 'p',
      upstreamModel: 'm',
      maxOutputTokens: 64_000,
      supportedParameters: ['tools', 'reasoning', 'max_tokens'],
      quirks,
    };
    const { body } = messagesWire(name)!.encode(agentTurn(turn, { model: 'm', sum }), target, client);
    return read(JSON.parse(body) as Body);
  };

  it('begins with the whole prompt of the previous turn, whatever its billing line', () => {
    const [first, second] = [promptOf(1, 'aaaaa'), promptOf(2, 'bbbbb')];
    expect(withoutMarks(second.instructions)).toEqual(withoutMarks(first.instructions));
    expect(withoutMarks(second.tools)).toEqual(withoutMarks(first.tools));
    expect(withoutMarks(second.said.slice(0, first.said.length))).toEqual(withoutMarks(first.said));
  });

  it('has a deferred tool only if the provider supports deferred tools', () => {
    const isSent = JSON.stringify(promptOf(2, 'a').tools).includes('DeferredToolPlaceholder');
    expect(isSent).toBe(home === 'Anthropic');
  });

  it('has no billing line', () => {
    expect(JSON.stringify(promptOf(3, 'a'))).not.toContain('x-anthropic-billing-header');
  });
});
