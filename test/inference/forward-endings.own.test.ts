/** Ends of batch answers that no client can cause: the process stops, or the time of the function is over. */

import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { forwardAnswer } from '../../lambdas/inference/batch/forward-stream.ts';
import { prepareOffers, type BatchCandidate } from '../../lambdas/inference/batch/offers.ts';
import { runBatch } from '../../lambdas/inference/batch/run-batch.ts';
import type { InferenceInput } from '../../lambdas/inference/inference-input.ts';
import { soundEvents, soundStream } from '../../lambdas/inference/modalities/speech-stream.ts';
import { newGenerationId } from '../../lambdas/platform/ids.ts';
import { ProviderTime } from '../../lambdas/platform/provider-time.ts';
import type { StreamedAnswer } from '../../lambdas/providers/batch-engine.ts';
import type { EmbeddingTask } from '../../lambdas/providers/embeddings/codec.ts';
import { embeddingEngines } from '../../lambdas/providers/embeddings/engines.ts';
import type { SpeechTask } from '../../lambdas/providers/speech/codec.ts';
import { speechEngines } from '../../lambdas/providers/speech/engines.ts';
import { noUseLimits } from '../../lambdas/store/accounts/use-limits.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import type { EventSource } from '../../lib/local/event-source.ts';
import { candidateAt } from '../support/candidate.ts';
import { stopUpstreams, upstream } from '../support/direct-upstream.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { startSettlementQueue, type SettlementQueue } from '../support/settlement-queue.ts';
import { newSpender, rub, type Spender } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

let table: Table;
let queue: SettlementQueue;
let worker: EventSource;
let spender: Spender;
beforeAll(async () => {
  table = await newTable();
  queue = await startSettlementQueue(table);
  worker = await queue.startWorker();
  spender = await newSpender(table, { key: { daily: rub('100') } });
});
afterEach(stopUpstreams);
afterAll(async () => {
  await worker.stop();
  await queue.stop();
});

const text = 'Hello, world.';
const task: SpeechTask = {
  text,
  format: 'pcm',
  voice: 'ann',
  speed: undefined,
  instructions: undefined,
  requiresParameters: false,
};
const pricing: Pricing = { prompt: rub('0'), completion: rub('0'), character: rub('0.2') };
const refused = () => new Error('too large');

/** Returns the terms of an answer whose provider sends a part of the sound, and then nothing more. */
async function termsOf(answer: Parameters<typeof upstream>[0] = sendPart) {
  const { url } = await upstream(answer);
  const messages = candidateAt(url);
  const candidate = {
    ...messages,
    pricing,
    held: { pricing, serviceCost: undefined },
    engine: speechEngines['openai-speech'],
  } as unknown as BatchCandidate<SpeechTask, StreamedAnswer<Buffer>>;
  const offers = prepareOffers([candidate], task, { tooLarge: refused, tooMany: refused });
  return { apiType: 'tts' as const, offers, task, leftOut: () => [], maxAtOnce: 1, outOfTime: 'Send a shorter text.' };
}

const sound = Buffer.alloc(500, 7);
const sendPart: Parameters<typeof upstream>[0] = (response) =>
  response.writeHead(200, { 'content-type': 'audio/pcm' }).write(sound);

function inputOf(
  more: Pick<InferenceInput<unknown>, 'stopping' | 'remainingMs'>,
  waitedMs = 0,
): InferenceInput<unknown> {
  const { payer, scopes } = spender;
  return {
    body: {},
    caller: { payer, scopes, account: { id: payer.accountId, status: 'active' }, key: noUseLimits } as never,
    generationId: newGenerationId(),
    providerTime: new ProviderTime(),
    request: { id: randomUUID(), headers: {}, receivedAtMs: performance.now() - waitedMs, clientAddress: '' },
    clientLeft: undefined,
    ...more,
  };
}

/** Streams end 15 seconds before the function's timeout, so 200 ms are left. */
const NEARLY_OVER_MS = 15_200;

const stopped = () => {
  const stopping = new AbortController();
  return { input: inputOf({ stopping: stopping.signal, remainingMs: () => 600_000 }), end: () => stopping.abort() };
};
const outOfTime = () => ({ input: inputOf({ remainingMs: () => NEARLY_OVER_MS }), end: () => {} });

