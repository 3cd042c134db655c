import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import type { AnswerEvent, Block, MessagesEvent } from '../../lambdas/messages/types.ts';
import { withOriginals } from '../../lambdas/protection/restored-answer.ts';
import type { Sink } from '../../lambdas/platform/concurrency/sink.ts';
import { everything, prompt, protect } from '../support/protection.ts';
import { messageWith } from '../support/upstream.ts';

const originals = new Map([
  ['[EMAIL_1]', 'ann@example.org'],
  ['[EMAIL_12]', 'bob@example.org'],
  ['[CREDENTIAL_1]', 'a"b\\c\nd'],
]);

const start: MessagesEvent = { type: 'message_start', message: messageWith({ input_tokens: 1, output_tokens: 1 }) };
const ending: MessagesEvent[] = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: {} },
  { type: 'message_stop' },
];
const opened = (block: Block, index = 0): MessagesEvent => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
const grown = (delta: object, index = 0) => ({ type: 'content_block_delta', index, delta }) as MessagesEvent;
const closed = (index = 0): MessagesEvent => ({ type: 'content_block_stop', index });
const said = (text: string) => grown({ type: 'text_delta', text });

/** Returns the restored events of an answer. Each event is sent in its own batch. */
async function restored(events: (MessagesEvent | AnswerEvent)[], values = originals): Promise<AnswerEvent[]> {
  const sent = events.map((event): AnswerEvent => ('type' in event ? { data: event } : event));
  const got: AnswerEvent[] = [];
  const send = async (sink: Sink<AnswerEvent[]>) => {
    for (const event of sent) await sink([event]);
  };
  await withOriginals(values, send, (batch) => got.push(...batch) > 0);
  return got;
}

const textsOf = (events: AnswerEvent[]) =>
  events.flatMap(({ data }) => (data.type === 'content_block_delta' ? [Object.values(data.delta)[1] as string] : []));

const text = opened({ type: 'text', text: '' });

describe('a text with placeholders', () => {
  it.each([
    [['Hi [EMAIL_1]!'], ['Hi ann@example.org!']],
    [
      ['Hi [', 'EMA', 'IL_1', ']!'],
      ['Hi ', 'ann@example.org!'],
    ],
    [
      ['[EMAIL_1', '2]', '[EMAIL_1]'],
      ['bob@example.org', 'ann@example.org'],
    ],
    [
      ['a [1] [b', '] [EMAIL', ' ] [EMAIL_9]'],
      ['a [1] [b', '] ', '[EMAIL ] [EMAIL_9]'],
    ],
    [
      ['a [', 'b'],
      ['a ', '[b'],
    ],
    [['[EMAIL_1'], ['[EMAIL_1']],
    [['[[EMAIL_1]]'], ['[ann@example.org]']],
  ])('%j is restored as %j, and only a possible start of a placeholder is held back', async (pieces, expected) => {
    const events = await restored([text, ...pieces.map(said), closed()]);

    expect(textsOf(events)).toEqual(expected);
    expect(events.at(-1)!.data).toEqual(closed());
  });

  it('is unchanged without a placeholder, including its bytes', async () => {
    const sent = [start, text, said('Nothing [here] to restore'), closed(), ...ending].map((data) => ({
      data,
      raw: Buffer.from(JSON.stringify(data)),
    }));

    const events = await restored(sent);

    expect(events).toEqual(sent);
    for (const [index, event] of events.entries()) expect(event.raw).toBe(sent[index]!.raw);
  });

  it('is never sent with the bytes of the placeholder', async () => {
    const [, changed] = await restored([text, { data: said('[EMAIL_1]'), raw: Buffer.from('[EMAIL_1]') }]);

    expect(changed).toEqual({ data: said('ann@example.org') });
  });

  it('is sent completely before the end of an answer with open blocks', async () => {
    const events = await restored([text, said('so [EMAI'), ...ending]);

    expect(events.map(({ data }) => data.type)).toEqual([
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'message_delta',
      'message_stop',
    ]);
  });

  it('is sent completely before a failure', async () => {
    const failure = new Error('broken');
    const breaking = async (sink: Sink<AnswerEvent[]>) => {
      await sink([{ data: text }, { data: said('so [EMAI') }]);
      throw failure;
    };
    const got: AnswerEvent[] = [];

    await expect(withOriginals(originals, breaking, (batch) => got.push(...batch) > 0)).rejects.toBe(failure);

    expect(textsOf(got)).toEqual(['so ', '[EMAI']);
  });

  it('may be at the start of a block', async () => {
    const events = await restored([opened({ type: 'text', text: 'to [EMAIL_1] and [EM' }), said('AIL_12]'), closed()]);

    expect(events.map(({ data }) => data)).toEqual([
      opened({ type: 'text', text: 'to ann@example.org and ' }),
      said('bob@example.org'),
      closed(),
    ]);
  });
});

