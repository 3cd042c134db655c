import { expect } from 'vitest';
import { factsOf } from '../../../lambdas/catalog/wires.ts';
import type { Block, Message } from '../../../lambdas/messages/types.ts';
import { pdf, pixel } from '../clients/client.ts';
import { blocksOf, bodyOf, everyWire, quirksOf, sentAs, tools, translatedWires, type Pitfall } from './pitfall.ts';

const image: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } };
const call = (id: string, name = 'get_time'): Block => ({ type: 'tool_use', id, name, input: {} });
const result = (id: string, content: unknown): Block => ({ type: 'tool_result', tool_use_id: id, content });
const user = (...content: Block[]): Message => ({ role: 'user', content });
const assistant = (...content: Block[]): Message => ({ role: 'assistant', content });
const text = (words: string): Block => ({ type: 'text', text: words });
const asked = user(text('Look'));
/** A tool call and the user's next message. */
const loop = (id: string, ...said: Block[]): Message[] => [asked, assistant(call(id)), user(...said)];
const document = (source: object): Block => ({ type: 'document', title: 'Facts', source });
const thinking = (signature: string): Block => ({ type: 'thinking', thinking: 'a secret thought', signature });

export const requestPitfalls: Pitfall[] = [
  {
    number: 5,
    title: 'an image in a tool result reaches the model, in the result or after it',
    wires: translatedWires,
    holds: (wire) => {
      const said = blocksOf(
        sentAs(wire, { messages: loop('call_1', result('call_1', [text('a dot'), image])), tools }).messages,
      );
      const answer = said.findIndex(({ type }) => type === 'tool_result');
      expect(answer).toBeGreaterThan(-1);
      expect(JSON.stringify(said[answer])).toContain('a dot');
      expect(JSON.stringify(said.slice(answer))).toContain(pixel);
    },
  },
  {
    number: 6,
    title: 'all results stand directly behind their calls, whatever else the user says',
    wires: translatedWires,
    holds: (wire) => {
      const messages = [
        asked,
        assistant(call('call_1', 'get_weather'), call('call_2')),
        { role: 'system' as const, content: 'Be brief.' },
        user(text('Now tell me.'), result('call_2', 'noon'), result('call_1', 'sunny')),
      ];
      const said = blocksOf(sentAs(wire, { messages, tools }).messages);
      const lastCall = said.findLastIndex(({ type }) => type === 'tool_use');
      expect(said.slice(lastCall + 1, lastCall + 3).map(({ type }) => type)).toEqual(['tool_result', 'tool_result']);
      const ids = (type: string, field: string) =>
        said.filter((block) => block['type'] === type).map((block) => block[field]);
      expect(new Set(ids('tool_result', 'tool_use_id'))).toEqual(new Set(ids('tool_use', 'id')));
      expect(JSON.stringify(said.slice(lastCall + 3))).toContain('Now tell me.');
    },
  },
  {
    number: 7,
    title: 'a document reaches the model, or the refusal names its field',
    wires: everyWire,
    holds: (wire) => {
      const data = 'Water is wet.';
      const plain = document({ type: 'text', media_type: 'text/plain', data });
      // Converse accepts a document without citations only as bytes.
      const expected = wire === 'bedrock-converse' ? Buffer.from(data).toString('base64') : data;
      expect(JSON.stringify(bodyOf(wire, { messages: [user(plain)] }))).toContain(expected);
      const asPdf = {
        messages: [user(document({ type: 'base64', media_type: 'application/pdf', data: pdf }), text('?'))],
      };
      const takesFiles = factsOf(wire).messages!.carries(quirksOf(wire)).includes('file');
      if (takesFiles) expect(JSON.stringify(bodyOf(wire, asPdf))).toContain(pdf);
      else expect(() => bodyOf(wire, asPdf)).toThrow(/source\.type/);
    },
  },
  {
    number: 8,
    title: 'earlier thinking goes back in a tool loop only if the provider requires it',
    wires: ['openai-chat'],
    holds: (wire) => {
      const own = thinking('gw1.openai-chat');
      const messages = [asked, assistant(own, call('call_1')), user(result('call_1', 'noon'))];
      expect(
        bodyOf(wire, { messages, tools }, { reasoning_history: 'reasoning_content' } as object)['messages'],
      ).toContainEqual(expect.objectContaining({ role: 'assistant', reasoning_content: 'a secret thought' }));
      expect(JSON.stringify(bodyOf(wire, { messages, tools }))).not.toContain('a secret thought');
    },
  },
  {
    number: 9,
    title: 'thinking that another family signed is left out, with its signature',
    wires: everyWire,
    holds: (wire) => {
      const foreign = wire === 'anthropic' ? 'gw1.somebody' : 'EqQBCkYIARgCKkBh';
      const messages = [asked, assistant(thinking(foreign), text('Well.')), user(text('And?'))];
      const sent = JSON.stringify(bodyOf(wire, { messages }));
      expect(sent).toContain('Well.');
      expect(sent).not.toContain('a secret thought');
      expect(sent).not.toContain(foreign);
    },
  },
  {
    number: 10,
    title: 'a call goes back to Gemini with a signature of its thought',
    wires: ['google-gemini'],
    holds: (wire) => {
      const quirks: object = { thought_signature_placeholder: true };
      const sent = bodyOf(wire, { messages: loop('call_1', result('call_1', 'noon')), tools }, quirks);
      const parts = (sent['contents'] as { parts: Record<string, unknown>[] }[]).flatMap((content) => content.parts);
      expect(parts.find(({ functionCall }) => functionCall)).toHaveProperty('thoughtSignature');
    },
  },
  {
    number: 15,
    title: 'the limit of the answer is sent under the name that the provider reads',
    wires: ['openai-chat'],
    holds: (wire) => {
      expect(bodyOf(wire, { max_tokens: 1 })).toMatchObject({ max_tokens: 1 });
      const renamed = bodyOf(wire, { max_tokens: 1 }, { max_tokens_field: 'max_completion_tokens' } as object);
      expect(renamed).toMatchObject({ max_completion_tokens: 1 });
      expect(renamed).not.toHaveProperty('max_tokens');
    },
  },
  {
    number: 16,
    title: 'a schema with unusual keywords keeps its properties, and is not declared strict',
    wires: everyWire,
    holds: (wire) => {
      const schema = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          kind: { const: 'city' },
          size: { type: 'integer', exclusiveMinimum: 0 },
          place: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
        required: ['kind'],
        additionalProperties: false,
      };
      const said = sentAs(wire, { tools: [{ name: 'find', description: 'Finds', input_schema: schema }] });
      const [tool] = said['tools'] as { strict?: boolean; input_schema: { properties: object } }[];
      expect(Object.keys(tool!.input_schema.properties)).toEqual(['kind', 'size', 'place']);
      expect(tool!.strict).not.toBe(true);
    },
  },
  {
    number: 17,
    title: 'an id that the provider would refuse is replaced by a valid id, the same in the call and in its result',
    wires: everyWire,
    holds: (wire) => {
      const id = `functions.get_time:0|${'x'.repeat(80)}`;
      const said = blocksOf(sentAs(wire, { messages: loop(id, result(id, 'noon')), tools }).messages);
      const made = said.find(({ type }) => type === 'tool_use')!['id'];
      expect(said.find(({ type }) => type === 'tool_result')!['tool_use_id']).toBe(made);
      expect(made).toMatch(/^[\w-]{1,64}$/);
    },
  },
  {
    number: 19,
    title: 'marks of caching stay with Anthropic, and never reach a provider that does not know them',
    wires: everyWire,
    holds: (wire) => {
      const cache_control = { type: 'ephemeral' };
      const marked = { ...text('Long.'), cache_control };
      const request = { system: [marked], messages: [user(marked)], tools: [{ ...tools[1]!, cache_control }] };
      const marks = JSON.stringify(bodyOf(wire, request)).split('"cache_control"').length - 1;
      expect(marks).toBe(wire === 'anthropic' ? 3 : 0);
    },
  },
  {
    number: 23,
    title: 'an empty text is left out, and the blocks next to it are kept',
    wires: translatedWires,
    holds: (wire) => {
      const messages = [
        user(text(''), text('Hi')),
        assistant(text(''), call('call_1')),
        user(result('call_1', ''), text('')),
      ];
      const said = blocksOf(sentAs(wire, { system: [text('')], messages, tools }).messages);
      expect(said.filter((block) => block['type'] === 'text').map((block) => block['text'])).toEqual(['Hi']);
      expect(said.map(({ type }) => type)).toEqual(['text', 'tool_use', 'tool_result']);
    },
  },
  {
    number: 24,
    title: 'a system message in the middle of a conversation is not lost',
    wires: everyWire,
    holds: (wire) => {
      const messages: Message[] = [
        { role: 'user', content: 'One' },
        { role: 'assistant', content: 'Two' },
        { role: 'system', content: 'Speak like a pirate.' },
        { role: 'user', content: 'Three' },
      ];
      const sent = JSON.stringify(bodyOf(wire, { system: 'Be kind.', messages }));
      for (const words of ['Be kind.', 'One', 'Two', 'Speak like a pirate.', 'Three']) expect(sent).toContain(words);
    },
  },
  {
    number: 25,
    title: 'a tool choice keeps its meaning, and without tools it is refused or has no effect',
    wires: translatedWires,
    holds: (wire) => {
      for (const tool_choice of [{ type: 'any' }, { type: 'tool', name: 'get_time' }] as const) {
        expect(sentAs(wire, { tools, tool_choice })).toMatchObject({ tool_choice });
      }
      // A request may omit a tool choice that is the provider's default, and tools that must not be called.
      const free = sentAs(wire, { tools, tool_choice: { type: 'auto' } });
      const freeChoice = free['tool_choice'] ?? { type: 'auto' };
      expect(freeChoice).toEqual({ type: 'auto' });
      const none = sentAs(wire, { tools, tool_choice: { type: 'none' } });
      const choice = (none['tools'] === undefined ? { type: 'none' } : none['tool_choice']) as object;
      expect(choice).toEqual({ type: 'none' });
      expect(sentAs(wire, { tool_choice: { type: 'auto' } })).not.toHaveProperty('tool_choice');
      expect(() => bodyOf(wire, { tool_choice: { type: 'any' } })).toThrow(/tool_choice/);
    },
  },
];