it.each([
  ['the process stops', stopped, 529],
  ['the time is over', outOfTime, 504],
] as const)('speech ends with an error and is charged, if %s', async (_why, begin, status) => {
  const [events, plain] = [begin(), begin()];
  const answers = await Promise.all([
    forwardAnswer(events.input, await termsOf(), soundEvents('req_test')),
    forwardAnswer(plain.input, await termsOf(), soundStream('pcm')),
  ]);
  const failures: number[] = [];
  const read = async ({ send }: (typeof answers)[number], end: () => void) => {
    let written = '';
    const take = (chunk: string | Uint8Array) => {
      written += Buffer.from(chunk as string).toString('latin1');
      end();
      return true;
    };
    await send(take, (failure) => failures.push(failure.status));
    return written;
  };
  const [asEvents, asSound] = await Promise.allSettled([read(answers[0], events.end), read(answers[1], plain.end)]);

  // Sound has no form for an error, so its connection is cut.
  expect(asEvents).toMatchObject({ status: 'fulfilled', value: expect.stringContaining(`"code":${status}`) as string });
  expect(asSound).toMatchObject({ status: 'rejected' });
  expect(failures).toEqual([status, status]);
  for (const { generationId } of [events.input, plain.input]) {
    const read = async () => (await readGeneration(table, spender.payer.accountId, generationId)) as never as Final;
    await expect.poll(async () => (await read()).state, { timeout: PATIENCE_MS }).toBe('final');
    const { outcome } = await read();
    expect(outcome).toMatchObject({ ending: 'out_of_time', cancelled: true, characters: text.length });
    expect(String(outcome.cost)).toBe('2.6');
  }
});

/** Whole answers end 5 seconds before the function's timeout, so 500 ms are left. */
const WHOLE_NEARLY_OVER_MS = 5_500;

it('embeddings of which only the first texts were finished in time are charged, and not to be sent again', async () => {
  const task: EmbeddingTask = {
    inputs: Array.from({ length: 2_049 }, () => 'Hi'),
    encoding: 'float',
    dimensions: undefined,
    inputType: undefined,
  };
  const { url, bodies } = await upstream((response, _request, before) => {
    if (before > 0) return;
    const { input } = JSON.parse(bodies[0]!) as { input: string[] };
    const data = input.map((_, index) => ({ index, embedding: [0.5] }));
    response.end(JSON.stringify({ data, usage: { prompt_tokens: 10 } }));
  });
  const candidate = { ...candidateAt(url), engine: embeddingEngines['openai-embeddings'] };
  const offers = prepareOffers([candidate as unknown as BatchCandidate], task, { tooLarge: refused, tooMany: refused });
  const terms = { apiType: 'embeddings' as const, offers, task, leftOut: () => [], maxAtOnce: 4, outOfTime: 'Fewer.' };
  const input = inputOf({ remainingMs: () => WHOLE_NEARLY_OVER_MS });

  await expect(runBatch(input, terms as never)).rejects.toMatchObject({
    status: 504,
    headers: { 'x-should-retry': 'false' },
  });
  const read = async () => (await readGeneration(table, spender.payer.accountId, input.generationId)) as never as Final;
  await expect.poll(async () => (await read()).state, { timeout: PATIENCE_MS }).toBe('final');
  expect((await read()).outcome).toMatchObject({ ending: 'out_of_time', promptTokens: 10 });
});

const silent = () => undefined;

/** API Gateway closes a connection that is silent for five minutes. */
it('an answer that has not begun after 285 seconds ends with an error and costs nothing', async () => {
  const [whole, streamed] = [0, 1].map(() => inputOf({ remainingMs: () => 600_000 }, 284_500)) as [never, never];

  await expect(runBatch(whole, (await termsOf(silent)) as never)).rejects.toMatchObject({ status: 504 });
  await expect(forwardAnswer(streamed, await termsOf(silent), soundStream('pcm'))).rejects.toMatchObject({
    status: 504,
  });
  for (const { generationId } of [whole, streamed] as InferenceInput<unknown>[]) {
    const read = async () => (await readGeneration(table, spender.payer.accountId, generationId)) as never as Final;
    await expect.poll(async () => (await read()).state, { timeout: PATIENCE_MS }).toBe('final');
    const { outcome } = await read();
    expect([outcome.ending, String(outcome.cost)]).toEqual(['out_of_time', '0']);
  }
});

it('an answer that has begun in time may take longer than 285 seconds', async () => {
  const stopping = new AbortController();
  const input = inputOf({ stopping: stopping.signal, remainingMs: () => 600_000 }, 284_500);
  const { send } = await forwardAnswer(input, await termsOf(), soundStream('pcm'));
  const failures: number[] = [];
  setTimeout(() => stopping.abort(), 1_500);

  await expect(
    send(
      () => true,
      ({ status }) => failures.push(status),
    ),
  ).rejects.toThrow();
  expect(failures).toEqual([529]);
});

interface Final {
  state: string;
  outcome: { cost: unknown; ending: string };
}
