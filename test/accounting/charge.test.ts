import { describe, expect, it } from 'vitest';
import { chargeForMeasured } from '../../lambdas/accounting/charge.ts';
import { UsageMeter } from '../../lambdas/accounting/meter.ts';
import type { UsageBound } from '../../lambdas/accounting/price.ts';
import type { MessagesEvent, WireUsage } from '../../lambdas/messages/types.ts';
import { rub } from '../support/spending.ts';
import { messageWith } from '../support/upstream.ts';

const pricing = { prompt: rub('0.001'), completion: rub('0.002') };
const bound: UsageBound = {
  promptTokens: 100,
  outputTokens: 50,
  cacheWrites: 'none',
  pricedImages: 0,
  searchRequests: 0,
};

const start = (usage: WireUsage): MessagesEvent => ({ type: 'message_start', message: messageWith(usage) });
const text = (bytes: number): MessagesEvent => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: 'x'.repeat(bytes) },
});
const end = (usage: WireUsage): MessagesEvent => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null },
  usage,
});

const split = (short: number, long: number) => ({
  ephemeral_5m_input_tokens: short,
  ephemeral_1h_input_tokens: long,
});

function meterOf(...events: MessagesEvent[]): UsageMeter {
  const meter = new UsageMeter({ estimatedInputTokens: 1_000, promptCountedAtStart: true });
  for (const event of events) meter.observe(event);
  return meter;
}

const chargedFor = (...events: MessagesEvent[]) =>
  chargeForMeasured(meterOf(...events), { pricing, bound }, 'usage', undefined);

