/** Tests clients that embed texts; some of them request base64 by default. */

import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { OpenAIEmbeddings } from '@langchain/openai';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { OpenRouter } from '@openrouter/sdk';
import { embedMany, type EmbeddingModel } from 'ai';
import OpenAI from 'openai';
import type { GatewayClient } from '../../support/gateway.ts';
import { markdownTable } from '../markdown.ts';

const MODEL = 'sandbox/embedder';
const DIMENSIONS = 16;
/** These inputs are so many that a client may send them in several requests. */
const MANY = Array.from({ length: 100 }, (_, index) => `text ${index}`);
const FAILING = ['x\n@sandbox error=529'];

interface EmbeddingClient {
  name: string;
  /**
   * Returns a vector for each text.
   * @throws {Error} if the gateway refuses the request
   */
  embed: (gateway: GatewayClient, texts: string[], dimensions?: number) => Promise<number[][]>;
}

const addressOf = ({ baseUrl, key }: GatewayClient) => ({ baseURL: baseUrl, apiKey: key });

const openAi = (name: string, encoding_format?: 'float'): EmbeddingClient => ({
  name,
  async embed(gateway, input, dimensions) {
    const client = new OpenAI({ ...addressOf(gateway), maxRetries: 0 });
    const { data, usage } = await client.embeddings.create({
      model: MODEL,
      input,
      ...(dimensions ? { dimensions } : {}),
      ...(encoding_format ? { encoding_format } : {}),
    });
    assert.ok(usage.prompt_tokens > 0);
    return data.map(({ embedding }) => embedding);
  },
});

const aiSdk = (
  name: string,
  modelOf: (gateway: GatewayClient, dimensions?: number) => EmbeddingModel,
  optionsName: string,
): EmbeddingClient => ({
  name: `AI SDK, ${name}`,
  async embed(gateway, values, dimensions) {
    const providerOptions = dimensions ? { [optionsName]: { dimensions } } : {};
    const { embeddings, usage } = await embedMany({
      model: modelOf(gateway, dimensions),
      values,
      maxRetries: 0,
      providerOptions,
    });
    assert.ok(usage.tokens > 0);
    return embeddings;
  },
});

const clients: EmbeddingClient[] = [
  openAi('OpenAI SDK, base64'),
  openAi('OpenAI SDK, floats', 'float'),
  aiSdk('@ai-sdk/openai', (gateway) => createOpenAI(addressOf(gateway)).embedding(MODEL), 'openai'),
  aiSdk(
    '@ai-sdk/openai-compatible',
    (gateway) => createOpenAICompatible({ ...addressOf(gateway), name: 'gateway' }).embeddingModel(MODEL),
    'gateway',
  ),
  aiSdk(
    '@openrouter/ai-sdk-provider',
    // The package has no setting for dimensions.
    (gateway, dimensions) =>
      createOpenRouter({ ...addressOf(gateway), extraBody: dimensions ? { dimensions } : {} }).textEmbeddingModel(
        MODEL,
      ),
    'openrouter',
  ),
  {
    name: 'LangChain, @langchain/openai',
    embed(gateway, texts, dimensions) {
      const { baseURL, apiKey } = addressOf(gateway);
      const own = { model: MODEL, apiKey, maxRetries: 0, configuration: { baseURL } };
      return new OpenAIEmbeddings({ ...own, ...(dimensions ? { dimensions } : {}) }).embedDocuments(texts);
    },
  },
  {
    name: 'OpenRouter SDK',
    async embed({ baseUrl, key }, input, dimensions) {
      const client = new OpenRouter({ serverURL: baseUrl, apiKey: key, retryConfig: { strategy: 'none' } });
      const requestBody = { model: MODEL, input, ...(dimensions ? { dimensions } : {}) };
      const answer = await client.embeddings.generate({ requestBody });
      assert.ok(typeof answer === 'object');
      return answer.data.map(({ embedding }) => embedding as number[]);
    },
  },
];

/** Tests by the names of their tasks. */
export const embeddingFeatures: Record<string, (gateway: GatewayClient, client: EmbeddingClient) => Promise<void>> = {
  'one text': async (gateway, { embed }) => {
    const [vector, ...others] = await embed(gateway, ['Hello']);
    assert.deepEqual(others, []);
    assert.ok(Math.abs(Math.hypot(...vector!) - 1) < 1e-3);
  },
  'many texts': async (gateway, { embed }) => {
    const vectors = await embed(gateway, MANY);
    const [last] = await embed(gateway, [MANY.at(-1)!]);
    assert.equal(vectors.length, MANY.length);
    assert.deepEqual(vectors.at(-1), last);
  },
  'shorter vectors': async (gateway, { embed }) => {
    assert.equal((await embed(gateway, ['Hello'], DIMENSIONS))[0]!.length, DIMENSIONS);
  },
  error: async (gateway, { embed }) => {
    await assert.rejects(embed(gateway, FAILING), /asked to answer with status 529/);
  },
};

/** Tests each client with each feature. */
export async function reportOnEmbeddings(gateway: GatewayClient): Promise<{ unexplained: string[]; table: string }> {
  const unexplained: string[] = [];
  const rows: string[][] = [];
  for (const client of clients) {
    const failed: string[] = [];
    for (const [feature, use] of Object.entries(embeddingFeatures)) {
      const failure = await use(gateway, client).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (failure === undefined) continue;
      failed.push(feature);
      unexplained.push(`${client.name}, ${feature}: ${failure.slice(0, 500)}`);
    }
    rows.push([client.name, failed.length === 0 ? 'all' : `all but ${failed.join(', ')}`]);
  }
  return { unexplained, table: markdownTable(['Client', 'Tasks'], rows) };
}
