import { describe, expect, it, vi } from 'vitest';
import type { Block, Message, MessagesRequest } from '../../lambdas/messages/types.ts';
import { invalidRequest } from '../../lambdas/platform/errors.ts';
import {
  changeSensitiveData,
  noSensitiveData,
  sensitiveDataField,
} from '../../lambdas/store/accounts/sensitive-data.ts';
import { everything, prompt, protect, sentText } from '../support/protection.ts';
import { refusedLater } from '../support/refused.ts';

describe('a key without protection', () => {
  it.each([undefined, { enabled: false }, { categories: ['email'], action: 'block' }])(
    'sends unchanged requests: %j',
    async (stored) => {
      const request = prompt('Write to ann@example.org');

      const { message, originals } = await protect(request, sensitiveDataField.read({ sensitive_data: stored }));

      expect(message).toBe(request);
      expect(originals).toBeUndefined();
    },
  );

  it('is refused if it enables protection without categories or dictionary', async () => {
    const settings = changeSensitiveData(noSensitiveData, { enabled: true });

    const error = await refusedLater(() => protect(prompt('Hello'), settings));

    expect(error).toMatchObject({ status: 400, metadata: { field: 'sensitive_data' } });
    expect(error.message).toContain('sent nothing');
  });
});

describe('placeholders', () => {
  it('are numbered by category', async () => {
    expect(await sentText('ann@example.org, bob@example.org, +7 916 204-18-33')).toBe(
      '[EMAIL_1], [EMAIL_2], [PHONE_1]',
    );
  });

  it('are the same for the same value in all turns, and name its category', async () => {
    const request: MessagesRequest = {
      model: 'm',
      system: 'You work for bob@example.org.',
      messages: [
        { role: 'user', content: 'Write to ann@example.org' },
        { role: 'assistant', content: [{ type: 'text', text: 'To ann@example.org?' }] },
        { role: 'user', content: 'Yes, and bob@example.org' },
      ],
    };

    const { message, originals } = await protect(request, everything);

    expect(message.system).toBe('You work for [EMAIL_1].');
    expect(message.messages.map(({ content }) => content)).toEqual([
      'Write to [EMAIL_2]',
      [{ type: 'text', text: 'To [EMAIL_2]?' }],
      'Yes, and [EMAIL_1]',
    ]);
    expect([...originals!]).toEqual([
      ['[EMAIL_1]', 'bob@example.org'],
      ['[EMAIL_2]', 'ann@example.org'],
    ]);
  });

  it('do not repeat numbers that the prompt already has', async () => {
    expect(await sentText('[EMAIL_1] is not ann@example.org, nor [EMAIL_2]')).toBe(
      '[EMAIL_1] is not [EMAIL_3], nor [EMAIL_2]',
    );
  });

  it('keep their meaning in a conversation that is never restored', async () => {
    const request = prompt('Write to ann@example.org');
    const messages: Message[] = [...request.messages, { role: 'assistant', content: 'To [EMAIL_1]?' }];

    const { message, originals } = await protect({ ...request, messages }, { ...everything, restore: false });

    expect(message.messages.map(({ content }) => content)).toEqual(['Write to [EMAIL_1]', 'To [EMAIL_1]?']);
    expect(originals).toBeUndefined();
  });

  it('replace a known value also without context', async () => {
    expect(await sentText('ИНН 7707083893. Ещё раз: 7707083893, но не 77070838931.')).toBe(
      'ИНН [INN_1]. Ещё раз: [INN_1], но не 77070838931.',
    );
  });

  it('exist only for the categories of the key', async () => {
    expect(await sentText('ann@example.org, 10.20.30.40', { categories: ['ip_address'] })).toBe(
      'ann@example.org, [IP_ADDRESS_1]',
    );
  });
});

