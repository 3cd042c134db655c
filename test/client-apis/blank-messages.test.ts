import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../lambdas/client-apis/chat/request.ts';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import { parseWith } from '../../lambdas/http/parse.ts';
import { messagesRequestSchema } from '../../lambdas/messages/schema.ts';
import { refused } from '../support/refused.ts';

type Said = { role: string; content: unknown }[];
const model = 'm';

const apis = {
  '/messages': { field: 'messages', read: (messages: Said) => parseWith(messagesRequestSchema, { model, messages }) },
  '/chat/completions': {
    field: 'messages',
    read: (messages: Said) => parseWith(chatRequestSchema, { model, messages }).message,
  },
  '/responses': {
    field: 'input',
    read: (input: Said) => parseWith(responsesRequestSchema, { model, input }).message,
  },
};
const text = (path: string, words: string) => ({ type: path === '/responses' ? 'input_text' : 'text', text: words });

describe.each(Object.entries(apis))('a request of %s', (path, { field, read }) => {
  it.each<[string, (path: string) => Said]>([
    ['of an empty text', () => [{ role: 'user', content: '' }]],
    ['of a blank text', () => [{ role: 'user', content: ' \n\t' }]],
    ['of blank parts', () => [{ role: 'user', content: [text(path, ' '), text(path, '\n')] }]],
    [
      'of blank turns',
      () => [
        { role: 'user', content: ' ' },
        { role: 'assistant', content: ' ' },
        { role: 'user', content: ' ' },
      ],
    ],
  ])('%s is refused by the name of the field', (_, messages) => {
    const refusal = refused(() => read(messages(path)));

    expect(refusal).toMatchObject({ status: 400, metadata: { field } });
    expect(refusal.message).toContain('at least one that is not blank');
  });

  it('is read if one message has a text that is not blank', () => {
    const { messages } = read([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: ' ' },
    ]);

    expect(messages).toHaveLength(3);
  });

  it('gets no placeholder for blank answers at the end, which the model would continue', () => {
    const blank = { role: 'assistant', content: ' \n' };
    const { messages } = read([{ role: 'user', content: 'Hi' }, blank, blank]);

    expect(JSON.stringify(messages)).not.toContain('(empty)');
  });
});

it('an input with only blank text is refused', () => {
  const refusal = refused(() => parseWith(responsesRequestSchema, { model, input: ' ' }));

  expect(refusal).toMatchObject({ status: 400, metadata: { field: 'input' } });
});
