import { afterEach, describe, expect, it } from 'vitest';
import { AttemptLog } from '../../lambdas/inference/attempt-log.ts';
import { ProviderTime } from '../../lambdas/platform/provider-time.ts';
import { answerEach } from '../../lambdas/inference/batch/rounds.ts';
import { decisionsModality } from '../../lambdas/inference/modalities/decisions.ts';
import { prepareOffers } from '../../lambdas/inference/batch/offers.ts';
import { decisionEngines } from '../../lambdas/providers/decisions/engines.ts';
import { candidateAt } from '../support/candidate.ts';
import type { BatchRequest } from '../../lambdas/providers/batch-engine.ts';
import { stopUpstreams, upstream } from '../support/direct-upstream.ts';

afterEach(stopUpstreams);

interface SentDecision {
  messages: { content: string }[];
  response_format?: { json_schema: { schema: object } };
}

const task = {
  state: 'A state',
  questions: [
    { type: 'noul' as const, instructions: 'Is it?', options: ['yes', 'no'].map((key) => ({ key, text: key })) },
  ],
};
const work = { task, maxAtOnce: decisionsModality.maxAtOnce };
const health = { record: () => {}, publish: async () => {} };

const decisionCandidateAt = (url: string) => ({
  ...candidateAt(url),
  engine: decisionEngines['decisions-stated'],
});

async function usageWhere(reported: object | undefined, more: object = {}) {
  const completion = { choices: [{ message: { content: '{"p0": 0.3, "p1": 0.7}' } }], usage: reported, ...more };
  const { url } = await upstream((response) => response.end(JSON.stringify(completion)));
  const offer = {
    index: 0,
    candidate: decisionCandidateAt(url),
    bounds: [],
    input: { inputTokens: 0, outputTokens: 0 },
    hasHiddenReasoning: false,
  };
  const { rounds } = await answerEach([offer], work, input());
  return rounds[0]!;
}

const silent = async (hasHiddenReasoning: boolean) => {
  const { url } = await upstream((response) => response.writeHead(200).flushHeaders());
  const candidate = candidateAt(url, { timeouts: { idle_ms: 30 } });
  return {
    index: 0,
    candidate: { ...decisionCandidateAt(url), endpoint: candidate.endpoint },
    bounds: [],
    input: { inputTokens: 0, outputTokens: 0 },
    hasHiddenReasoning,
  };
};
const sound = async () => {
  const { url } = await upstream((response) =>
    response.end(JSON.stringify({ choices: [{ message: { content: '{"p0": 0.3, "p1": 0.7}' } }] })),
  );
  const other = decisionCandidateAt(url);
  return {
    index: 1,
    candidate: { ...other, model: { ...other.model, id: 'test/other' } },
    bounds: [],
    input: { inputTokens: 0, outputTokens: 0 },
    hasHiddenReasoning: false,
  };
};
const input = () => ({
  signal: new AbortController().signal,
  health,
  log: new AttemptLog(new ProviderTime()),
  requestId: 'req_test',
});

const reporting = (completion_tokens: number) => usageWhere({ prompt_tokens: 10, completion_tokens });

describe('the largest request of a decision by probabilities', () => {
  it('has the options that are longest as JSON, whatever their characters', () => {
    const control = '\u0001'.repeat(100);
    const texts = Array.from({ length: 40 }, (_, index) =>
      index % 20 === 0 ? control : 'x'.repeat(index % 20 === 1 ? 300 : 5),
    );
    const options = texts.map((text, index) => ({ key: String(index), text }));
    const question = { type: 'choice' as const, instructions: 'Which?', options };

    const { target } = decisionCandidateAt('http://127.0.0.1:9');
    const asks = [
      ...decisionEngines['decisions-logprobs'].batchRequests({ state: 's', questions: [question] }, target),
    ];

    const last = String(asks.at(-1)!.request.body);
    expect(last.split(String.raw`\u0001`)).toHaveLength(1 + 2 * 100);
  });
});

describe('a decision with a partial usage report', () => {
  it.each([{}, { prompt_tokens: 10 }, { prompt_tokens: 10, completion_tokens: -1 }])(
    'has output tokens in any case: %j',
    async (reported) => {
      expect(await usageWhere(reported)).toMatchObject({ usage: { outputTokens: 1 }, estimated: true });
    },
  );
});