describe('the dictionary of a key', () => {
  const dictionary = [
    { term: 'Project Falcon', substitute: 'the project' },
    { term: 'Ромашка', substitute: 'Компания' },
    { term: 'ann@example.org', substitute: 'Ann' },
    { term: 'C++', substitute: 'C' },
  ];
  const sent = (text: string) => sentText(text, { dictionary });

  it.each([
    ['PROJECT falcon is late', 'the project is late'],
    ['ООО «РОМАШКА»', 'ООО «Компания»'],
    ['Project Falconry, aProject Falcon', 'Project Falconry, aProject Falcon'],
    ['Ромашки и ромашкой', 'Ромашки и ромашкой'],
    ['C++ and c++11', 'C and C11'],
    ['İstanbul, Project Falcon', 'İstanbul, the project'],
  ])('replaces whole words in any case: %j', async (text, expected) => {
    expect(await sent(text)).toBe(expected);
  });

  it('leaves values of categories to the categories', async () => {
    expect(await sent('ann@example.org')).toBe('[EMAIL_1]');
  });

  it('is not restored', async () => {
    const { originals } = await protect(prompt('Project Falcon'), { ...everything, dictionary });

    expect(originals).toBeUndefined();
  });

  it('uses the longest matching term', async () => {
    const longer = [...dictionary, { term: 'Project Falcon II', substitute: 'the next' }];

    expect(await sentText('Project Falcon II, Project Falcon', { dictionary: longer })).toBe('the next, the project');
  });
});

describe('a key that blocks', () => {
  const block = { ...everything, action: 'block' as const };

  it.each<[string, Partial<MessagesRequest>, string]>([
    ['a prompt', { messages: [{ role: 'user', content: 'to ann@example.org' }] }, 'messages.0.content'],
    ['system', { system: [{ type: 'text', text: 'ann@example.org' }] }, 'system.0.text'],
    [
      'a call',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: { 'ann@example.org': 1 } }] },
        ],
      },
      'messages.0.content.0.input',
    ],
    ['the user', { metadata: { user_id: 'ann@example.org' } }, 'metadata.user_id'],
  ])('is refused with field and category, never with the value: %s', async (_, more, field) => {
    const error = await refusedLater(() => protect({ ...prompt('Hello'), ...more }, block));

    expect(error).toMatchObject({ status: 400, metadata: { field, category: 'email' } });
    expect(`${error.message} ${JSON.stringify(error.metadata)}`).not.toContain('ann@');
  });

  it('accepts requests without values, with the substitutes of its dictionary', async () => {
    const { message } = await protect(prompt('Falcon is late'), {
      ...block,
      dictionary: [{ term: 'falcon', substitute: 'it' }],
    });

    expect(message.messages[0]!.content).toBe('it is late');
  });
});

const image = (url: string): Block => ({ type: 'image', source: { type: 'url', url } });

describe('a value that cannot be replaced', () => {
  it.each<[string, Partial<MessagesRequest>, string]>([
    [
      'an address',
      { messages: [{ role: 'user', content: [image('https://10.20.30.40/a.png')] }] },
      'messages.0.content.0.source.url',
    ],
    ['the name of a tool', { tools: [{ name: 'ann@example.org' }] }, 'tools.0.name'],
    [
      'a property',
      { tools: [{ name: 't', input_schema: { properties: { 'ann@example.org': {} } } }] },
      'tools.0.input_schema',
    ],
  ])('is refused by its field: %s', async (_, more, field) => {
    const error = await refusedLater(() => protect({ ...prompt('Hello'), ...more }, everything));

    expect(error).toMatchObject({ status: 400, metadata: { field } });
    expect(error.message).not.toMatch(/ann@|10\.20/);
  });

  it('is refused for a term of the dictionary as well', async () => {
    const dictionary = [{ term: 'falcon', substitute: 'it' }];

    const error = await refusedLater(() =>
      protect(prompt('Hello', { tools: [{ name: 'falcon' }] }), { ...everything, dictionary }),
    );

    expect(error).toMatchObject({ status: 400, metadata: { field: 'tools.0.name' } });
  });

  it('is not a keyword of the protocol, whatever the dictionary contains', async () => {
    const dictionary = ['text', 'user', 'object', 'image'].map((term) => ({ term, substitute: 'x' }));
    const request: MessagesRequest = {
      model: 'm',
      tools: [{ name: 't', input_schema: { type: 'object' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'a text' }, image('https://example.org/a.png')] }],
    };

    const { message } = await protect(request, { ...everything, dictionary });

    expect(message.tools).toEqual(request.tools);
    expect(message.messages[0]).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: 'a x' }, { type: 'image' }],
    });
  });
});

const thinking = (words: string, signature: string): Block => ({ type: 'thinking', thinking: words, signature });
const withThinking = (block: Block): Message[] => [
  { role: 'user', content: 'Write to ann@example.org' },
  { role: 'assistant', content: [block, { type: 'text', text: 'Done.' }] },
  { role: 'user', content: 'Thanks' },
];

const sentBlocks = async (block: Block) => {
  const { message } = await protect({ model: 'm', messages: withThinking(block) }, everything);
  return message.messages[1]!.content as Block[];
};

