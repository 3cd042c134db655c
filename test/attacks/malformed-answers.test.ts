/** Events that violate their wire are accepted, or are failures of the provider, but never of the gateway. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, dialects, type WireName } from '../support/dialects.ts';
import {
  expectBrokenOff,
  startHostileGateway,
  type Aftermath,
  type Attack,
  type HostileGateway,
} from '../support/hostile-gateway.ts';
import { entriesIn } from '../support/long-runs.ts';
import { frameHead, frameOf, packFrame } from '../support/event-stream.ts';
import type { Behavior } from '../support/hostile-upstream.ts';

let hostile: HostileGateway;
beforeAll(async () => {
  hostile = await startHostileGateway();
});
afterAll(() => hostile.stop());

const attack = (wire: WireName, behavior: Behavior, more: Partial<Attack> = {}): Promise<Aftermath> =>
  hostile.attack({ wire, behavior, ...more });

/** After this pause in ms, the gateway reads the next output separately from the earlier output. */
const READ_BY_ITSELF_MS = 20;

/** A stream of exactly this text, which then ends normally. */
const streamOf =
  (...texts: string[]): Behavior =>
  async ({ begin, send, finish }) => {
    await begin();
    for (const text of texts) {
      await send(text);
      await sleep(READ_BY_ITSELF_MS);
    }
    await finish();
  };

const WORDS = 'Twelve bytes';
const delta = (json: string) => `{"choices":[{"index":0,"delta":${json}}]}`;
const asText = (frame: Buffer) => frame.toString('latin1');
const bedrockDelta = (json: string) => `{"contentBlockIndex":0,"delta":${json}}`;
const blockDelta = (json: string) => `{"type":"content_block_delta","index":0,"delta":${json}}`;

const unreadable: [WireName, string][] = [
  ['anthropic', '{"type":"content_block_start","index":1}'],
  ['anthropic', '{"type":"content_block_start","index":1,"content_block":null}'],
  ['anthropic', '{"type":"content_block_start","index":1,"content_block":"text"}'],
  ['anthropic', '{"type":"content_block_start","content_block":{"type":"text","text":""}}'],
  ['anthropic', '{"type":"content_block_delta","index":0}'],
  ['anthropic', blockDelta('null')],
  ['anthropic', blockDelta('5')],
  ['anthropic', blockDelta('{"type":"text_delta"}')],
  ['anthropic', blockDelta('{"type":"text_delta","text":{"length":9}}')],
  ['anthropic', '{"type":"message_delta","usage":{"output_tokens":5}}'],
  ['anthropic', '{"type":"message_delta","delta":null,"usage":{"output_tokens":5}}'],
  ['anthropic', '{"type":"error"}'],
  ['anthropic', '{"type":"error","error":null}'],
  ['anthropic', '{"type":"error","error":"broken"}'],
  ['openai-chat', 'null'],
  ['openai-chat', '5'],
  ['openai-chat', '"text"'],
  ['openai-chat', '[]'],
  ['openai-chat', '{"choices":{}}'],
  ['openai-chat', '{"choices":"text"}'],
  ['openai-chat', '{"choices":[null]}'],
  ['openai-chat', '{"choices":[{"delta":5}]}'],
  ['openai-chat', '{"choices":[{"delta":{},"finish_reason":5}]}'],
  ['openai-chat', delta('{"content":5}')],
  ['openai-chat', delta('{"content":{}}')],
  ['openai-chat', delta('{"content":[null]}')],
  ['openai-chat', delta('{"content":[{"type":"text","text":5}]}')],
  ['openai-chat', delta('{"content":[{"type":"thinking","thinking":5}]}')],
  ['openai-chat', delta('{"content":[{"type":"thinking","thinking":[null]}]}')],
  ['openai-chat', delta('{"reasoning":{}}')],
  ['openai-chat', delta('{"reasoning_content":5}')],
  ['openai-chat', delta('{"refusal":5}')],
  ['openai-chat', delta('{"tool_calls":{}}')],
  ['openai-chat', delta('{"tool_calls":7}')],
  ['openai-chat', delta('{"tool_calls":[null]}')],
  ['openai-chat', delta('{"tool_calls":[{"index":0,"id":5,"function":{"name":5}}]}')],
  ['openai-chat', delta('{"tool_calls":[{"index":0,"id":"a","function":"f"}]}')],
  ['bedrock-converse', 'null'],
  ['bedrock-converse', '5'],
  ['bedrock-converse', '"text"'],
  ['bedrock-converse', '[]'],
  ['bedrock-converse', '{"contentBlockIndex":'],
  ['bedrock-converse', bedrockDelta('5')],
  ['bedrock-converse', bedrockDelta('[]')],
  ['bedrock-converse', bedrockDelta('{"text":5}')],
  ['bedrock-converse', bedrockDelta('{"text":{"length":9}}')],
  ['bedrock-converse', bedrockDelta('{"reasoningContent":"text"}')],
  ['bedrock-converse', bedrockDelta('{"reasoningContent":{"text":{}}}')],
  ['bedrock-converse', bedrockDelta('{"reasoningContent":{"signature":7}}')],
  ['bedrock-converse', bedrockDelta('{"toolUse":[]}')],
  ['bedrock-converse', bedrockDelta('{"toolUse":{"input":{}}}')],
  ['bedrock-converse', bedrockDelta('{"citation":"x"}')],
  ['bedrock-converse', '{"__type":"internalServerException","message":{"a":1}}'],
  ['bedrock-converse', '{"__type":"Exception"}'],
];