describe('a decision without a usage report', () => {
  it.each(['decisions-stated', 'decisions-logprobs'] as const)(
    'is charged for its texts, not their JSON: %s',
    (wire) => {
      const [{ request, estimatedPrompt }] = [
        ...decisionEngines[wire].batchRequests(
          { ...task, state: '"'.repeat(400) },
          decisionCandidateAt('http://t').target,
        ),
      ] as [BatchRequest];
      const { messages, response_format: format } = JSON.parse(String(request.body)) as SentDecision;
      const schema = format ? JSON.stringify(format.json_schema.schema) : '';

      const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), schema.length);
      expect(estimatedPrompt).toEqual({ inputTokens: Math.ceil(bytes / 4) });
    },
  );
});

describe('a decision at another price class', () => {
  it.each([
    [{ prompt_tokens: 10, completion_tokens: 5 }, { service_tier: 'priority' }],
    [{ prompt_tokens: 10, completion_tokens: 5, service_tier: 'priority' }, {}],
  ])('raises an alarm: %j, %j', async (reported, more) => {
    expect((await usageWhere(reported, more)).surprises.unpriced).toEqual(['service_tier']);
  });
});

describe('a decision that its provider refuses', () => {
  it('has the status of the refusal in the record of its last attempt', async () => {
    const { url } = await upstream((response) => response.writeHead(400).end('{"error": {"message": "no"}}'));
    const offer = {
      index: 0,
      candidate: decisionCandidateAt(url),
      bounds: [],
      input: { inputTokens: 0, outputTokens: 0 },
      hasHiddenReasoning: false,
    };

    const asking = input();

    await answerEach([offer], work, asking);

    expect(asking.log.failure).toMatchObject({ index: 0, providerStatus: 400 });
  });
});

describe('a decider with an answer above the size limit', () => {
  it('is not tried again, and neither is another one, because the answer may be billed', async () => {
    let requests = 0;
    const { url } = await upstream((response) => {
      requests += 1;
      response.end('x'.repeat(5 * 1024 * 1024));
    });
    const large = {
      index: 0,
      candidate: decisionCandidateAt(url),
      bounds: [],
      input: { inputTokens: 0, outputTokens: 0 },
      hasHiddenReasoning: false,
    };

    const asking = input();
    const { result } = await answerEach([large, await sound()], work, asking);

    expect([requests, asking.log.index]).toEqual([1, 0]);
    expect(result).toMatchObject({
      failure: { status: 502, message: expect.stringMatching(/an answer of more than 4 MiB/) as string },
    });
  });
});

describe('a decider that is silent in the middle of its answer', () => {
  it('is followed by the next one if it cannot have been thinking', async () => {
    const asking = input();

    const decided = await answerEach([await silent(false), await sound()], work, asking);

    expect(decided).toMatchObject({ wasThinking: false, result: { answer: [{}] } });
    expect(asking.log.index).toBe(1);
  });

  it('is the last one if it may have been thinking, because both would be charged', async () => {
    const asking = input();

    const decided = await answerEach([await silent(true), await sound()], work, asking);

    expect(decided).toMatchObject({ wasThinking: true, result: { failure: { kind: 'timeout' } } });
    expect(asking.log.index).toBe(0);
  });
});

describe('a decider that reports more than its output limit', () => {
  it('raises an alarm only for a large difference', async () => {
    const { outputTokens } = [
      ...decisionEngines['decisions-stated'].batchRequests(task, decisionCandidateAt('http://t.test').target),
    ][0]!;

    expect((await reporting(outputTokens + 1)).surprises.isBeyondHold).toBe(false);
    expect((await reporting(outputTokens + 1_000)).surprises.isBeyondHold).toBe(true);
  });
});

describe('a request for decisions without fallbacks', () => {
  it('has only the first endpoint of a model', () => {
    const first = { ...decisionCandidateAt('http://first.test'), isOnlyFirst: true };
    const second = { ...first, endpoint: { ...first.endpoint, id: 'test/model/1' } };
    const other = { ...first, model: { ...first.model, id: 'test/other' } };

    const offers = prepareOffers([first, second, other], task, decisionsModality);

    expect(offers.map(({ candidate }) => candidate)).toEqual([first, other]);
  });
});
