/**
 * Charges for pictures in a prompt at the shipped prices, for the usage that providers report. Google's details of the
 * prompt (https://ai.google.dev/api/embeddings) and Cohere's units (https://docs.cohere.com/reference/embed) are optional.
 * OpenAI sends details of the prompt (https://github.com/BerriAI/litellm/pull/36125); servers with its API may not.
 */

import { expect, it } from 'vitest';
import { chargedFor } from '../../lambdas/inference/batch/rounds.ts';
import type { BatchCandidate } from '../../lambdas/inference/batch/offers.ts';
import { embeddingEngines } from '../../lambdas/providers/embeddings/engines.ts';
import { drawer } from '../../lambdas/providers/images/drawer.ts';
import { openaiImages } from '../../lambdas/providers/images/openai.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const text = { type: 'text', text: 'a cat' } as const;
const image = { type: 'image_url', image_url: { url: PIXEL } } as const;

const endpoints = loadShippedCatalog().models.flatMap((model) => model.endpoints);
const [google, cohere] = ['google/google/gemini-embedding-2', 'cohere-v2/cohere/embed-v4.0'];

/** Returns the charge in RUB for one vector. */
function chargeOf(id: string, content: (typeof text | typeof image)[], answer: object): string {
  const endpoint = endpoints.find((one) => one.id === id)!;
  const engine = embeddingEngines[endpoint.wire as keyof typeof embeddingEngines];
  const target = {
    providerId: endpoint.provider.id,
    upstreamModel: endpoint.upstreamModel,
    maxOutputTokens: undefined,
    supportedParameters: [],
    quirks: endpoint.quirks,
  };
  const task = { inputs: [{ content }], encoding: 'float', dimensions: undefined, inputType: undefined } as const;
  const [batchRequest] = engine.batchRequests(task, target);
  const candidate = { endpoint, pricing: endpoint.pricing!, engine, target } as unknown as BatchCandidate;
  return chargedFor(batchRequest!, engine.readUsage(answer, {}), candidate).cost.toString();
}

const ofGoogle = (promptTokenCount: number, promptTokenDetails?: object[]) => ({
  usageMetadata: { promptTokenCount, promptTokenDetails },
});
const ofCohere = (billed_units: object) => ({ meta: { billed_units } });

it.each([
  [
    google,
    '0.0115929',
    [text, image],
    ofGoogle(263, [
      { modality: 'TEXT', tokenCount: 5 },
      { modality: 'IMAGE', tokenCount: 258 },
    ]),
  ],
  [google, '0.0115929', [text, image], ofGoogle(263, [{ modality: 'TEXT', tokenCount: 5 }])],
  [google, '0.0114939', [image], ofGoogle(258)],
  [google, '0.0114939', [image], ofGoogle(258, [])],
  [google, '0.000099', [text], ofGoogle(5)],
  [cohere, '0.0140184', [text, image], ofCohere({ input_tokens: 5, image_tokens: 300, images: 1 })],
  [cohere, '0.013959', [image], ofCohere({ input_tokens: 300, images: 1 })],
  [cohere, '0.0000594', [text], ofCohere({ input_tokens: 5 })],
])('tokens that %s does not list as text have the price of the image: %s RUB', (id, rub, content, answer) => {
  expect(chargeOf(id, content, answer)).toBe(rub);
});

const details = { input_tokens_details: { text_tokens: 12, image_tokens: 256 } };

// 12 tokens of text and 256 of pictures, or 268 of pictures, and 196 of the drawn image.
it.each([
  ['0.790812', 1, details],
  ['0.794376', 1, {}],
  ['0.71478', 0, {}],
])('a drawing costs %s RUB with %j pictures and the details %j', (rub, count, more) => {
  const endpoint = endpoints.find((one) => one.id === 'openai/openai/gpt-image-2')!;
  const engine = drawer(openaiImages);
  const target = {
    providerId: 'openai',
    upstreamModel: endpoint.upstreamModel,
    maxOutputTokens: undefined,
    supportedParameters: [],
    quirks: endpoint.quirks,
    image: endpoint.data.image,
  };
  const pictures = Array.from({ length: count }, () => ({ mediaType: 'image/png', base64: PIXEL.split(',')[1]! }));
  const [batchRequest] = engine.batchRequests({ prompt: 'a cat', count: 1, pictures }, target);
  const candidate = { endpoint, pricing: endpoint.pricing!, engine, target } as unknown as BatchCandidate;
  const answer = { data: [{ b64_json: 'iVBORw0KGgo=' }], usage: { input_tokens: 268, output_tokens: 196, ...more } };

  expect(chargedFor(batchRequest!, engine.readUsage(answer, {}, target), candidate).cost.toString()).toBe(rub);
});