/** Events that are invalid at the beginning, or that are never an answer. */
const noBeginning: [WireName, string, string][] = [
  ['anthropic', 'a start without its message', dialects.anthropic.event('{"type":"message_start"}')],
  ['anthropic', 'a start with a null message', dialects.anthropic.event('{"type":"message_start","message":null}')],
  ['anthropic', 'text without a start', dialects.anthropic.text(WORDS)],
  ['anthropic', 'the reason to stop without a start', dialects.anthropic.reason()],
  ['anthropic', 'its end', dialects.anthropic.stop],
  ['anthropic', 'a ping and no more', dialects.anthropic.event('{"type":"ping"}')],
  ['anthropic', 'an unknown event', dialects.anthropic.event('{"type":"weather","sun":true}')],
  [
    'anthropic',
    'its events in reverse',
    answer(dialects.anthropic, WORDS)
      .split(/(?<=\n\n)/)
      .toReversed()
      .join(''),
  ],
  ['openai-chat', 'its end', dialects['openai-chat'].stop],
  [
    'openai-chat',
    'its events in reverse',
    answer(dialects['openai-chat'], WORDS)
      .split(/(?<=\n\n)/)
      .toReversed()
      .join(''),
  ],
  ['openai-chat', 'an event that is not JSON', dialects['openai-chat'].event('{"choices":')],
  ['bedrock-converse', 'an invalid frame', 'data: {"text":"Hello"}\n\n'],
  ['bedrock-converse', 'a frame that is shorter than its head', asText(frameHead(15))],
  ['bedrock-converse', 'a frame that is larger than any may be', asText(frameHead(16 * 1_024 * 1_024 + 1))],
  ['bedrock-converse', 'a frame of the maximum declared length', asText(frameHead(2 ** 32 - 1))],
  ['bedrock-converse', 'a damaged frame', dialects['bedrock-converse'].text('one').replace('one', 'two')],
  ['bedrock-converse', 'headers beyond their frame', asText(frameOf(Buffer.from('x'), Buffer.from('{}'), 2 ** 31))],
  ['bedrock-converse', 'unknown headers', asText(frameOf(Buffer.from([1, 0x61, 99, 0, 0]), Buffer.from('{}')))],
  [
    'bedrock-converse',
    'a header without its value',
    asText(frameOf(Buffer.from([1, 0x61, 7, 0xff]), Buffer.from('{}'))),
  ],
  ['bedrock-converse', 'empty frames', dialects['bedrock-converse'].blank.repeat(100)],
  ['bedrock-converse', 'an unknown event', dialects['bedrock-converse'].unknown],
];