describe('another part of an answer with placeholders', () => {
  it('may be arguments of a call, with the value as JSON', async () => {
    const call = opened({ type: 'tool_use', id: 'a', name: 'b', input: {} });
    const pieces = ['{"to": "[CRED', 'ENTIAL_1]"}'].map((json) =>
      grown({ type: 'input_json_delta', partial_json: json }),
    );

    const events = await restored([start, call, ...pieces, closed(), ...ending]);

    expect(JSON.parse(textsOf(events).join(''))).toEqual({ to: 'a"b\\c\nd' });
  });

  it('may be a complete call', async () => {
    const input = { to: ['[EMAIL_1]'], '[EMAIL_12]': 1 };

    const [event] = await restored([opened({ type: 'tool_use', id: 'a', name: 'b', input })]);

    expect(event!.data).toMatchObject({ content_block: { input: { to: ['ann@example.org'], 'bob@example.org': 1 } } });
  });

  it('may be thinking, all of it before its signature, which is unchanged', async () => {
    const block = opened({ type: 'thinking', thinking: '', signature: '' });
    const signature = { data: grown({ type: 'signature_delta', signature: 'EqQB' }), raw: Buffer.from('signed') };

    const events = await restored([
      block,
      grown({ type: 'thinking_delta', thinking: 'to [EMAIL_1] [' }),
      signature,
      closed(),
    ]);

    expect(textsOf(events)).toEqual(['to ann@example.org ', '[', 'EqQB']);
    expect(events[3]).toBe(events.find(({ raw }) => raw === signature.raw));
  });

  it('may be a citation, or the stop sequence', async () => {
    const citation = { type: 'char_location', cited_text: 'of [EMAIL_1]', document_index: 0 };
    const delta = { stop_reason: 'stop_sequence', stop_sequence: '[EMAIL_12]' } as const;

    const events = await restored([
      text,
      grown({ type: 'citations_delta', citation }),
      { type: 'message_delta', delta, usage: {} },
    ]);

    expect(events[1]!.data).toMatchObject({
      delta: { citation: { cited_text: 'of ann@example.org', document_index: 0 } },
    });
    expect(events[2]!.data).toMatchObject({ delta: { stop_sequence: 'bob@example.org' } });
  });

  it('may be a result of a program of the provider', async () => {
    const block = { type: 'web_search_tool_result', content: [{ title: '[EMAIL_1]', encrypted_content: 'EqQB' }] };

    const [event] = await restored([opened(block)]);

    expect(event!.data).toMatchObject({
      content_block: { content: [{ title: 'ann@example.org', encrypted_content: 'EqQB' }] },
    });
  });
});

it('a model cannot make an answer grow without limit', async () => {
  const long = new Map([['[CREDENTIAL_1]', 'x'.repeat(1024 * 1024)]]);

  const events = await restored([text, ...Array.from({ length: 64 }, () => said('[CREDENTIAL_1]')), closed()], long);

  expect(textsOf(events).join('').length).toBeLessThan(20 * 1024 * 1024);
});

