import { CohereClient, CohereError } from 'cohere-ai';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, type GatewayClient } from '../support/gateway.ts';
import { cancelBeforeOutput, SLOW } from './cancelled-request.ts';

let gateway: GatewayClient;
let cohere: CohereClient;
beforeAll(async () => {
  gateway = await commonGateway();
  // The client adds the API's version to its base URL.
  cohere = new CohereClient({ environment: new URL(gateway.baseUrl).origin, token: gateway.key });
});

const documents = ['The parcel is late.', 'Where is my parcel now?', 'Fine weather.'];
const request = { model: 'sandbox/unit-ranker', query: 'Where is my parcel?', documents };
const once = { maxRetries: 0 };

describe('the Cohere SDK', () => {
  it('ranks documents, and pays one search unit', async () => {
    const { data, rawResponse } = await cohere
      .rerank({ ...request, topN: 2, returnDocuments: true }, once)
      .withRawResponse();

    expect(data.results.map(({ index }) => index)).toEqual([1, 0]);
    expect(data.results[0]).toMatchObject({
      document: { text: documents[1] },
      relevanceScore: expect.any(Number) as number,
    });
    const generation = await finalGeneration(gateway, rawResponse.headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ api_type: 'rerank', total_cost: 0.2 });
  });

  it.each([
    ['refused', 400, { ...request, documents: [] }],
    ['too large', 413, { ...request, documents: ['x'.repeat(7_000_000)] }],
    ['failed', 529, { ...request, query: 'Where?\n@sandbox error=503' }],
  ])('gets an error with its status if a request is %s', async (_how, statusCode, refused) => {
    const error: unknown = await cohere.rerank(refused, once).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(CohereError);
    expect(error).toMatchObject({ statusCode });
  });

  it('can cancel a request, free of charge', async () => {
    const slow = { ...request, query: `Where?${SLOW}` };

    const error = await cancelBeforeOutput(gateway, (abortSignal) => cohere.rerank(slow, { ...once, abortSignal }));

    expect(error).toBeInstanceOf(Error);
  });
});