const beginnings: [WireName, string, string][] = [
  ...noBeginning,
  ...unreadable.map(([wire, json]): [WireName, string, string] => [wire, json, dialects[wire].event(json)]),
];

describe('an answer that begins with', () => {
  it.concurrent.each(entriesIn(beginnings, { ofWhichAlways: 30 }))(
    '(%s) %s is a failure of its provider, and free of charge',
    async (wire, _what, text) => {
      const { status, cost } = await attack(wire, streamOf(text));
      expect([status, cost.toString()]).toEqual([502, '0']);
    },
  );

  it.concurrent.each(entriesIn(beginnings, { ofWhichAlways: 30 }))(
    '(%s) %s is answered by the next endpoint',
    async (wire, _what, text) => {
      const { status, text: words } = await attack(wire, streamOf(text), { fallback: true, stream: true });
      expect([status, words]).toEqual([200, 'All is well.']);
    },
  );
});

describe('an answer with an event that is', () => {
  it.concurrent.each(entriesIn(unreadable, { ofWhichAlways: 25 }))(
    "(%s) %s is a failure, with the provider's usage charged",
    async (wire, json) => {
      const { event, opening, text } = dialects[wire];
      const broken = await attack(wire, streamOf(opening() + text(WORDS), event(json)));
      expectBrokenOff(broken, wire);
    },
  );

  it.concurrent.each(entriesIn(unreadable, { ofWhichAlways: 25 }))(
    '(%s) %s is reported within the stream',
    async (wire, json) => {
      const { event, opening, text } = dialects[wire];
      const behavior = streamOf(opening() + text(WORDS), event(json));
      const { status, text: words, error, events, generation } = await attack(wire, behavior, { stream: true });
      expect([status, words, error?.code]).toEqual([200, WORDS, 502]);
      expect(generation['estimated']).toBe(true);
      expect(Number(generation['tokens_completion'])).toBeGreaterThanOrEqual(3);
      expect(events.at(-1)!.type).toBe('error');
    },
  );
});

const { event, opening, text, reason, stop } = dialects.anthropic;
const blockStart = (index: number, block = '{"type":"text","text":""}') =>
  event(`{"type":"content_block_start","index":${index},"content_block":${block}}`);
const chat = dialects['openai-chat'];
const bedrock = dialects['bedrock-converse'];
const bedrockEvent = (name: string, json: string) => asText(packFrame(name, json));
const bedrockCall = (index: string, call: string) =>
  bedrockEvent('contentBlockStart', `{"contentBlockIndex":${index},"start":{"toolUse":${call}}}`);
const callInput = (index: string, json: string) =>
  bedrock.event(`{"contentBlockIndex":${index},"delta":{"toolUse":{"input":${JSON.stringify(json)}}}}`);