/** Parts of texts. Some of them only look like a placeholder. */
const words = fc.oneof(
  fc.constantFrom(
    'ann@example.org',
    'bob@example.com',
    '+7 916 204-18-33',
    '8 (903) 771-45-20',
    '4111 1111 1111 1111',
    'ИНН 7707083893',
    'паспорт 45 09 123458',
    '203.0.113.7',
    'sk-proj-T7mWq2ZxLb9KcR4vNy8HsD1pGf',
    'пароль: Zv7!kosmos_91',
    '[EMAIL_1]',
    '[EMAIL_',
    '[',
    ']',
    '[PHONE_1',
    '"',
    '\\',
    '\n',
    ', ',
    ' ',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const anyText = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(''));
/** Positions of cuts, in thousandths of a text's length. */
const anyCuts = fc.array(fc.nat(1_000), { maxLength: 8 });

function cut(whole: string, cuts: number[]): string[] {
  const places = [
    0,
    ...cuts.map((share) => Math.floor((share * whole.length) / 1_000)).toSorted((a, b) => a - b),
    whole.length,
  ];
  return places.slice(1).map((end, index) => whole.slice(places[index], end));
}

/** Returns a block of the restored answer, assembled as a client does. */
async function repeated(block: Block, deltas: object[], values: ReadonlyMap<string, string>): Promise<Block> {
  const assembler = new MessageAssembler();
  const events = [start, opened(block), ...deltas.map((delta) => grown(delta)), closed(), ...ending];
  for (const { data } of await restored(events, new Map(values))) assembler.add(data);
  return assembler.finish()!.content[0]!;
}

describe('text that a model repeats from a prompt', () => {
  it('is restored for the client, at any cuts', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyCuts, async (asked, cuts) => {
        const { message, originals: values = new Map() } = await protect(prompt(asked), everything);
        const seen = message.messages[0]!.content as string;
        const deltas = cut(seen, cuts).map((piece) => ({ type: 'text_delta', text: piece }));

        // If no value was replaced, there is nothing to restore.
        const block = values.size > 0 ? await repeated({ type: 'text', text: '' }, deltas, values) : { text: seen };

        expect(block['text']).toBe(asked);
      }),
      { numRuns: 300 },
    );
  });

  it('is restored in the arguments of a call', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyCuts, async (asked, cuts) => {
        const { message, originals: values } = await protect(prompt(asked), everything);
        fc.pre(values !== undefined);
        const json = JSON.stringify({ words: message.messages[0]!.content });
        const deltas = cut(json, cuts).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));

        const block = await repeated({ type: 'tool_use', id: 'a', name: 'b', input: {} }, deltas, values);

        expect(block['input']).toEqual({ words: asked });
      }),
      { numRuns: 200 },
    );
  });

  it('contains no protected value for the provider if the value is on its own', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (asked) => {
        const { message, originals: values = new Map<string, string>() } = await protect(prompt(asked), everything);
        const seen = message.messages[0]!.content as string;

        for (const value of values.values()) {
          const escaped = value.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
          // A value may remain next to a placeholder. In the original text, it was joined with the replaced value, so
          // it was not on its own.
          expect(seen).not.toMatch(new RegExp(String.raw`(?<![\p{L}\p{N}_\]])${escaped}(?![\p{L}\p{N}_[])`, 'u'));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('an answer with media', () => {
  it('keeps the bytes of images and speech, and restores the transcript', async () => {
    const image = opened({ type: 'image', source: { type: 'base64', data: 'AAAA' } });
    const events = [
      start,
      image,
      closed(),
      opened({ type: 'audio', id: 'audio_1', data: '', transcript: '' }, 1),
      grown({ type: 'transcript_delta', transcript: 'To [EMA' }, 1),
      grown({ type: 'audio_delta', data: 'AAAA' }, 1),
      grown({ type: 'transcript_delta', transcript: 'IL_1].' }, 1),
      closed(1),
      ...ending,
    ];
    const assembler = new MessageAssembler();
    for (const { data } of await restored(events)) assembler.add(data);

    expect(assembler.finish()!.content).toEqual([
      { type: 'image', source: { type: 'base64', data: 'AAAA' } },
      { type: 'audio', id: 'audio_1', data: 'AAAA', transcript: 'To ann@example.org.' },
    ]);
  });

  it('is requested with unchanged settings if a term of the dictionary is also a keyword of the API', async () => {
    const asked = prompt('An image', {
      modalities: ['image', 'text'],
      image_config: { image_size: '1K' },
      audio: { voice: 'image', format: 'pcm16' },
    });
    const settings = { ...everything, dictionary: [{ term: 'image', substitute: 'picture' }] };
    const { message } = await protect(asked, settings);

    expect(message).toEqual({ ...asked, messages: [{ role: 'user', content: 'An picture' }] });
  });
});
