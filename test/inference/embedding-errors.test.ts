import { afterEach, describe, expect, it } from 'vitest';
import { AttemptLog } from '../../lambdas/inference/attempt-log.ts';
import type { BatchOffer } from '../../lambdas/inference/batch/offers.ts';
import { answerEach } from '../../lambdas/inference/batch/rounds.ts';
import { ProviderTime } from '../../lambdas/platform/provider-time.ts';
import type { EmbeddingTask } from '../../lambdas/providers/embeddings/codec.ts';
import { embeddingEngines } from '../../lambdas/providers/embeddings/engines.ts';
import { candidateAt } from '../support/candidate.ts';
import { stopUpstreams, upstream } from '../support/direct-upstream.ts';

afterEach(stopUpstreams);

const task: EmbeddingTask = { inputs: ['Hi'], encoding: 'float', dimensions: undefined, inputType: undefined };
const vectors = { data: [{ index: 0, embedding: [0.5, 0.5] }], usage: { prompt_tokens: 1, total_tokens: 1 } };

async function offerOf(index: number, body: unknown): Promise<BatchOffer<EmbeddingTask, Float32Array[]> & object> {
  const { url } = await upstream((response) => response.end(JSON.stringify(body)));
  const candidate = { ...candidateAt(url), engine: embeddingEngines['openai-embeddings'] };
  return {
    index,
    candidate,
    bounds: [],
    input: { inputTokens: 0, outputTokens: 0 },
    hasHiddenReasoning: false,
  } as never;
}

async function embedded(...bodies: unknown[]) {
  const log = new AttemptLog(new ProviderTime());
  const offers = await Promise.all(bodies.map((body, index) => offerOf(index, body)));
  const health = { record: () => {}, publish: async () => {} };
  const inTurn = { signal: new AbortController().signal, log, health, requestId: 'req_test' };
  return { ...(await answerEach(offers, { task, maxAtOnce: 4 }, inTurn)), endedAt: log.index };
}

describe('an error with the status 200 in place of vectors', () => {
  it.each([
    { error: { type: 'insufficient_quota', message: 'You exceeded your current quota' } },
    { base_resp: { status_code: 1004, status_msg: 'login fail' } },
  ])('is followed by the next endpoint, and not charged: %j', async (stated) => {
    const { result, rounds, endedAt } = await embedded(stated, vectors);

    expect(endedAt).toBe(1);
    expect(result).toHaveProperty('answer');
    expect(rounds).toHaveLength(1);
  });

  it('is a failure of the provider if no endpoint remains', async () => {
    const { result, rounds } = await embedded({ error: { type: 'insufficient_quota', message: 'No quota' } });

    expect(result).toMatchObject({ failure: { status: 502 } });
    expect(rounds).toEqual([]);
  });

  it('is returned to the client if it blames the request, and no other endpoint is tried', async () => {
    const stated = { error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'too long' } };
    const { result, endedAt } = await embedded(stated, vectors);

    expect(endedAt).toBe(0);
    expect(result).toMatchObject({ failure: { status: 400 } });
  });
});