/** Contradictory or incomplete answers may be accepted or refused, but must obey the rules for every answer. */
const odd: [WireName, string, string][] = [
  ['anthropic', 'a second start', opening() + opening() + text(WORDS) + reason() + stop],
  ['anthropic', 'a second start without its message', opening() + event('{"type":"message_start"}') + reason() + stop],
  ['anthropic', 'a ping before its start', event('{"type":"ping"}') + opening() + text(WORDS) + reason() + stop],
  ['anthropic', 'no reason to stop', opening() + text(WORDS) + stop],
  [
    'anthropic',
    'a reason to stop that is a number',
    (opening() + text(WORDS) + reason() + stop).replace('"end_turn"', '7'),
  ],
  ['anthropic', 'two blocks of one index', opening() + text('a') + blockStart(0) + text('b') + reason() + stop],
  [
    'anthropic',
    'text for a block that never began',
    opening() + text(WORDS).replace('"index":0', '"index":9') + reason() + stop,
  ],
  ['anthropic', 'two open blocks', opening() + blockStart(1) + text('a') + reason() + stop],
  ['anthropic', 'an index beyond all', opening() + blockStart(4_294_967_296) + blockStart(-1) + reason() + stop],
  ['anthropic', 'usage that is text', opening('"much"') + text(WORDS) + reason('"more"') + stop],
  ['anthropic', 'usage that is a list', opening('[1,2]') + text(WORDS) + reason('[[]]') + stop],
  ['anthropic', 'usage that is null', opening('null') + text(WORDS) + reason('null') + stop],
  [
    'anthropic',
    'iterations that are no list',
    opening() + text(WORDS) + reason('{"output_tokens":5,"iterations":{"length":3}}') + stop,
  ],
  [
    'anthropic',
    'iterations of nothing',
    opening() + text(WORDS) + reason('{"output_tokens":5,"iterations":[null,null]}') + stop,
  ],
  [
    'anthropic',
    'iterations at the start',
    opening('{"input_tokens":9,"iterations":[null,null]}') + text(WORDS) + reason() + stop,
  ],
  [
    'anthropic',
    'iterations of text',
    opening() + text(WORDS) + reason('{"output_tokens":5,"iterations":"many"}') + stop,
  ],
  [
    'anthropic',
    'names of the prototype',
    opening('{"__proto__":{"input_tokens":7},"constructor":9}') + text(WORDS) + reason() + stop,
  ],
  [
    'anthropic',
    'a torn tool call',
    opening() +
      blockStart(1, '{"type":"tool_use","id":"t","name":"f","input":{}}') +
      event('{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\\"a\\":"}}') +
      reason() +
      stop,
  ],
  ['anthropic', 'a tool call without a name', opening() + blockStart(1, '{"type":"tool_use"}') + reason() + stop],
  [
    'anthropic',
    'content that is there from the start',
    (opening() + reason() + stop).replace('"content":[]', '"content":"x"'),
  ],
  ['openai-chat', 'usage that is text', chat.opening() + chat.text(WORDS) + chat.reason('"much"') + chat.stop],
  ['openai-chat', 'usage that is a list', chat.opening() + chat.text(WORDS) + chat.reason('[[]]') + chat.stop],
  [
    'openai-chat',
    'usage with text as its details',
    chat.text(WORDS) + chat.reason('{"prompt_tokens_details":"x","completion_tokens_details":5}') + chat.stop,
  ],
  [
    'openai-chat',
    'a torn tool call',
    chat.event(delta('{"tool_calls":[{"index":0,"id":"t","function":{"name":"f","arguments":"{\\"a\\":"}}]}')) +
      chat.reason() +
      chat.stop,
  ],
  [
    'openai-chat',
    'tool calls without a start',
    chat.event(delta('{"tool_calls":[{"index":9,"function":{"arguments":"{}"}}]}')) + chat.reason() + chat.stop,
  ],
  [
    'openai-chat',
    'arguments that are a number',
    chat.event(delta('{"tool_calls":[{"index":0,"id":"t","function":{"name":"f","arguments":7}}]}')) +
      chat.reason() +
      chat.stop,
  ],
  [
    'openai-chat',
    'an index beyond all',
    chat.event(delta('{"tool_calls":[{"index":1e300,"id":"t","function":{"name":"f","arguments":"{}"}}]}')) +
      chat.reason() +
      chat.stop,
  ],
  ['openai-chat', 'an error that is true', chat.text(WORDS) + chat.event('{"error":true}')],
  ['openai-chat', 'an error that is a number', chat.text(WORDS) + chat.event('{"error":7}')],
  [
    'openai-chat',
    'an error with an object as its message',
    chat.text(WORDS) + chat.event('{"error":{"message":{"a":1},"type":{},"code":[]}}'),
  ],
  [
    'anthropic',
    'an error with an object as its message',
    opening() + text(WORDS) + event('{"type":"error","error":{"type":5,"message":{"a":1}}}'),
  ],
  ['openai-chat', 'the end before its reason', chat.text(WORDS) + chat.stop],
  [
    'bedrock-converse',
    'a second start',
    bedrock.opening() + bedrock.opening() + bedrock.text(WORDS) + bedrock.reason(),
  ],
  ['bedrock-converse', 'no start', bedrock.text(WORDS) + bedrock.reason()],
  ['bedrock-converse', 'its reason first', bedrock.reason() + bedrock.opening() + bedrock.text(WORDS)],
  ['bedrock-converse', 'no reason to stop', bedrock.opening() + bedrock.text(WORDS) + bedrock.report('{}')],
  [
    'bedrock-converse',
    'a reason to stop that is a number',
    bedrock.opening() + bedrock.text(WORDS) + bedrockEvent('messageStop', '{"stopReason":7}'),
  ],
  ['bedrock-converse', 'usage that is text', bedrock.opening() + bedrock.text(WORDS) + bedrock.reason('"much"')],
  ['bedrock-converse', 'usage that is a list', bedrock.opening() + bedrock.text(WORDS) + bedrock.reason('[[]]')],
  ['bedrock-converse', 'usage that is null', bedrock.opening() + bedrock.text(WORDS) + bedrock.reason('null')],
  [
    'bedrock-converse',
    'invalid details of caches',
    bedrock.opening() + bedrock.text(WORDS) + bedrock.reason('{"inputTokens":10,"cacheDetails":[null,7]}'),
  ],
  [
    'bedrock-converse',
    'names of the prototype',
    bedrock.text(WORDS) + bedrock.reason('{"__proto__":{"inputTokens":7},"constructor":9}'),
  ],
  [
    'bedrock-converse',
    'a torn tool call',
    bedrockCall('0', '{"toolUseId":"t","name":"f"}') + callInput('0', '{"a":') + bedrock.reason(),
  ],
  ['bedrock-converse', 'a tool call without a name', bedrockCall('0', '{"toolUseId":"t"}') + bedrock.reason()],
  ['bedrock-converse', 'tool calls without a start', callInput('9', '{}') + bedrock.reason()],
  [
    'bedrock-converse',
    'an index beyond all',
    bedrockCall('1e300', '{"toolUseId":"t","name":"f"}') + callInput('1e300', '{}') + bedrock.reason(),
  ],
  ['bedrock-converse', 'a block that never began and ends', bedrockEvent('contentBlockStop', '{}') + bedrock.reason()],
  ['bedrock-converse', 'an answer without a word', bedrock.opening() + bedrock.reason()],
  ['openai-chat', 'an answer without a word', chat.opening() + chat.reason() + chat.stop],
];

