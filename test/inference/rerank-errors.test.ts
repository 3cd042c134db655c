import { afterEach, describe, expect, it } from 'vitest';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { AttemptLog } from '../../lambdas/inference/attempt-log.ts';
import type { BatchOffer } from '../../lambdas/inference/batch/offers.ts';
import { answerEach } from '../../lambdas/inference/batch/rounds.ts';
import { Money } from '../../lambdas/money/money.ts';
import { ProviderTime } from '../../lambdas/platform/provider-time.ts';
import type { RankedDocument, RerankTask } from '../../lambdas/providers/rerank/codec.ts';
import { rerankEngines } from '../../lambdas/providers/rerank/engines.ts';
import { candidateAt } from '../support/candidate.ts';
import { stopUpstreams, upstream } from '../support/direct-upstream.ts';

afterEach(stopUpstreams);

/** The gateway counts two search units for these documents. */
const documents = Array.from({ length: 150 }, (_, index) => `parcel ${index}`);
const task: RerankTask = { query: 'parcel', documents, topN: 2, maxTokensPerDoc: undefined };
const ranked = { results: [{ index: 1, relevance_score: 0.5 }], meta: { billed_units: { search_units: 1 } } };
const reporting = (search_units: unknown) => ({ ...ranked, meta: { billed_units: { search_units } } });
const free = Money.zero;
const pricing: Pricing = { prompt: free, completion: free, search_unit: Money.parse('0.2') };

async function offerOf(index: number, text: string): Promise<BatchOffer<RerankTask, RankedDocument[]>> {
  const { url } = await upstream((response) => response.end(text));
  const candidate = { ...candidateAt(url), pricing, engine: rerankEngines['cohere-rerank'] };
  return { index, candidate, bounds: [], input: { inputTokens: 0, outputTokens: 0 }, hasHiddenReasoning: false };
}

async function rank(...texts: string[]) {
  const log = new AttemptLog(new ProviderTime());
  const offers = await Promise.all(texts.map((text, index) => offerOf(index, text)));
  const health = { record: () => {}, publish: async () => {} };
  const inTurn = { signal: new AbortController().signal, log, health, requestId: 'req_test' };
  return { ...(await answerEach(offers, { task, maxAtOnce: 1 }, inTurn)), endedAt: log.index };
}

const hostile = {
  'a page of HTML': '<html><body>Welcome</body></html>',
  'an empty body': '',
  'half of an answer': JSON.stringify(ranked).slice(0, 40),
  'an error in place of an answer': JSON.stringify({ message: 'invalid request', error: { type: 'server_error' } }),
  'an index that was not sent': JSON.stringify({ results: [{ index: 150, relevance_score: 1 }] }),
  'one document twice': JSON.stringify({ results: [ranked.results[0], ranked.results[0]] }),
  'no results, but units': JSON.stringify({ results: [], meta: { billed_units: { search_units: 5 } } }),
};

describe('an answer that is no rank', () => {
  it.each(Object.entries(hostile))('is a failure of the provider, and is free: %s', async (_what, text) => {
    const { result, rounds } = await rank(text);

    expect(result).toMatchObject({
      failure: { status: expect.toSatisfy((status: number) => status >= 500) as number },
    });
    expect(rounds).toEqual([]);
  });

  it('is followed by the next endpoint, which alone is paid', async () => {
    const { result, rounds, endedAt } = await rank(hostile['one document twice'], JSON.stringify(ranked));

    expect([endedAt, result]).toMatchObject([1, { answer: [{ index: 1, score: 0.5 }] }]);
    expect(rounds.map(({ cost }) => String(cost))).toEqual(['0.2']);
  });

  it('is not read beyond its bound', async () => {
    const { result, rounds } = await rank(JSON.stringify({ ...ranked, padding: 'x'.repeat(1024 * 1024) }));

    expect(result).toMatchObject({ failure: { status: 502 } });
    expect(rounds).toEqual([]);
  });
});

describe('reported search units', () => {
  it.each([
    ['as reported', 1, 1, false],
    ['as held, if they are more', 1_000_000, 2, true],
    ['as counted, if they are zero', 0, 2, false],
    ['as counted, if they are negative', -3, 2, false],
    ['as counted, if they are no number', '3', 2, false],
    ['as counted, if they are a fraction', 0.5, 2, false],
    ['as counted, if there are none', undefined, 2, false],
  ])('are charged %s', async (_how, units, charged, exceeded) => {
    const { rounds } = await rank(JSON.stringify(reporting(units)));

    expect(rounds).toMatchObject([{ exceeded, estimated: false, usage: { searchUnits: charged } }]);
    expect(rounds[0]!.cost).toEqual(pricing.search_unit!.times(charged));
  });
});
