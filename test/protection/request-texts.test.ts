import { describe, expect, it } from 'vitest';
import { messagesWires } from '../../lambdas/catalog/wires.ts';
import { PHASE, type Block, type MessagesRequest } from '../../lambdas/messages/types.ts';
import { RequestTexts } from '../../lambdas/protection/request-texts.ts';
import { candidateAt } from '../support/candidate.ts';
import { everything, protect } from '../support/protection.ts';

/** Placeholder in a request. Each occurrence is replaced by a different value. */
const SECRET = 'SECRET';
const BASE64 = 'aGVsbG8=';

const user = (...content: Block[]): Partial<MessagesRequest> => ({ messages: [{ role: 'user', content }] });
const document = (source: object, more: object = {}): Block => ({ type: 'document', source, ...more });
const call: Block = {
  type: 'tool_use',
  id: 'toolu_1',
  name: 'send',
  input: { to: SECRET, list: [SECRET], deep: { [SECRET]: SECRET } },
};
const tools = [
  {
    name: 'send',
    description: SECRET,
    input_schema: {
      type: 'object',
      title: SECRET,
      properties: { to: { type: 'string', description: SECRET, enum: [SECRET, 'x'], default: SECRET } },
    },
    input_examples: [{ to: SECRET }],
  },
];
const withResult = (content: unknown): Partial<MessagesRequest> => ({
  tools: [{ name: 'send', input_schema: { type: 'object' } }],
  messages: [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: [{ ...call, input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
  ],
});

/** Not every wire supports every field, so each field with text has its own request. */
const features: Record<string, Partial<MessagesRequest>> = {
  'system as text': { system: SECRET },
  'system as blocks': { system: [{ type: 'text', text: SECRET, cache_control: { type: 'ephemeral' } }] },
  'a message': { messages: [{ role: 'user', content: SECRET }] },
  'a text block': user({ type: 'text', text: SECRET }),
  'a turn of the assistant': {
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: SECRET },
      { role: 'user', content: 'Go' },
    ],
  },
  'a message of the system': {
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'system', content: SECRET },
      { role: 'user', content: 'Go' },
    ],
  },
  thinking: {
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: SECRET, signature: 'gw1.m' },
          { type: 'text', text: SECRET },
        ],
      },
      { role: 'user', content: 'Go' },
    ],
  },
  'signed thinking': {
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: SECRET, signature: 'EqQB' },
          { type: 'text', text: 'Yes' },
        ],
      },
      { role: 'user', content: 'Go' },
    ],
  },
  'a call': {
    tools: [{ name: 'send', input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
    ],
  },
  'a result as text': withResult(SECRET),
  'a result as blocks': withResult([{ type: 'text', text: SECRET }]),
  'a document as text': user(
    document({ type: 'text', media_type: 'text/plain', data: SECRET }, { title: SECRET, context: SECRET }),
  ),
  'a document of blocks': user(document({ type: 'content', content: [{ type: 'text', text: SECRET }] })),
  'the title of a file': user(
    document({ type: 'base64', media_type: 'application/pdf', data: BASE64 }, { title: SECRET, context: SECRET }),
  ),
  'a result of a search': user({
    type: 'search_result',
    source: SECRET,
    title: SECRET,
    content: [{ type: 'text', text: SECRET }],
    citations: { enabled: true },
  }),
  'citations in history': {
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [
          {
            type: 'text',
            text: SECRET,
            citations: [
              {
                type: 'char_location',
                cited_text: SECRET,
                document_title: SECRET,
                document_index: 0,
                start_char_index: 0,
                end_char_index: 1,
              },
            ],
          },
        ],
      },
      { role: 'user', content: 'Go' },
    ],
  },
  tools: { tools },
  'a format of the answer': {
    output_config: { format: { type: 'json_schema', schema: { type: 'object', description: SECRET } } },
  },
  'its older name': { output_format: { type: 'json_schema', schema: { type: 'object', description: SECRET } } },
  'stop sequences': { stop_sequences: [SECRET, 'x'] },
  'the user': { metadata: { user_id: SECRET, note: SECRET } },
  'an unknown field': { future: { deep: [{ words: SECRET }, SECRET] } },
  'a block of an unknown type': user({ type: 'text', text: 'Hi' }, { type: 'future', words: SECRET, deep: [SECRET] }),
  'an unknown field of a block': user({ type: 'text', text: SECRET, future: { words: SECRET } }),
};

/** Replaces each placeholder by a different e-mail address, and returns the number of addresses. */
function planted(feature: Partial<MessagesRequest>): { request: MessagesRequest; secrets: number } {
  let secrets = 0;
  const json = JSON.stringify({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], ...feature });
  const request = JSON.parse(json.replaceAll(SECRET, () => `say s${(secrets += 1)}@secret.example`)) as MessagesRequest;
  return { request, secrets };
}

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

