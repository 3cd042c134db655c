/** Pitfalls in answers, as providers were observed to send them. */

import { expect } from 'vitest';
import { complaintsAbout } from '../../providers/well-formed.ts';
import { heard } from '../recorded/said.ts';
import { chatDelta, chatStream, decoded, textStreamsOf, textWires, translatedWires, type Pitfall } from './pitfall.ts';

const piece = (named: object, more: object = {}) => chatDelta({ tool_calls: [{ function: named, ...more }] });
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const ended = chatDelta({}, 'tool_calls');

/** Returns the content of a stream, after checking its events. */
async function saidBy(...chunks: object[]) {
  const events = await decoded('openai-chat', [chatStream(...chunks)]);
  expect(complaintsAbout(events)).toEqual([]);
  return heard(events);
}

export const answerPitfalls: Pitfall[] = [
  {
    number: 3,
    title: 'calls without an index, or all at index 0, stay apart',
    wires: ['openai-chat'],
    holds: async () => {
      for (const index of [{}, { index: 0 }]) {
        const one = piece({ name: 'one', arguments: '{"a":1}' }, { id: 'c1', ...index });
        const two = piece({ name: 'two', arguments: '{"b":2}' }, { id: 'c2', ...index });
        const { tools } = await saidBy(one, two, ended);
        expect(tools).toEqual([
          { name: 'one', input: { a: 1 } },
          { name: 'two', input: { b: 2 } },
        ]);
      }
    },
  },
  {
    number: 13,
    title: 'usage is read wherever it comes: after the end, in every chunk, or with the reason to stop',
    wires: ['openai-chat'],
    holds: async () => {
      const stop = chatDelta({}, 'stop');
      const words = chatDelta({ content: 'Hi' });
      const streams = [
        [words, stop, { choices: [], usage }],
        [
          { ...words, usage: { ...usage, completion_tokens: 1, total_tokens: 11 } },
          { ...stop, usage },
        ],
        [words, { ...stop, x_groq: { usage } }],
      ];
      for (const chunks of streams) {
        const said = await saidBy(...chunks);
        expect(said.usage).toEqual({ input: 10, output: 5, cacheRead: 0, cacheWrite: 0 });
      }
    },
  },
  {
    number: 14,
    title: 'an answer ends with one message_delta and then message_stop, with usage and without',
    wires: textWires.filter((wire) => translatedWires.includes(wire)),
    holds: async (wire) => {
      for (const sent of textStreamsOf(wire)) {
        const types = (await decoded(wire, [sent])).map(({ type }) => type);
        expect(types.slice(-2)).toEqual(['message_delta', 'message_stop']);
        expect(types.filter((type) => type === 'message_delta')).toHaveLength(1);
      }
    },
  },
  {
    number: 21,
    title: 'letters of two bytes and more survive when they are cut in the middle',
    wires: textWires,
    holds: async (wire) => {
      const spoken = textStreamsOf(wire).filter((sent) => Buffer.byteLength(sent) > sent.length);
      expect(spoken).not.toEqual([]);
      for (const sent of spoken) {
        const bytes = Array.from(Buffer.from(sent), (byte) => Buffer.of(byte));
        const [cut, whole] = [heard(await decoded(wire, bytes)), heard(await decoded(wire, [sent]))];
        expect(cut).toEqual(whole);
        expect(JSON.stringify(cut)).not.toContain('\ufffd');
      }
    },
  },
];