describe('the charge of an answer', () => {
  it('is its usage at the prices of the endpoint', () => {
    const { cost, estimated, exceeded } = chargedFor(start({ input_tokens: 10 }), text(4), end({ output_tokens: 20 }));

    expect([cost.toString(), estimated, exceeded]).toEqual(['0.05', false, false]);
  });

  it('uses the price of answers with thinking also if the answer is cut before its usage', () => {
    const thinking = { type: 'thinking_delta', thinking: 'x'.repeat(40) } as const;
    const meter = meterOf(
      start({ input_tokens: 10 }),
      { type: 'content_block_delta', index: 0, delta: thinking },
      text(20),
    );
    const endpoint = { pricing: { ...pricing, thinking_completion: rub('0.006') }, bound };

    expect(chargeForMeasured(meter, endpoint, 'usage', undefined)).toMatchObject({
      usage: { outputTokens: 15, reasoningTokens: 10 },
      cost: rub('0.1'),
      estimated: true,
    });
  });

  it.each([
    ['no tokens of thinking', {}, 5],
    ['zero tokens of thinking', { output_tokens_details: { thinking_tokens: 0 } }, 5],
    ['its own tokens of thinking', { output_tokens_details: { thinking_tokens: 7 } }, 7],
  ])('has the price of answers with thinking if the provider reports %s next to thinking', (_what, more, tokens) => {
    const thinking = { type: 'thinking_delta', thinking: 'x'.repeat(20) } as const;
    const thought: MessagesEvent = { type: 'content_block_delta', index: 0, delta: thinking };
    const meter = meterOf(start({ input_tokens: 10 }), thought, text(4), end({ output_tokens: 20, ...more }));
    const endpoint = { pricing: { ...pricing, thinking_completion: rub('0.006') }, bound };

    expect(chargeForMeasured(meter, endpoint, 'usage', undefined)).toMatchObject({
      usage: { outputTokens: 20, reasoningTokens: tokens },
      cost: rub('0.13'),
      estimated: false,
    });
    expect(chargeForMeasured(meter, { pricing, bound }, 'usage', undefined).cost).toEqual(rub('0.05'));
  });

  it.each([
    ['does not report their tokens', { input_tokens: 30 }, 10, true],
    ['reports nothing', {}, 10, true],
    ['reports fewer tokens of the prompt', { input_tokens: 4 }, 4, true],
    ['reports their tokens', { input_tokens: 20, audio_input_tokens: 7 }, 7, false],
  ])('has the price of recordings if the provider %s', (_what, prompt, heard, estimated) => {
    const meter = new UsageMeter({ estimatedInputTokens: 30, promptCountedAtStart: false });
    for (const event of [text(4), end({ ...prompt, output_tokens: 5 })]) meter.observe(event);
    const endpoint = { pricing: { ...pricing, audio_input: rub('0.05') }, bound: { ...bound, recordingTokens: 10 } };

    const charged = chargeForMeasured(meter, endpoint, 'usage', undefined);

    expect(charged).toMatchObject({ usage: { audioInputTokens: heard }, estimated });
    const texts = charged.usage.inputTokens;
    expect(charged.cost).toEqual(rub('0.001').times(texts).plus(rub('0.05').times(heard)).plus(rub('0.01')));
  });

  it('is zero if nothing is to be charged, whatever the usage', () => {
    const meter = meterOf(start({ input_tokens: 10 }), text(4), end({ output_tokens: 20 }));

    expect(chargeForMeasured(meter, { pricing, bound }, 'nothing', undefined)).toMatchObject({
      usage: { inputTokens: 0, outputTokens: 0 },
      cost: rub('0'),
      exceeded: false,
    });
  });

  it.each([
    ['is an hour', 'requests only an hour', { cache_creation_input_tokens: 40 }, true, '0.16'],
    [
      'is an hour',
      'requests only an hour and the provider reports lifetimes of zero tokens',
      { cache_creation_input_tokens: 40, cache_creation: split(0, 0) },
      true,
      '0.16',
    ],
    [
      'is the reported one',
      'requests only an hour and the provider reports lifetimes',
      { cache_creation_input_tokens: 40, cache_creation: split(30, 10) },
      true,
      '0.1',
    ],
    ['is five minutes', 'requests both lifetimes', { cache_creation_input_tokens: 40 }, false, '0.08'],
  ])('has cache writes whose lifetime %s, if the request %s', (_lifetime, _case, usage, writesForAnHour, cost) => {
    const cached = { ...pricing, input_cache_write: rub('0.002'), input_cache_write_1h: rub('0.004') };
    const meter = meterOf(start({ input_tokens: 0, ...usage }), end({ output_tokens: 0 }));
    const hourly: UsageBound = { ...bound, cacheWrites: '1h', writesForAnHour };

    const charged = chargeForMeasured(meter, { pricing: cached, bound: hourly }, 'usage', undefined);

    expect(charged.cost.toString()).toBe(cost);
  });

  it('is cut to the bound and marked as exceeding it if the provider reports more', () => {
    const { usage, exceeded } = chargedFor(start({ input_tokens: 101 }), text(4), end({ output_tokens: 51 }));

    expect([usage.inputTokens, usage.outputTokens, exceeded]).toEqual([100, 50, true]);
  });

  it('is cut to the bound without a mark if the gateway counted the usage itself', () => {
    const { usage, estimated, exceeded } = chargedFor(text(4_000));

    expect([usage.inputTokens, usage.outputTokens, estimated, exceeded]).toEqual([100, 50, true, false]);
  });

  it('is marked as exceeding the bound also by an interim report of the provider', () => {
    const { usage, exceeded } = chargedFor(start({ input_tokens: 1 }), text(4), end({ output_tokens: 60 }), text(4));

    expect([usage.outputTokens, exceeded]).toEqual([50, true]);
  });

  it('includes hidden reasoning only if the ending charges for it', () => {
    const roomy = { pricing, bound: { ...bound, outputTokens: 1_000_000 } };
    const aMinuteAgoMs = performance.now() - 60_000;
    const outputAs = (charge: 'usage' | 'usage and hidden') =>
      chargeForMeasured(meterOf(), roomy, charge, aMinuteAgoMs).usage.outputTokens;

    expect(outputAs('usage')).toBe(0);
    expect(outputAs('usage and hidden')).toBeGreaterThan(1_000);
  });
});