describe('a conversation with messages at other indices than in the request', () => {
  const request = { model: 'm', messages: withThinking(thinking('', '')) };
  const origins = [2, 1, 0];

  it('is refused by the message with the value', async () => {
    const error = await refusedLater(() => protect(request, { ...everything, action: 'block' }, { origins }));

    expect(error).toMatchObject({ metadata: { field: 'messages.2.content', category: 'email' } });
    expect(error.message).toMatch(/^messages\.2\.content: /);
  });

  it('is refused before the search by the same field', async () => {
    const beforeSearch = vi.fn().mockRejectedValue(invalidRequest('messages.0.content', 'is too long'));
    const error = await refusedLater(() => protect(request, everything, { origins, beforeSearch }));

    expect(error).toMatchObject({ metadata: { field: 'messages.0.content' } });
  });
});

describe('thinking with the signature of its provider', () => {
  it.each(['EqQBCkYIA', 'gw1.google.CiQB'])('has its signed text if it repeats the prompt: %s', async (signature) => {
    expect((await sentBlocks(thinking('I write to ann@example.org.', signature)))[0]).toEqual(
      thinking('I write to [EMAIL_1].', signature),
    );
  });

  it('is left out if its signed text cannot be restored', async () => {
    expect(await sentBlocks(thinking('Perhaps bob@example.org?', 'EqQBCkYIA'))).toEqual([
      { type: 'text', text: 'Done.' },
    ]);
  });

  it('is unchanged without a protected value', async () => {
    const block = thinking('I think.', 'EqQBCkYIA');

    expect((await sentBlocks(block))[0]).toBe(block);
  });

  it('is protected like text if only the gateway has signed it', async () => {
    expect((await sentBlocks(thinking('Perhaps bob@example.org?', 'gw1.deepseek')))[0]).toMatchObject({
      thinking: 'Perhaps [EMAIL_2]?',
    });
  });

  it('does not hide values of a later text, in any order of fields', async () => {
    const sorted = { signature: 'EqQB', thinking: 'Perhaps bob@example.org?', type: 'thinking' };
    const messages = [...withThinking(sorted), { role: 'user' as const, content: 'Or eve@example.org, or me?' }];

    const { message } = await protect({ model: 'm', messages }, everything);
    expect(message.messages.slice(1).map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'Done.' }],
      'Thanks',
      'Or [EMAIL_2], or me?',
    ]);
  });

  it('is left out together with a message that has nothing else', async () => {
    const [ask, , thanks] = withThinking(thinking('', ''));
    const messages = [ask!, { role: 'assistant' as const, content: [thinking('bob@example.org', 'EqQB')] }, thanks!];

    const { message } = await protect({ model: 'm', messages }, everything);
    expect(message.messages.map(({ role }) => role)).toEqual(['user', 'user']);
  });
});

const sentInput = async (input: Record<string, unknown>) => {
  const call: Block = { type: 'tool_use', id: 'a', name: 'b', input };
  const { message } = await protect({ model: 'm', messages: [{ role: 'assistant', content: [call] }] }, everything);
  return (message.messages[0]!.content as Block[])[0]!['input'];
};

describe('JSON from a model', () => {
  it('is searched by the names of its values', async () => {
    expect(await sentInput({ inn: '7707083893', number: '7707083893', password: 'Tr0ub4dor&3' })).toEqual({
      inn: '[INN_1]',
      number: '[INN_1]',
      password: '[CREDENTIAL_1]',
    });
  });

  it('may have protected numbers, and keeps the digits of others', async () => {
    const exact = JSON.rawJSON('12345678901234567890');

    expect(await sentInput({ phone: 79162041833, big: exact, share: 0.1000000000000001 })).toEqual({
      phone: '[PHONE_1]',
      big: exact,
      share: 0.1000000000000001,
    });
  });

  it('may have protected numbers with a sign, or with a fraction of zeros', async () => {
    const whole = JSON.rawJSON('79162041833.0');

    expect(await sentInput({ phone: -79162041833, other: whole, amount: -123456789012 })).toEqual({
      phone: '-[PHONE_1]',
      other: '[PHONE_1].0',
      amount: -123456789012,
    });
  });

  it('keeps names that programs need', async () => {
    const input = JSON.parse('{"__proto__": "ann@example.org"}') as Record<string, unknown>;

    expect(JSON.stringify(await sentInput(input))).toBe('{"__proto__":"[EMAIL_1]"}');
  });
});
