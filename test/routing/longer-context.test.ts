/** A prompt that is too long for one endpoint may fit into the longer context of another. */

import { describe, expect, it } from 'vitest';
import type { Model } from '../../lambdas/catalog/catalog.ts';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { AttemptLog } from '../../lambdas/inference/attempt-log.ts';
import { withFailover } from '../../lambdas/inference/failover.ts';
import { ProviderTime } from '../../lambdas/platform/provider-time.ts';
import { refusalOfResponse } from '../../lambdas/providers/failures.ts';
import { candidateAt, candidatesOf } from '../support/candidate.ts';
import { catalogDirectory, textModel } from '../support/catalog.ts';

const acme = { id: 'acme', name: 'Acme', baseUrl: 'https://acme.example', credential: undefined };
const refusals = {
  tooLong: refusalOfResponse({ status: 400, headers: {} }, '{"message":"prompt is too long"}', acme),
  wrong: refusalOfResponse({ status: 400, headers: {} }, '{"message":"messages: wrong role"}', acme),
};

/**
 * Returns the contexts of the tried endpoints. Each endpoint below the shortest sufficient context refuses the request.
 */
async function triedContexts(
  contexts: (number | undefined)[],
  { fits, refusal }: { fits: number; refusal: keyof typeof refusals },
): Promise<(number | undefined)[]> {
  const tried: (number | undefined)[] = [];
  const offers = contexts.map((contextLength, index) => {
    const candidate = candidateAt('https://acme.example');
    return {
      index,
      candidate: { ...candidate, endpoint: { ...candidate.endpoint, contextLength } },
      hasHiddenReasoning: false,
    };
  });
  await withFailover(
    offers,
    ({ candidate: { endpoint } }) => {
      tried.push(endpoint.contextLength);
      return endpoint.contextLength !== undefined && endpoint.contextLength >= fits
        ? Promise.resolve('answer')
        : Promise.reject(refusals[refusal]);
    },
    {
      signal: new AbortController().signal,
      log: new AttemptLog(new ProviderTime()),
      requestId: 'req_1',
      health: { record: () => undefined, publish: () => Promise.resolve() },
    },
  ).catch((error: unknown) => expect(error).toBe(refusals[refusal]));
  return tried;
}

function modelWith(contexts: number[], maxima: number[] = []): Model {
  const endpoints = contexts.map((context_length, index) => ({
    provider: 'open',
    context_length,
    ...(maxima[index] !== undefined && { max_output_tokens: maxima[index] }),
    pricing: { prompt: `0.00${index + 1}`, completion: '0.1' },
  }));
  const open = {
    id: 'open',
    name: 'Open',
    wire: 'openai-chat',
    base_url: 'http://127.0.0.1:1',
    data_policy: { logs_prompts: false, trains_on_prompts: false },
  };
  const directory = catalogDirectory([textModel('test/model', endpoints)], [open]);
  try {
    return loadCatalog(directory.path).find('test/model')!;
  } finally {
    directory.remove();
  }
}

describe('a prompt that is too long for one endpoint', () => {
  it.each([
    { contexts: [32_000, 128_000], fits: 100_000, tried: [32_000, 128_000] },
    { contexts: [128_000, 32_000, 128_000, 256_000], fits: 200_000, tried: [128_000, 256_000] },
    { contexts: [128_000, 128_000], fits: 200_000, tried: [128_000] },
    { contexts: [256_000, 128_000], fits: 300_000, tried: [256_000] },
    { contexts: [128_000, undefined], fits: 200_000, tried: [128_000] },
    { contexts: [undefined, 128_000], fits: 100_000, tried: [undefined, 128_000] },
  ])('is sent to endpoints of the model with a longer context: $contexts', async ({ contexts, fits, tried }) => {
    expect(await triedContexts(contexts, { fits, refusal: 'tooLong' })).toEqual(tried);
  });

  it('is not sent to them if the request is refused for another reason', async () => {
    expect(await triedContexts([32_000, 128_000], { fits: 100_000, refusal: 'wrong' })).toEqual([32_000]);
  });

  it.each([
    { promptTokens: 1_000, contexts: [32_000, 128_000, 64_000] },
    { promptTokens: 50_000, contexts: [128_000, 64_000, 32_000] },
    { promptTokens: 100_000, contexts: [128_000, 32_000, 64_000] },
    { promptTokens: 500_000, contexts: [32_000, 128_000, 64_000] },
  ])('by its estimate of $promptTokens tokens is sent to this endpoint last', async ({ promptTokens, contexts }) => {
    const candidates = await candidatesOf(modelWith([32_000, 128_000, 64_000]), { promptTokens });

    expect(candidates.map(({ endpoint }) => endpoint.contextLength)).toEqual(contexts);
  });
});

describe('an answer that may be longer than the maximum of one endpoint', () => {
  const maxima = [8_192, 65_536, 32_768];

  it.each([
    { maxTokens: undefined, promptTokens: 1_000, tried: [8_192, 65_536, 32_768] },
    { maxTokens: 8_192, promptTokens: 1_000, tried: [8_192, 65_536, 32_768] },
    { maxTokens: 32_000, promptTokens: 1_000, tried: [65_536, 32_768, 8_192] },
    { maxTokens: 64_000, promptTokens: 1_000, tried: [65_536, 8_192, 32_768] },
    { maxTokens: 64_000, promptTokens: 70_000, tried: [8_192, 65_536, 32_768] },
    { maxTokens: 1_000_000, promptTokens: 1_000, tried: [8_192, 65_536, 32_768] },
  ])('of $maxTokens tokens after $promptTokens is requested there last', async ({ maxTokens, promptTokens, tried }) => {
    const fields = maxTokens === undefined ? {} : { max_tokens: maxTokens };
    const candidates = await candidatesOf(modelWith([128_000, 128_000, 128_000], maxima), { promptTokens, fields });

    expect(candidates.map(({ endpoint }) => endpoint.maxOutputTokens)).toEqual(tried);
  });

  it('is less important than the context', async () => {
    const model = modelWith([128_000, 32_000, 128_000], [8_192, 32_000, 65_536]);
    const candidates = await candidatesOf(model, { promptTokens: 50_000, fields: { max_tokens: 16_000 } });

    expect(candidates.map(({ endpoint }) => endpoint.id.at(-1))).toEqual(['2', '0', '1']);
  });
});
