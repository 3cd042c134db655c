/** Pitfalls that are mainly tested end to end, with the sandbox on each wire. */

import { expect, vi } from 'vitest';
import { AnswerStream, type WriteAnswer } from '../../../lambdas/http/answer-stream.ts';
import { messagesForm } from '../../../lambdas/api/messages/answer-form.ts';
import { writeEvents } from '../../../lambdas/api/parts/answer-writer.ts';
import type { MessageBody } from '../../../lambdas/messages/types.ts';
import { UpstreamError } from '../../../lambdas/providers/http/upstream-error.ts';
import { complaintsAbout } from '../../providers/well-formed.ts';
import { heard } from '../recorded/said.ts';
import { ask, chatDelta, chatStream, decoded, eventsFor, sandboxWires, type Pitfall } from './pitfall.ts';

/** Smallest `max_tokens` in these tests. Some providers refuse a smaller number. */
const MIN_LIMIT = 16;
const openaiChat = (wire: string) => wire === 'openai-chat';

export const journeyPitfalls: Pitfall[] = [
  {
    number: 1,
    title: 'parallel calls have a block and an id each, and a call without an id and a name is ignored',
    wires: sandboxWires,
    holds: async (wire, gateway) => {
      const events = await eventsFor(gateway, wire, 'tools=2');
      const starts = events.filter((event) => event.type === 'content_block_start');
      const ids = starts.map(({ content_block: block }) => block['id']).filter((id) => id !== undefined);
      expect(new Set(ids).size).toBe(2);
      expect(heard(events).tools.map(({ name }) => name)).toEqual(['get_weather', 'get_time']);
      if (!openaiChat(wire)) return;
      const phantom = chatDelta({ tool_calls: [{ index: 1, function: { arguments: '' } }] });
      const real = chatDelta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'one', arguments: '{}' } }] });
      const said = heard(await decoded(wire, [chatStream(real, phantom, chatDelta({}, 'tool_calls'))]));
      expect(said.tools).toEqual([{ name: 'one', input: {} }]);
    },
  },
  {
    number: 2,
    title: 'a block is closed before the next begins, from thinking to text to calls',
    wires: sandboxWires,
    holds: async (wire, gateway) => {
      const events = await eventsFor(gateway, wire, 'think tools=2');
      expect(complaintsAbout(events)).toEqual([]);
      const blocks = events.filter(({ type }) => type === 'content_block_start' || type === 'content_block_stop');
      expect(blocks.map(({ type }) => type)).toEqual(
        blocks.map((_, index) => (index % 2 === 0 ? 'content_block_start' : 'content_block_stop')),
      );
    },
  },
  {
    number: 4,
    title: 'a call without arguments has the input {}, whatever its provider sends for them',
    wires: sandboxWires,
    holds: async (wire, gateway) => {
      const { content } = (await (await ask(gateway, wire, 'tools=2')).json()) as MessageBody;
      expect(content.at(-1)).toMatchObject({ type: 'tool_use', name: 'get_time', input: {} });
      if (!openaiChat(wire)) return;
      for (const nothing of [{}, { arguments: '' }, { arguments: null }, { arguments: 'null' }, { arguments: '{}' }]) {
        const called = chatDelta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'one', ...nothing } }] });
        const said = heard(await decoded(wire, [chatStream(called, chatDelta({}, 'tool_calls'))]));
        expect(said.tools).toEqual([{ name: 'one', input: {} }]);
      }
    },
  },
  {
    number: 11,
    title: 'an answer with calls ends with tool_use, even if the provider reports an ordinary stop',
    wires: sandboxWires,
    holds: async (wire, gateway) => {
      expect(heard(await eventsFor(gateway, wire, 'tool')).stop).toBe('tool_use');
      if (!openaiChat(wire)) return;
      const called = chatDelta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'one', arguments: '{}' } }] });
      expect(heard(await decoded(wire, [chatStream(called, chatDelta({}, 'stop'))])).stop).toBe('tool_use');
    },
  },
  {
    number: 12,
    title: 'a refusal ends with the stop reason refusal, and keeps its text',
    wires: sandboxWires,
    holds: async (wire, gateway) => {
      const said = heard(await eventsFor(gateway, wire, 'refuse'));
      expect(said.stop).toBe('refusal');
      expect(said.text).toMatch(/refuse/);
      if (!openaiChat(wire)) return;
      const refused = chatStream(chatDelta({ refusal: 'I will not.' }), chatDelta({}, 'stop'));
      expect(heard(await decoded(wire, [refused]))).toMatchObject({ stop: 'refusal', text: 'I will not.' });
    },
  },
  {
    number: 15,
    title: 'a probe for one token is answered, and not refused for being too small',
    wires: sandboxWires,
    holds: async (wire, gateway) => {
      const response = await ask(gateway, wire, 'tokens=50', { max_tokens: 1 });
      expect(response.status).toBe(200);
      const { stop_reason: reason, usage } = (await response.json()) as MessageBody;
      expect(reason).toBe('max_tokens');
      expect(usage.output_tokens).toBeLessThanOrEqual(MIN_LIMIT);
    },
  },
  {
    number: 18,
    title: 'tokens from a cache are counted once',
    wires: sandboxWires,
    holds: async (wire, gateway) => {
      const said = 'Count me. '.repeat(100);
      const ofPrompt = async (directives: string) => {
        const messages = [{ role: 'user', content: `${said}\n@sandbox delay=0 ${directives}` }];
        return heard(await eventsFor(gateway, wire, '', { messages })).usage!;
      };
      const [plain, cached] = [await ofPrompt('cached=000'), await ofPrompt('cached=100')];
      expect(cached.cacheRead).toBe(100);
      expect(cached.input + cached.cacheRead).toBe(plain.input);
    },
  },
  {
    number: 20,
    title: 'a silent answer has pings, and they do not hide that its provider has failed',
    // One wire is enough: the code that sends events to clients is the same for all wires.
    wires: ['anthropic'],
    holds: async () => {
      vi.useFakeTimers();
      try {
        const { promise, reject } = Promise.withResolvers<never>();
        const writer = messagesForm.writer({ requestId: 'req_1', generationId: 'gen-1', model: 'm' });
        const write: WriteAnswer = (sink) => writeEvents(() => promise, writer, sink);
        const chunks = new AnswerStream(write, messagesForm.whenSilent)[Symbol.asyncIterator]();
        const first = chunks.next();
        await vi.advanceTimersByTimeAsync(messagesForm.whenSilent.afterMs);
        expect(String((await first).value)).toContain('event: ping');
        const second = chunks.next();
        reject(new UpstreamError('broken', 'The provider is gone'));
        expect(String((await second).value)).toContain('event: error');
        expect((await chunks.next()).done).toBe(true);
      } finally {
        vi.useRealTimers();
      }
    },
  },
  {
    number: 22,
    title: 'an error has the envelope of the Messages API, and with status 400 the message of the provider',
    wires: sandboxWires,
    holds: async (wire, gateway) => {
      const kinds = { 400: 'invalid_request_error', 429: 'rate_limit_error', 529: 'overloaded_error' };
      for (const [status, type] of Object.entries(kinds)) {
        const response = await ask(gateway, wire, `error=${status}`);
        expect(response.status).toBe(Number(status));
        const message = status === '400' ? /asked to answer with status 400/ : /./;
        expect(await response.json()).toMatchObject({
          type: 'error',
          error: { type, message: expect.stringMatching(message) as string },
        });
      }
      const inside = await eventsFor(gateway, wire, 'fail');
      expect(inside.at(-1)).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
    },
  },
];
