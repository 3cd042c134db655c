import { describe, expect, it } from 'vitest';
import { UsageMeter } from '../../lambdas/accounting/meter.ts';
import type { MessagesEvent, WireUsage } from '../../lambdas/messages/types.ts';
import { messageWith } from '../support/upstream.ts';

const start = (usage: WireUsage): MessagesEvent => ({ type: 'message_start', message: messageWith(usage) });
const text = (words: string): MessagesEvent => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: words },
});
const thinking = (words: string): MessagesEvent => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'thinking_delta', thinking: words },
});
const end = (usage: WireUsage): MessagesEvent => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null },
  usage,
});

function measure(...events: MessagesEvent[]) {
  const meter = new UsageMeter({ estimatedInputTokens: 1_000, promptCountedAtStart: true });
  for (const event of events) meter.observe(event);
  return meter.usage();
}

describe('the usage meter', () => {
  it('charges all cache writes of several rounds if only the first round reports their split', () => {
    const first = { cache_creation_input_tokens: 31_490, cache_creation: { ephemeral_5m_input_tokens: 31_490 } };
    const told = measure(
      start({ input_tokens: 10, output_tokens: 1, ...first }),
      end({ input_tokens: 10, output_tokens: 5, ...first, cache_creation_input_tokens: 184_457 }),
    );
    expect(told).toMatchObject({ usage: { inputTokens: 10, cacheWrite5mTokens: 184_457 } });
  });

  it('takes the last report of the prompt and the largest of the output, never a sum', () => {
    const told = measure(start({ input_tokens: 10, output_tokens: 1 }), end({ input_tokens: 12, output_tokens: 5 }));
    expect(told).toMatchObject({ usage: { inputTokens: 12, outputTokens: 5 }, estimated: false });
  });

  it('counts the written text if the provider reports no usage', () => {
    const cut = measure(start({ input_tokens: 10, output_tokens: 1 }), text('x'.repeat(40)));
    expect(cut).toMatchObject({ usage: { inputTokens: 10, outputTokens: 10 }, estimated: true });
  });

  it('counts Cyrillic text by its bytes', () => {
    expect(measure(text('я'.repeat(40))).usage.outputTokens).toBe(20);
  });

  it('does not take zeros at the start as the count of the prompt', () => {
    expect(measure(start({ input_tokens: 0, output_tokens: 0 }), text('x'))).toMatchObject({
      usage: { inputTokens: 1_000 },
      estimated: true,
    });
  });

  it('marks an answer without any usage as not counted', () => {
    expect(measure(text('x'.repeat(400)), end({}))).toMatchObject({ usage: { outputTokens: 100 }, estimated: true });
  });

  it.each([Infinity, -5, 10.5, '7', null, {}, [3], 2 ** 60])(
    'marks an output of %o as not counted, because unknown is not zero',
    (told) => {
      const answer = measure(text('x'.repeat(400)), end({ input_tokens: 10, output_tokens: told as number }));
      expect(answer).toMatchObject({ usage: { inputTokens: 10, outputTokens: 100 }, estimated: true });
    },
  );

  it.each([Infinity, -5, 10.5, '7', {}])('marks a prompt of %o as not counted', (told) => {
    const answer = measure(end({ input_tokens: told as number, output_tokens: 5 }));
    expect(answer).toMatchObject({ usage: { inputTokens: 1_000, outputTokens: 5 }, estimated: true });
  });

  it('ignores a report of zero tokens if text was written', () => {
    expect(measure(text('x'.repeat(400)), end({ input_tokens: 1, output_tokens: 0 }))).toMatchObject({
      usage: { outputTokens: 100 },
      estimated: true,
    });
  });

  it('never lowers the reported output, because usage is cumulative', () => {
    const { usage } = measure(end({ input_tokens: 1, output_tokens: 5_000 }), end({ output_tokens: 1 }));
    expect(usage.outputTokens).toBe(5_000);
  });

  it('does not take an early report as the total if more text follows', () => {
    const answer = measure(text('x'), end({ input_tokens: 1, output_tokens: 1 }), text('x'.repeat(4_000)));
    expect(answer).toMatchObject({ usage: { outputTokens: 1_001 }, estimated: true });
  });

  it('adds reported reasoning to the written text if the provider reports no output', () => {
    const usage = { input_tokens: 10, output_tokens_details: { thinking_tokens: 375 } };
    const told = measure(start({ input_tokens: 10 }), text('x'.repeat(40)), end(usage));

    expect(told).toMatchObject({ usage: { outputTokens: 385, reasoningTokens: 375 }, estimated: true });
  });

  it('counts visible thinking as reasoning if the provider reports no output', () => {
    const cut = measure(start({ input_tokens: 10, output_tokens: 1 }), thinking('x'.repeat(40)), text('x'.repeat(20)));
    expect(cut).toMatchObject({ usage: { outputTokens: 15, reasoningTokens: 10 }, estimated: true });
  });

  it('counts reasoning as a part of the output', () => {
    const { usage } = measure(
      end({ input_tokens: 1, output_tokens: 20, output_tokens_details: { thinking_tokens: 900 } }),
    );
    expect(usage.reasoningTokens).toBe(20);
  });

  it('counts a tool call by its name and its syntax before any argument arrives', () => {
    const meter = new UsageMeter({ estimatedInputTokens: 1, promptCountedAtStart: true });
    const block = { type: 'tool_use', id: 't', name: 'get_weather', input: {} };
    meter.observe({ type: 'content_block_start', index: 0, content_block: block });
    expect(meter).toMatchObject({ hasOutput: true, outputBytes: 64 + 'get_weather'.length });
  });

  it('counts deltas of unknown types, and bytes that the wire holds back', () => {
    const meter = new UsageMeter({ estimatedInputTokens: 1, promptCountedAtStart: true });
    const delta = { type: 'compaction_delta', content: 'x'.repeat(100) } as never;
    meter.observe({ type: 'content_block_delta', index: 0, delta });
    meter.holdBack(50);
    expect(meter.outputBytes).toBeGreaterThan(150);
  });

  it('records features without a price in the catalog', () => {
    const meter = new UsageMeter({ estimatedInputTokens: 1, promptCountedAtStart: true });
    meter.observe(
      end({ output_tokens: 1, speed: 'fast', service_tier: 'standard', server_tool_use: { web_fetch_requests: 2 } }),
    );
    expect([...meter.unpriced]).toEqual(['speed', 'server_tool_use']);
  });

  it('records features without a price also from the first event, in which Anthropic reports tier and region', () => {
    const meter = new UsageMeter({ estimatedInputTokens: 1, promptCountedAtStart: true });
    meter.observe(start({ input_tokens: 10, service_tier: 'priority', inference_geo: 'us' }));
    meter.observe(end({ output_tokens: 1 }));
    expect([...meter.unpriced]).toEqual(['service_tier', 'inference_geo']);
  });

  it('uses the split of cache writes if their total is 0', () => {
    const split = { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 60 };
    const { usage } = measure(
      start({ input_tokens: 1, cache_creation_input_tokens: 0, cache_creation: split }),
      end({ output_tokens: 1 }),
    );
    expect([usage.cacheWrite5mTokens, usage.cacheWrite1hTokens]).toEqual([40, 60]);
  });

  it('uses the total of cache writes if their split is smaller', () => {
    const split = { ephemeral_5m_input_tokens: 3_000, ephemeral_1h_input_tokens: 68 };
    const { usage } = measure(
      start({ input_tokens: 1, cache_creation_input_tokens: 3_068, cache_creation: split }),
      end({ cache_creation_input_tokens: 3_337, output_tokens: 1 }),
    );
    expect([usage.cacheWrite5mTokens, usage.cacheWrite1hTokens]).toEqual([3_269, 68]);
  });

  it('sums the iterations of an answer with a compaction', () => {
    const iterations = [
      { input_tokens: 100, output_tokens: 10 },
      { input_tokens: 20, output_tokens: 30 },
    ];
    expect(measure(end({ input_tokens: 20, output_tokens: 30, iterations })).usage).toMatchObject({
      inputTokens: 120,
      outputTokens: 40,
    });
  });

  it('sums the cache writes of each lifetime over iterations', () => {
    const iteration = { cache_creation_input_tokens: 10, cache_creation: { ephemeral_1h_input_tokens: 4 } };
    const { usage } = measure(end({ output_tokens: 1, iterations: [iteration, iteration] }));
    expect([usage.cacheWrite5mTokens, usage.cacheWrite1hTokens]).toEqual([12, 8]);
  });

  it.each([{ length: 3 }, [null, null], 'x', [{ output_tokens: 'y' }, {}]])('ignores iterations of %o', (odd) => {
    expect(measure(end({ input_tokens: 2, output_tokens: 3, iterations: odd as never })).usage).toMatchObject({
      inputTokens: 2,
      outputTokens: 3,
    });
  });
});