describe.each(Object.entries(features))('a request with a protected value in %s', (_, feature) => {
  it('has no protected value left in it', async () => {
    const { request, secrets } = planted(feature);

    const { message } = await protect(request, everything);

    expect(secrets).toBeGreaterThan(0);
    expect(JSON.stringify(message)).not.toContain('secret.example');
  });

  it.each(messagesWires)('is sent over %s without a value, or not at all', async (wire) => {
    const { request } = planted(feature);
    const { wire: codec, target } = candidateAt('http://localhost', { wire });
    const { message } = await protect(request, everything);
    const encode = () => codec.encode(message, target, client);
    const count = () => codec.encodeCount(message, target, client);

    for (const write of [encode, count]) {
      const sent = written(write);
      expect(JSON.stringify(sent ?? '')).not.toMatch(/secret\.example|s\d+@/);
    }
  });
});

/** Returns the written request, or the error message if the wire refuses a field. */
function written(write: () => unknown): unknown {
  try {
    return write();
  } catch (error) {
    expect(error).toMatchObject({ status: 400 });
    return (error as Error).message;
  }
}

it('at least nine of these requests are sent over every wire, so that the test above is meaningful', async () => {
  const safe = await Promise.all(
    Object.values(features).map(async (feature) => (await protect(planted(feature).request, everything)).message),
  );
  for (const wire of messagesWires) {
    const { wire: codec, target } = candidateAt('http://localhost', { wire });
    const sent = safe.filter((message) => {
      try {
        return codec.encode(message, target, client).body.includes('[EMAIL_1]');
      } catch {
        return false;
      }
    });
    expect(sent.length, wire).toBeGreaterThanOrEqual(9);
  }
});

const seen = (request: Partial<MessagesRequest>) =>
  new RequestTexts({ model: 'm', messages: [], ...request }).texts.map(({ text }) => text);

describe('encoded data', () => {
  it('is not changed: images, files, signatures', () => {
    const request = user(
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: BASE64 } },
      { type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data: BASE64 } },
      { type: 'thinking', thinking: 'so', signature: BASE64 },
      { type: 'redacted_thinking', data: BASE64 },
    );

    expect(seen(request)).not.toContain(BASE64);
  });

  it('is protected as text if it is not base64', () => {
    const source = { type: 'url', url: 'https://example.org/a.png', data: 'words' };

    expect(seen(user({ type: 'image', source }))).toContain('words');
  });
});

it('a changed block keeps its members with symbols, such as the phase of a text', async () => {
  const text = { type: 'text', text: 'ann@example.org', [PHASE]: 'commentary' };
  const { message } = await protect({ model: 'm', messages: [{ role: 'assistant', content: [text] }] }, everything);

  expect(message.messages[0]!.content).toEqual([{ ...text, text: '[EMAIL_1]' }]);
});

it('the protection of a request copies nothing if nothing changes', () => {
  for (const feature of Object.values(features)) {
    const { request } = planted(feature);
    expect(new RequestTexts(request).with(new Map())).toBe(request);
  }
});

const partsOf = ({ messages, ...fields }: MessagesRequest): unknown[] => [...Object.values(fields), ...messages];

describe.each(Object.entries(features))('a request with one changed text of %s', (_, feature) => {
  it('differs only in this text, and shares everything else', () => {
    const { request } = planted(feature);
    const before = JSON.stringify(request);
    const found = new RequestTexts(request);
    const changeable = [...found.texts.entries()].filter(([, { kind }]) => kind === 'text' || kind === 'signed');

    for (const [index, { text }] of changeable) {
      const field = found.fieldOf(index);
      const changed = found.with(new Map([[index, 'changed']]));
      const again = new RequestTexts(changed);

      expect(again.texts.map((one) => one.text)).toEqual(
        found.texts.map((one, at) => (at === index ? 'changed' : one.text)),
      );
      expect(again.fieldOf(index)).toBe(field);
      expect(partsOf(changed).filter((part) => !partsOf(request).includes(part))).toHaveLength(1);
      expect(JSON.stringify(found.with(new Map([[index, text]])))).toBe(before);
    }
    expect(changeable.length).toBeGreaterThan(0);
    expect(JSON.stringify(request)).toBe(before);
  });
});

it("a text is named by the message of the client's request", () => {
  const messages = [
    { role: 'user' as const, content: 'a' },
    { role: 'assistant' as const, content: [{ type: 'text', text: 'b' }] },
  ];
  const found = new RequestTexts({ model: 'm', messages }, [0, 7]);

  const fields = found.texts.map((_text, index) => found.fieldOf(index));
  expect(fields.slice(0, 2)).toEqual(['messages.0.role', 'messages.0.content']);
  expect(fields.slice(2)).toEqual([
    'messages.7.role',
    'messages.7.content.0.type',
    'messages.7.content.0.text',
    'model',
  ]);
});
