import { describe, expect, it } from 'vitest';
import {
  readReportedUsage,
  unpricedSigns,
  updated,
  type ReportedUsage,
} from '../../lambdas/accounting/reported-usage.ts';

describe('a usage that a provider reports', () => {
  it('is read field by field', () => {
    expect(
      readReportedUsage({
        input_tokens: 1,
        output_tokens: 2,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 9,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
        output_tokens_details: { thinking_tokens: 6 },
        server_tool_use: { web_search_requests: 7 },
      }),
    ).toEqual({
      inputTokens: 1,
      outputTokens: 2,
      cacheReadTokens: 3,
      cacheWriteTokens: 9,
      cacheWrite5mTokens: 4,
      cacheWrite1hTokens: 5,
      reasoningTokens: 6,
      searchRequests: 7,
    });
  });

  it('has no field for an invalid count, because unknown is not zero', () => {
    const odd = { input_tokens: 0, output_tokens: '5', cache_read_input_tokens: -1, cache_creation_input_tokens: 1.5 };

    expect(readReportedUsage(odd)).toEqual({ inputTokens: 0 });
  });

  it.each([undefined, null, 'x', 5, [1], { cache_creation: [], server_tool_use: 'x', output_tokens_details: null }])(
    'has no fields if the value is not a usage: %j',
    (usage) => {
      expect(readReportedUsage(usage)).toEqual({});
    },
  );

  it('is the sum of several iterations, with the counts that only the total has', () => {
    const iterations = [{ input_tokens: 100, output_tokens: 10 }, null, { input_tokens: 20, output_tokens: 30 }];

    expect(readReportedUsage({ input_tokens: 20, cache_read_input_tokens: 4, iterations })).toEqual({
      inputTokens: 120,
      outputTokens: 40,
      cacheReadTokens: 4,
    });
  });

  it('is the total if there is one iteration', () => {
    expect(readReportedUsage({ input_tokens: 20, iterations: [{ input_tokens: 7 }] })).toEqual({ inputTokens: 20 });
  });
});

describe('a usage updated by a later report', () => {
  it('never has less output', () => {
    const known = { inputTokens: 10, outputTokens: 5, reasoningTokens: 4, searchRequests: 2 };

    expect(updated(known, { inputTokens: 10, outputTokens: 3, reasoningTokens: 1, searchRequests: 0 })).toEqual(known);
  });

  it('takes the prompt of the later report, also if it is smaller', () => {
    expect(updated({ inputTokens: 169 }, { inputTokens: 79 })).toEqual({ inputTokens: 79 });
  });

  it.each([
    ['has less', 'larger', { inputTokens: 8_834 }, { cacheReadTokens: 8_831 }, 3],
    ['has no', 'equally large', { inputTokens: 8_829 }, { cacheReadTokens: 8_831 }, 0],
    ['keeps its', 'far smaller', { inputTokens: 12 }, { cacheReadTokens: 8_831 }, 12],
  ])(
    '%s input after a later report with only caches, if the input is %s (compared with the caches)',
    (_, _case, known, later, inputTokens) => {
      expect(updated(known, later)).toEqual({ inputTokens, cacheReadTokens: 8_831 });
    },
  );

  it('keeps its caches if only the input is reported and equals the whole prompt', () => {
    const known = { inputTokens: 12, cacheReadTokens: 100 };

    expect(updated(known, { inputTokens: 112 })).toEqual(known);
  });

  it.each<[string, ReportedUsage, ReportedUsage, ReportedUsage]>([
    [
      'only one of two caches',
      { inputTokens: 10, cacheReadTokens: 5_000, cacheWriteTokens: 500 },
      { inputTokens: 10, cacheReadTokens: 5_000 },
      { inputTokens: 10, cacheReadTokens: 5_000, cacheWriteTokens: 500 },
    ],
    [
      'zero caches, and the former caches as input',
      { inputTokens: 3, cacheReadTokens: 881 },
      { inputTokens: 880, cacheReadTokens: 0, cacheWriteTokens: 0 },
      { inputTokens: 880, cacheReadTokens: 0, cacheWriteTokens: 0 },
    ],
    [
      'no input next to its cache',
      { inputTokens: 5_000, cacheReadTokens: 100 },
      { inputTokens: 0, cacheReadTokens: 100 },
      { inputTokens: 5_000, cacheReadTokens: 100 },
    ],
    [
      'only an input, which is larger than the whole prompt',
      { inputTokens: 100, cacheReadTokens: 5_000 },
      { inputTokens: 12_000 },
      { inputTokens: 12_000, cacheReadTokens: 5_000 },
    ],
  ])('is right if the later report has %s', (_, known, later, expected) => {
    expect(updated(known, later)).toEqual(expected);
  });

  it('takes counts that were unknown before', () => {
    expect(updated({ inputTokens: 10 }, { outputTokens: 3, searchRequests: 1 })).toEqual({
      inputTokens: 10,
      outputTokens: 3,
      searchRequests: 1,
    });
  });

  it('takes a split of the prompt with the same total', () => {
    expect(updated({ inputTokens: 100 }, { inputTokens: 30, cacheReadTokens: 70 })).toEqual({
      inputTokens: 30,
      cacheReadTokens: 70,
    });
  });

  it('keeps all parts of its prompt if a later report omits some of them', () => {
    const known = { inputTokens: 30, cacheReadTokens: 70 };

    expect(updated(known, { inputTokens: 30, cacheReadTokens: 0, outputTokens: 1 })).toEqual({
      ...known,
      outputTokens: 1,
    });
  });
});

describe('a feature without a price in the catalog', () => {
  it.each([
    [{ service_tier: 'priority' }, ['service_tier']],
    [{ speed: 'fast' }, ['speed']],
    [{ inference_geo: 'us' }, ['inference_geo']],
    [{ server_tool_use: { web_fetch_requests: 0, code_execution_requests: 2 } }, ['server_tool_use']],
  ])('is found in %j', (usage, signs) => {
    expect(unpricedSigns(usage)).toEqual(signs);
  });

  it.each([
    { service_tier: 'standard', speed: 'standard', inference_geo: 'global' },
    { inference_geo: 'not_available', service_tier: null },
    { server_tool_use: { web_fetch_requests: 0 } },
    null,
    'x',
  ])('is not found in %j', (usage) => {
    expect(unpricedSigns(usage)).toEqual([]);
  });
});