describe('an answer with', () => {
  it.concurrent.each(odd)(
    '(%s) %s is an answer or a failure, but never a fault of the gateway',
    async (wire, _what, stream) => {
      const [whole, streamed] = await Promise.all([
        attack(wire, streamOf(stream)),
        attack(wire, streamOf(stream), { stream: true }),
      ]);
      for (const { status } of [whole, streamed]) expect([200, 502]).toContain(status);
      // An unreadable number must not make an answer free.
      if (whole.text !== '') expect(whole.cost.isZero).toBe(false);
    },
  );

  it.concurrent('an unreadable event, of a provider that signs thinking, is never a fault of the gateway', async () => {
    const early = streamOf(event('{"type":"content_block_delta","index":0}'));
    expect((await attack('anthropic', early, { signing: true })).status).toBe(502);
    const late = streamOf(opening(), event(blockDelta('{"type":"signature_delta","signature":{}}')), reason() + stop);
    expect([200, 502]).toContain((await attack('anthropic', late, { signing: true })).status);
  });
});

it('a stop reason of a megabyte does not prevent settlements', async () => {
  const endless = (opening() + text(WORDS) + reason() + stop).replace('end_turn', 'x'.repeat(1_000_000));
  const [huge, usual] = await Promise.all([
    attack('anthropic', streamOf(endless)),
    attack('anthropic', streamOf(answer(dialects.anthropic, WORDS))),
  ]);
  expect([200, 502]).toContain(huge.status);
  expect(usual.status).toBe(200);
});

it('malformed answers leave the gateway and other clients unharmed', () => hostile.expectUnharmed());
