import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { AttemptLog } from '../../lambdas/inference/attempt-log.ts';
import type { BatchOffer } from '../../lambdas/inference/batch/offers.ts';
import { answerEach } from '../../lambdas/inference/batch/rounds.ts';
import { Money } from '../../lambdas/money/money.ts';
import { ProviderTime } from '../../lambdas/platform/provider-time.ts';
import type { StreamedAnswer } from '../../lambdas/providers/batch-engine.ts';
import type { SpeechTask } from '../../lambdas/providers/speech/codec.ts';
import { speechEngines } from '../../lambdas/providers/speech/engines.ts';
import { candidateAt } from '../support/candidate.ts';
import { stopUpstreams, upstream } from '../support/direct-upstream.ts';

afterEach(stopUpstreams);

const spoken: SpeechTask = {
  text: 'Hello',
  format: 'mp3',
  voice: 'ann',
  speed: undefined,
  instructions: undefined,
  requiresParameters: false,
};
const pricing: Pricing = { prompt: Money.zero, completion: Money.zero, character: Money.parse('0.2') };
const sound = Buffer.alloc(500, 7);

type Answering = (response: ServerResponse) => void;
const ending =
  (body: string | Buffer): Answering =>
  (response) =>
    response.end(body);

async function speakAt(...providers: Answering[]) {
  const log = new AttemptLog(new ProviderTime());
  const offers = await Promise.all(
    providers.map(async (answering, index): Promise<BatchOffer<SpeechTask, StreamedAnswer<Buffer>>> => {
      const { url } = await upstream(answering);
      const candidate = { ...candidateAt(url), pricing, engine: speechEngines['openai-speech'] };
      return { index, candidate, bounds: [], input: { inputTokens: 0, outputTokens: 0 }, hasHiddenReasoning: false };
    }),
  );
  const health = { record: () => {}, publish: async () => {} };
  const inTurn = { signal: new AbortController().signal, log, health, requestId: 'req_test' };
  const { result, rounds } = await answerEach(offers, { task: spoken, maxAtOnce: 1 }, inTurn);
  return { result, rounds, endedAt: log.index };
}

async function readSound({ parts }: StreamedAnswer<Buffer>): Promise<number> {
  let bytes = 0;
  for await (const { event } of parts) bytes += event?.length ?? 0;
  return bytes;
}

const hostile = {
  'a page of HTML': '<html><body>Welcome to the proxy in front of the provider of speech</body></html>',
  'an empty body': '',
  'an error in place of sound': JSON.stringify({ error: { message: 'try later', type: 'server_error' } }),
};

describe('an answer without sound', () => {
  it.each(Object.entries(hostile))('is a failure of the provider, and is free: %s', async (_what, text) => {
    const { result, rounds } = await speakAt(ending(text));

    expect(result).toMatchObject({
      failure: { status: expect.toSatisfy((status: number) => status >= 500) as number },
    });
    expect(rounds).toEqual([]);
  });

  it('is followed by the next endpoint', async () => {
    const { result, endedAt } = await speakAt(ending(hostile['a page of HTML']), ending(sound));

    expect(endedAt).toBe(1);
    expect('answer' in result && (await readSound(result.answer))).toBe(sound.length);
  });
});

const endless: Answering = (response) => {
  const more = () => {
    while (response.write(Buffer.alloc(256 * 1024))) if (response.destroyed) return;
    response.once('drain', more);
  };
  response.on('error', () => {});
  more();
};

describe('sound that does not end well', () => {
  it('is cut if it is far longer than the text', async () => {
    const { result } = await speakAt(endless);

    const answer = 'answer' in result ? result.answer : undefined;
    await expect(readSound(answer!)).rejects.toThrow(/far more than the answer needs/);
  });

  it('begins, and then fails, without another endpoint', async () => {
    const breaking: Answering = (response) => {
      response.write(sound);
      setTimeout(() => response.destroy(), 50);
    };
    const { result, endedAt } = await speakAt(breaking, ending(sound));

    expect(endedAt).toBe(0);
    await expect(readSound('answer' in result ? result.answer : (undefined as never))).rejects.toThrow();
  });

  it('is read only as fast as the client reads it', async () => {
    let writtenBytes = 0;
    const fast: Answering = (response) => {
      const more = () => {
        for (;;) {
          writtenBytes += 64 * 1024;
          if (writtenBytes > 64 * 1024 * 1024) return void response.end();
          if (!response.write(Buffer.alloc(64 * 1024))) return void response.once('drain', more);
        }
      };
      response.on('error', () => {});
      more();
    };
    const { result } = await speakAt(fast);

    await new Promise((resolve) => setTimeout(resolve, 300));
    expect('answer' in result).toBe(true);
    expect(writtenBytes).toBeLessThan(16 * 1024 * 1024);
    if ('answer' in result) await result.answer.parts.return();
  });
});
