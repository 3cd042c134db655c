import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessagesEvent } from '../../lambdas/messages/types.ts';
import { finalGeneration, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { eventData, findRecordings, readChatRecording, type Recording } from '../support/recordings.ts';
import type { Listening } from '../support/listen.ts';
import { startReplay, type Cut } from '../support/replay-upstream.ts';
import { readEvents, summarise } from '../support/sse.ts';

/** Real streams of real providers, played back through the whole gateway. */
const recordings = findRecordings();
/** Streams that a recording tool has cut off: they have no end. */
const isComplete = ({ sse, wire }: Recording) =>
  wire === 'anthropic' ? sse.includes('message_stop') : readChatRecording(sse).finish !== undefined;
const complete = recordings.filter(isComplete);
const SMALL_BYTES = 8_000;

let directory: string;
let upstream: Listening;
let gateway: RunningGateway;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-replay-'));
  upstream = await startReplay(complete.map(({ sse }) => sse));
  writeCatalog(directory, upstream.url);
  gateway = await startGateway({ args: ['--catalog', directory] });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe.skipIf(recordings.length === 0)('recorded streams', () => {
  it('are of Anthropic and of at least eight chat-completions providers', () => {
    const chat = new Set(complete.filter(({ wire }) => wire === 'openai-chat').map(({ provider }) => provider));
    expect(chat.size).toBeGreaterThanOrEqual(8);
    expect(complete.filter(({ wire }) => wire === 'anthropic').length).toBeGreaterThan(20);
  });

  describe.each(['openai-chat', 'anthropic'] as const)('of %s', (wire) => {
    const own = complete.filter((recording) => recording.wire === wire);
    const check = wire === 'anthropic' ? expectSameEvents : expectSameMeaning;

    it.each(own.map((recording) => [recording.name, recording] as const))(
      '%s, cut at random',
      async (_name, recording) => {
        check(await replay(recording, 'random'), recording);
      },
    );

    const small = own.filter(({ sse }) => sse.length < SMALL_BYTES).slice(0, 8);
    it.each(small.map((recording) => [recording.name, recording] as const))(
      '%s, byte by byte',
      async (_name, recording) => {
        check(await replay(recording, 'bytes'), recording);
      },
    );
  });
});

/** As large as any prompt that the recordings were answers to: a provider is not believed to have read more than it was sent. */
const PROMPT = 'Go on. '.repeat(15_000);

async function replay(recording: Recording, cut: Cut): Promise<MessagesEvent[]> {
  const model = `replay/r${complete.indexOf(recording)}-${cut}`;
  const response = await post(gateway, '/messages', {
    model,
    stream: true,
    max_tokens: 100_000,
    messages: [said(PROMPT)],
  });
  expect(response.status).toBe(200);
  const events = await readEvents(response);
  const start = events[0] as Extract<MessagesEvent, { type: 'message_start' }>;
  expect(start.message).toMatchObject({ id: response.headers.get('x-generation-id'), model });
  if (events.at(-1)?.type === 'message_stop') {
    const generation = await finalGeneration(gateway, start.message.id);
    const { usage } = summarise(events);
    expect(generation['total_cost']).toBe(usage['cost']);
    // Anthropic does not charge for a refusal that came before any output, although it tells its tokens.
    const isFree = recording.wire === 'anthropic' && isRefusalWithoutOutput(events);
    expect(generation['tokens_completion']).toBe(isFree ? 0 : billedOutput(usage));
  }
  return events;
}

function isRefusalWithoutOutput(events: MessagesEvent[]): boolean {
  return summarise(events).stopReason === 'refusal' && !events.some(({ type }) => type === 'content_block_delta');
}

/** With compaction or an advisor, the answer's own usage is only that of its last iteration. */
function billedOutput(usage: Record<string, unknown>): number {
  const iterations = (usage['iterations'] ?? []) as { output_tokens: number }[];
  if (iterations.length < 2) return usage['output_tokens'] as number;
  return iterations.reduce((sum, { output_tokens }) => sum + output_tokens, 0);
}

/** Some recordings hold several answers of one conversation: only the first is the answer to this request. */
function firstAnswer(list: Record<string, unknown>[]): Record<string, unknown>[] {
  return list.slice(0, list.findIndex(({ type }) => type === 'message_stop') + 1);
}

/** A pass-through keeps every event as it is, but for the name and the price of the answer. */
function expectSameEvents(events: MessagesEvent[], recording: Recording): void {
  if (beginsAnewInCall(eventData(recording.sse))) {
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    return;
  }
  expect(unnamed(events as unknown as Record<string, unknown>[])).toEqual(
    unnamed(firstAnswer(eventData(recording.sse))),
  );
}

/** A second beginning while a call is open: half a call is not for anybody to run, so the answer ends there. */
function beginsAnewInCall(list: Record<string, unknown>[]): boolean {
  const again = list.findIndex(({ type }, index) => type === 'message_start' && index > 0);
  const before = list
    .slice(0, again)
    .findLast(({ type }) => type === 'content_block_start' || type === 'content_block_stop');
  return again > 0 && before?.['type'] === 'content_block_start';
}

/** Events without what the gateway rewrites; a repeated message_start is left out, as clients can only take one. */
function unnamed(list: Record<string, unknown>[]): Record<string, unknown>[] {
  let started = false;
  return list.flatMap((event) => {
    if (event['type'] === 'message_start') {
      if (started) return [];
      started = true;
      return [{ ...event, message: { ...(event['message'] as object), id: '', model: '' } }];
    }
    if (event['type'] !== 'message_delta') return [event];
    const { cost: _, input_tokens: __, ...usage } = (event['usage'] ?? {}) as Record<string, unknown>;
    return [{ ...event, usage }];
  });
}

/** A translation says the same: text, reasoning, tool calls, the reason to stop, and the usage. */
function expectSameMeaning(events: MessagesEvent[], recording: Recording): void {
  const said = readChatRecording(recording.sse);
  const heard = summarise(events);
  expect(heard.text).toBe(said.text);
  expect(heard.thinking).toBe(said.thinking);
  expect(heard.tools).toEqual(said.tools);
  expect(heard.stopReason).toBe(expectedStop(said.finish, said.tools.length));
  expectContiguousBlocks(events);
  if (!said.usage) return;
  const usage = said.usage as { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  const {
    input_tokens,
    output_tokens,
    cache_read_input_tokens = 0,
    cache_creation_input_tokens = 0,
  } = heard.usage as Record<string, number>;
  expect(input_tokens! + cache_read_input_tokens + cache_creation_input_tokens).toBe(usage.prompt_tokens);
  expect([usage.completion_tokens, usage.total_tokens - usage.prompt_tokens]).toContain(output_tokens);
}

function expectedStop(finish: string | undefined, tools: number): string {
  if (finish === 'length') return 'max_tokens';
  return tools > 0 ? 'tool_use' : 'end_turn';
}

/** One block at a time, with indices that count up from 0. */
function expectContiguousBlocks(events: MessagesEvent[]): void {
  let open: number | undefined;
  let next = 0;
  for (const event of events) {
    if (event.type === 'content_block_start') {
      expect([open, event.index]).toEqual([undefined, next]);
      open = next;
      next += 1;
    } else if (event.type === 'content_block_delta') expect(event.index).toBe(open);
    else if (event.type === 'content_block_stop') {
      expect(event.index).toBe(open);
      open = undefined;
    }
  }
  expect(open).toBeUndefined();
}

function writeCatalog(target: string, url: string): void {
  const policy = { logs_prompts: false, trains_on_prompts: false };
  mkdirSync(join(target, 'models'));
  writeFileSync(
    join(target, 'providers.json'),
    JSON.stringify({
      providers: [
        { id: 'replay-anthropic', name: 'Replay', wire: 'anthropic', base_url: url, data_policy: policy },
        { id: 'replay-openai-chat', name: 'Replay', wire: 'openai-chat', base_url: url, data_policy: policy },
      ],
    }),
  );
  const models = complete.flatMap(({ wire }, index) =>
    (['random', 'bytes'] as const).map((cut) => ({
      id: `replay/r${index}-${cut}`,
      permaslug: `replay/r${index}-${cut}`,
      name: `Recording ${index}`,
      created: '2026-11-20',
      context_length: 1_000_000,
      input_modalities: ['text'],
      output_modalities: ['text'],
      endpoints: [
        {
          id: `replay/r${index}-${cut}`,
          provider: `replay-${wire}`,
          upstream_model: `${index}.${cut}`,
          max_output_tokens: 200_000,
          pricing: { prompt: '0.000123', completion: '0.000456', input_cache_read: '0.000012' },
        },
      ],
    })),
  );
  writeFileSync(join(target, 'models', 'replay.json'), JSON.stringify({ models }));
}
