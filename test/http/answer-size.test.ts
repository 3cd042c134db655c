import { describe, expect, it } from 'vitest';
import { exceedsLambda } from '../../lambdas/http/answer-size.ts';

/** Lambda refuses answers of more bytes, which includes what is around the body. */
const LAMBDA_BYTES = 6_291_556;
const answerOf = (body: string) => JSON.stringify({ statusCode: 200, headers: { 'request-id': 'req_1' }, body });

/** A day's row with ids of usual length. */
const row = {
  date: '2026-11-19 00:00:00',
  model: 'anthropic/claude-sonnet-5',
  model_permaslug: 'anthropic/claude-sonnet-5-20260930',
  endpoint_id: 'anthropic/claude-sonnet-5/amazon-bedrock',
  provider_name: 'Amazon Bedrock',
  usage: 123.456789,
  requests: 12_345,
  prompt_tokens: 123_456_789,
  completion_tokens: 12_345_678,
  reasoning_tokens: 1_234_567,
  workspace_id: '01a201fa-043b-7642-a803-38892b72759b',
};

describe('the size of an answer', () => {
  it.each([1, 1_000, 10_000, 12_000, 14_000, 15_000, 16_000])('of %i rows is that of what Lambda gets', (count) => {
    const body = JSON.stringify({ data: Array.from({ length: count }, () => row) });
    const bytes = Buffer.byteLength(answerOf(body));
    if (!exceedsLambda(body)) expect(bytes).toBeLessThan(LAMBDA_BYTES);
    else expect(bytes).toBeGreaterThan(LAMBDA_BYTES * 0.99);
  });

  it('counts characters of several bytes, and what is escaped', () => {
    expect(exceedsLambda('я'.repeat(3_000_000))).toBe(false);
    expect(exceedsLambda('я'.repeat(3_200_000))).toBe(true);
    expect(exceedsLambda('"'.repeat(3_000_000))).toBe(false);
    expect(exceedsLambda('"'.repeat(3_200_000))).toBe(true);
  });
});
