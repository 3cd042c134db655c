import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessagesEvent } from '../../lambdas/messages/types.ts';
import { complaintsAbout } from '../providers/well-formed.ts';
import { finalGeneration, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { repeated } from '../support/long-runs.ts';
import type { Listening } from '../support/listen.ts';
import { replayModel, startReplay, type Cut } from '../support/replay-upstream.ts';
import { readEvents } from '../support/sse.ts';
import { findInteractions, type Interaction } from './recorded/interactions.ts';
import { wireRows } from './recorded/rows.ts';
import { heard, type Said } from './recorded/said.ts';

/** Replays a sample of the recordings through the whole gateway. */
const MAX_STREAMS = repeated(8, { ofWhichAlways: 4 });
const MAX_SMALL = repeated(8, { ofWhichAlways: 4 });
const SMALL_BYTES = 8_000;
const sample = sampleOf(findInteractions(wireRows).interactions);

let directory: string;
let upstream: Listening;
let gateway: RunningGateway;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-replay-'));
  upstream = await startReplay(
    sample.map(({ wire, answer: { kind, bytes } }) => ({
      bytes,
      contentType: kind === 'stream' ? rowOf(wire).streamType : 'application/json',
    })),
  );
  writeCatalog(directory, upstream.url);
  gateway = await startGateway({ args: ['--catalog', directory] });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe.skipIf(sample.length === 0)('a recording, replayed through the whole gateway', () => {
  describe.each(wireRows.map(({ wire }) => wire))('of %s', (wire) => {
    const own = sample.filter((interaction) => interaction.wire === wire);
    it.each(own.map((interaction) => [interaction.name, interaction] as const))('%s, cut at random', (_, interaction) =>
      expectSameThroughGateway(interaction, 'random'),
    );

    const small = own.filter(({ answer }) => answer.kind === 'stream' && answer.bytes.length < SMALL_BYTES);
    it.each(small.slice(0, MAX_SMALL).map((interaction) => [interaction.name, interaction] as const))(
      '%s, byte by byte',
      (_, interaction) => expectSameThroughGateway(interaction, 'bytes'),
    );
  });
});

function rowOf(wire: Interaction['wire']) {
  return wireRows.find((row) => row.wire === wire)!;
}

/** Returns a sample that is spread over the recordings of each provider and wire. */
function sampleOf(interactions: Interaction[]): Interaction[] {
  const complete = interactions.filter(
    (interaction) =>
      interaction.answer.kind !== 'refusal' && rowOf(interaction.wire).read(interaction).stop !== undefined,
  );
  const groups = Map.groupBy(complete, ({ wire, provider, answer }) => `${wire} ${provider} ${answer.kind}`);
  return [...groups.values()].flatMap((group) => {
    const wanted = group[0]!.answer.kind === 'stream' ? MAX_STREAMS : 1;
    return group.filter((_, index) => index % Math.ceil(group.length / wanted) === 0);
  });
}

/**
 * Minimum number of repetitions. The prompt must be longer than the prompts of most recordings, whose counts may
 * include several rounds.
 */
const DEFAULT_REPEATS = 15_000;

/** Returns a long prompt: the gateway does not accept a usage that exceeds the prompt that was sent. */
function promptOf({ usage }: Said): string {
  const tokens = usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0;
  return 'Go on. '.repeat(Math.max(DEFAULT_REPEATS, tokens / 6));
}

async function expectSameThroughGateway(interaction: Interaction, cut: Cut): Promise<void> {
  const model = `replay/${replayModel(sample.indexOf(interaction), cut)}`;
  const row = rowOf(interaction.wire);
  const recorded = row.read(interaction);
  const request = { model, stream: true, max_tokens: 100_000, messages: [said(promptOf(recorded))] };
  const response = await post(gateway, '/messages', request);
  expect(response.status).toBe(200);
  const events = await readEvents(response);
  const start = events[0] as Extract<MessagesEvent, { type: 'message_start' }>;
  expect(start.message).toMatchObject({ id: response.headers.get('x-generation-id'), model });
  expect(complaintsAbout(events)).toEqual([]);
  if (interaction.name.includes('spliced-message-start')) {
    // No client should run half of a call, so the gateway ends the answer.
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    return;
  }
  const { usage, ...words } = recorded;
  // The gateway reports the charged sum of several iterations, but the provider's own total covers only the last.
  expect(heard(events)).toMatchObject(usage && !hasIterations(events) ? { ...words, usage } : words);
  const isStream = interaction.answer.kind === 'stream';
  if (row.keepsEvents && isStream) expect(unnamed(events)).toEqual(unnamed(row.keepsEvents(interaction)));
  await expectProvenCost(events, start.message.id, interaction);
}

async function expectProvenCost(events: MessagesEvent[], id: string, { wire }: Interaction): Promise<void> {
  const generation = await finalGeneration(gateway, id);
  const ending = events.findLast((event) => event.type === 'message_delta')!;
  expect(generation['total_cost']).toBe(ending.usage['cost']);
  // If Anthropic refuses before any output, it reports tokens, but usually does not charge them.
  const hasOutput = events.some(({ type }) => type === 'content_block_delta');
  const isFree = wire === 'anthropic' && ending.delta.stop_reason === 'refusal' && !hasOutput;
  expect(generation['tokens_completion']).toBe(ending.usage.output_tokens);
  expect(ending.usage.output_tokens).toBe(isFree ? 0 : billedOutput(ending.usage));
}

function hasIterations(events: MessagesEvent[]): boolean {
  const ending = events.findLast((event) => event.type === 'message_delta');
  return (ending?.usage.iterations?.length ?? 0) > 1;
}

/**
 * Returns the billed output tokens. With compaction or an advisor, the answer's own usage covers only its last
 * iteration.
 */
function billedOutput({
  iterations,
  output_tokens: output,
}: {
  iterations?: unknown;
  output_tokens?: unknown;
}): unknown {
  const all = (iterations ?? []) as { output_tokens: number }[];
  return all.length < 2 ? output : all.reduce((sum, { output_tokens: own }) => sum + own, 0);
}

/** Removes values that the gateway rewrites, and adds counts that it adds. */
function unnamed(events: MessagesEvent[]): unknown[] {
  const noCaches = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  return events.map((event) => {
    if (event.type === 'message_start') {
      const { message } = event;
      return { ...event, message: { ...message, id: '', model: '', usage: { ...noCaches, ...message.usage } } };
    }
    if (event.type !== 'message_delta') return event;
    // Searches by the provider are not charged, and their number is not passed on.
    const { cost: _, input_tokens: __, server_tool_use: ___, output_tokens, ...usage } = event.usage;
    // With several iterations, the gateway reports the charged total.
    const output = (usage.iterations?.length ?? 0) > 1 ? {} : { output_tokens };
    return { ...event, usage: { ...noCaches, ...usage, ...output } };
  });
}

function writeCatalog(target: string, url: string): void {
  const policy = { logs_prompts: false, trains_on_prompts: false };
  mkdirSync(join(target, 'models'));
  const providers = wireRows.map(({ wire }) => ({
    id: `replay-${wire}`,
    name: 'Replay',
    wire,
    base_url: url,
    data_policy: policy,
  }));
  writeFileSync(join(target, 'providers.json'), JSON.stringify({ providers }));
  const models = sample.flatMap(({ wire }, index) =>
    (['random', 'bytes'] as const).map((cut) => ({
      id: `replay/${replayModel(index, cut)}`,
      permaslug: `replay/${replayModel(index, cut)}`,
      name: `Recording ${index}`,
      created: '2026-11-20',
      context_length: 1_000_000,
      input_modalities: ['text'],
      output_modalities: ['text'],
      endpoints: [
        {
          id: `replay/${replayModel(index, cut)}`,
          provider: `replay-${wire}`,
          upstream_model: replayModel(index, cut),
          max_output_tokens: 200_000,
          pricing: { prompt: '0.000123', completion: '0.000456', input_cache_read: '0.000012' },
        },
      ],
    })),
  );
  writeFileSync(join(target, 'models', 'replay.json'), JSON.stringify({ models }));
}
