import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { AttemptLog } from '../../lambdas/inference/attempt-log.ts';
import type { BatchOffer } from '../../lambdas/inference/batch/offers.ts';
import { answerEach } from '../../lambdas/inference/batch/rounds.ts';
import { ProviderTime } from '../../lambdas/platform/provider-time.ts';
import type { BatchEngine } from '../../lambdas/providers/batch-engine.ts';
import { embeddingEngines } from '../../lambdas/providers/embeddings/engines.ts';
import type { ImageTask } from '../../lambdas/providers/images/codec.ts';
import { imageEngines } from '../../lambdas/providers/images/engines.ts';
import { speechEngines } from '../../lambdas/providers/speech/engines.ts';
import { transcriptionEngines } from '../../lambdas/providers/transcription/engines.ts';
import type { TranscriptionTask } from '../../lambdas/providers/transcription/codec.ts';
import { candidateAt } from '../support/candidate.ts';
import { exchange, stopUpstreams, upstream } from '../support/direct-upstream.ts';

afterEach(stopUpstreams);

type Answering = (response: ServerResponse) => unknown;

const image: ImageTask = { prompt: 'A fox', count: 1, pictures: [] };
const spoken = { text: 'Hello', format: 'mp3', voice: 'ann', requiresParameters: false };
const recording = { bytes: Buffer.alloc(64), format: 'wav', seconds: 1, maxSeconds: 1 };
const heard = { recording, languages: [], keywords: [], streams: false } as unknown as TranscriptionTask;
const embedded = { inputs: ['Hi'], encoding: 'float', dimensions: undefined, inputType: undefined };

const orders: Record<string, [engine: unknown, task: unknown]> = {
  'an image': [imageEngines['openai-images'], image],
  'an image of a job': [imageEngines['bfl-images'], image],
  speech: [speechEngines['openai-speech'], spoken],
  'a transcript': [transcriptionEngines['openai-transcription'], heard],
};

/** Returns the number of requests that a provider gets for one task, and the result. */
async function requestsFor([engine, task]: [unknown, unknown], answering: Answering, warm = false) {
  const seen = await upstream((response, _request, before) => {
    if (warm && before === 0) return response.end('{}');
    return answering(response);
  });
  if (warm) await exchange(seen.url);
  const target = { ...candidateAt(seen.url).target, image: { output_formats: ['png'] } };
  const candidate = { ...candidateAt(seen.url), target, engine: engine as BatchEngine<unknown, unknown> };
  const offer = { index: 0, candidate, bounds: [], hasHiddenReasoning: false };
  const log = new AttemptLog(new ProviderTime());
  const health = { record: () => {}, publish: async () => {} };
  const inTurn = { signal: new AbortController().signal, log, health, requestId: 'req_test' };
  const { result } = await answerEach([offer as unknown as BatchOffer], { task, maxAtOnce: 1 }, inTurn);
  return { requests: seen.bodies.length - (warm ? 1 : 0), result };
}

const withStatus =
  (status: number, body = '{}'): Answering =>
  (response) =>
    response.writeHead(status).end(body);
const envoy = (reason: string) =>
  `upstream connect error or disconnect/reset before headers. retried and the latest reset reason: ${reason}`;
const lost: Answering = (response) => response.destroy();

describe.each(Object.entries(orders))('%s whose answer is lost', (_name, order) => {
  it.each([
    ['a connection that breaks', lost],
    ['a status 500', withStatus(500)],
    ['a status 502 of a proxy', withStatus(502, '<html>Bad Gateway</html>')],
    ['a status 503 of a proxy that lost the connection', withStatus(503, envoy('connection termination'))],
    ['half a document', withStatus(200, '{"data": [{"b64_')],
  ])('is not ordered again, because the provider may charge for it: %s', async (_what, answering) => {
    const { requests, result } = await requestsFor(order, answering);

    expect(requests).toBe(1);
    expect(result).toHaveProperty('failure');
  });

  it.each([
    [429, '{}'],
    [503, '{}'],
    [503, envoy('connection failure')],
  ])('is ordered again if the provider did not process it: %i %s', async (status, body) => {
    const { requests } = await requestsFor(order, withStatus(status, body));

    expect(requests).toBe(3);
  });
});

describe.each(Object.entries(orders))('%s', (_name, order) => {
  it('is ordered over a new connection, because a kept connection would repeat a request that breaks', async () => {
    const { requests } = await requestsFor(order, lost, true);

    expect(requests).toBe(1);
  });
});

describe('an embedding', () => {
  const order: [unknown, unknown] = [embeddingEngines['openai-embeddings'], embedded];

  it('is requested again if its answer is lost, because it is cheap', async () => {
    const { requests } = await requestsFor(order, withStatus(500));

    expect(requests).toBe(3);
  });

  it.each([
    [429, '1', 3],
    [429, '30', 1],
    [503, '30', 1],
  ])(
    'is not requested again before the time that the provider states: %i with %s s',
    async (status, wait, expected) => {
      const { requests } = await requestsFor(order, (response) =>
        response.writeHead(status, { 'retry-after': wait }).end('{}'),
      );

      expect(requests).toBe(expected);
    },
  );
});