const spoken = (characters: number): MessagesEvent => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'audio_delta', data: 'A'.repeat(characters) },
});

describe('the usage meter of an answer with media', () => {
  const image: MessagesEvent = {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(2_000_000) } },
  };
  const before = start({ input_tokens: 10, output_tokens: 1 });

  it('counts an image by its usual tokens, not by its bytes', () => {
    expect(measure(before, image, image)).toMatchObject({
      usage: { outputTokens: 2_580, imageOutputTokens: 2_580 },
      estimated: true,
    });
  });

  it('counts speech by its duration, and the words of the transcript as text', () => {
    const word: MessagesEvent = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'transcript_delta', transcript: 'x'.repeat(40) },
    };
    expect(measure(before, spoken(32_000), word)).toMatchObject({
      usage: { outputTokens: 20, audioOutputTokens: 10 },
    });
  });

  it('takes the provider’s count of images and of speech', () => {
    const details = { image_tokens: 1_120, audio_tokens: 8 };
    const usage = { output_tokens: 1_200, output_tokens_details: details };
    expect(measure(before, image, spoken(32_000), end(usage))).toMatchObject({
      usage: { outputTokens: 1_200, imageOutputTokens: 1_120, audioOutputTokens: 8 },
      estimated: false,
    });
  });

  it('counts the speech of several rounds once, and each image', () => {
    const first = new UsageMeter({ estimatedInputTokens: 1_000, promptCountedAtStart: true });
    for (const event of [before, image, spoken(32_000), spoken(32_000)]) first.observe(event);
    const second = first.next(1_000);
    for (const event of [before, spoken(32_000), image]) second.observe(event);
    expect([first.mediaItems, second.mediaItems]).toEqual([2, 3]);
  });

  it('does not charge an image as text if the provider reports only a sum', () => {
    expect(measure(before, image, end({ output_tokens: 1_310 }))).toMatchObject({
      usage: { outputTokens: 1_310, imageOutputTokens: 1_290 },
    });
    expect(measure(before, image, end({ output_tokens: 1_000 }))).toMatchObject({
      usage: { outputTokens: 1_000, imageOutputTokens: 1_000 },
    });
  });
});
