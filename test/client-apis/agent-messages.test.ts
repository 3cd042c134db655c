/** Messages between agents of Codex (https://github.com/MetaFARS/codex-relay/issues/60). */

import { describe, expect, it } from 'vitest';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import { parseWith } from '../../lambdas/http/parse.ts';
import { argumentsSchema } from '../../lambdas/providers/translated/arguments-schema.ts';

const user = { role: 'user', content: 'Hi' };
const read = (input: object[]) => parseWith(responsesRequestSchema, { model: 'm', input });
const envelope = { type: 'input_text', text: 'Message Type: NEW_TASK\nPayload:\n' };
const sent = (content: unknown) => ({ type: 'agent_message', author: '/root', recipient: '/root/a', content });

describe('a message of another agent', () => {
  it.each([
    [
      [envelope, { type: 'encrypted_content', encrypted_content: 'List the files.' }],
      `${envelope.text}List the files.`,
    ],
    [[envelope, { type: 'encrypted_content', encrypted_content: 'gAAAAABqx' }], envelope.text],
    ['Done.', 'Done.'],
  ])('is a text of the user: %j', (content, text) => {
    expect(read([user, sent(content)]).message.messages.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text }],
    });
  });

  it.each([[null], [[]], [[null, 7]]])('without text is left out: %j', (content) => {
    expect(read([user, sent(content)]).message.messages).toHaveLength(1);
  });
});

it('an argument that only OpenAI could read is an ordinary argument', () => {
  const properties = { message: { type: 'string', encrypted: true }, encrypted: { type: 'boolean' } };
  expect(argumentsSchema({ type: 'object', properties })).toEqual({
    type: 'object',
    properties: { ...properties, message: { type: 'string' } },
  });
});
