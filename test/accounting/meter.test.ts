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

describe('the meter', () => {
  it('takes the largest value of each field, never the sum', () => {
    const told = measure(start({ input_tokens: 10, output_tokens: 1 }), end({ input_tokens: 12, output_tokens: 5 }));
    expect(told).toMatchObject({ usage: { inputTokens: 12, outputTokens: 5 }, estimated: false });
  });

  it('counts what was written when the provider never says', () => {
    const cut = measure(start({ input_tokens: 10, output_tokens: 1 }), text('x'.repeat(40)));
    expect(cut).toMatchObject({ usage: { inputTokens: 10, outputTokens: 10 }, estimated: true });
  });

  it('counts Cyrillic by its bytes', () => {
    expect(measure(text('я'.repeat(40))).usage.outputTokens).toBe(20);
  });

  it('does not take zeros at the start for the count of a prompt', () => {
    expect(measure(start({ input_tokens: 0, output_tokens: 0 }), text('x'))).toMatchObject({
      usage: { inputTokens: 1_000 },
      estimated: true,
    });
  });

  it('takes an answer without any usage as not counted', () => {
    expect(measure(text('x'.repeat(400)), end({}))).toMatchObject({ usage: { outputTokens: 100 }, estimated: true });
  });

  it('makes whole, sane counts of whatever a provider says', () => {
    const details = { thinking_tokens: 900 };
    const { usage } = measure(
      end({ input_tokens: 10.5, output_tokens: 20.2, cache_read_input_tokens: -4, output_tokens_details: details }),
    );
    expect(usage).toMatchObject({ inputTokens: 11, outputTokens: 21, cacheReadTokens: 0, reasoningTokens: 21 });
  });

  it('follows the total of cache writes where their split stays behind', () => {
    const split = { ephemeral_5m_input_tokens: 3_000, ephemeral_1h_input_tokens: 68 };
    const { usage } = measure(
      start({ input_tokens: 1, cache_creation_input_tokens: 3_068, cache_creation: split }),
      end({ cache_creation_input_tokens: 3_337, output_tokens: 1 }),
    );
    expect([usage.cacheWrite5mTokens, usage.cacheWrite1hTokens]).toEqual([3_269, 68]);
  });

  it('sums the iterations of an answer that was compacted on the way', () => {
    const iterations = [
      { input_tokens: 100, output_tokens: 10 },
      { input_tokens: 20, output_tokens: 30 },
    ];
    expect(measure(end({ input_tokens: 20, output_tokens: 30, iterations })).usage).toMatchObject({
      inputTokens: 120,
      outputTokens: 40,
    });
  });
});
