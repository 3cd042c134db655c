/**
 * Each request must be sent to an image endpoint in the form that the provider accepts, or refused with the name of a
 * field.
 */

import { describe, expect, it } from 'vitest';
import { prepareOffers, type BatchCandidate } from '../../lambdas/inference/batch/offers.ts';
import { engineCandidate } from '../../lambdas/inference/modalities/modality.ts';
import { imagesModality } from '../../lambdas/inference/modalities/images.ts';
import { createdImageBody } from '../../lambdas/inference/modalities/images-schema.ts';
import type { ImagesAnswer, ImageTask } from '../../lambdas/providers/images/codec.ts';
import { loadShippedCatalog } from '../support/catalog.ts';
import { imageFakes, imageSources } from './images.ts';

const places = loadShippedCatalog()
  .models.filter(({ id }) => !id.startsWith('sandbox/'))
  .flatMap((model) => model.endpoints.filter(({ data }) => data.image).map((endpoint) => ({ model, endpoint })));

const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA' } };
const requests: object[] = [
  {},
  { n: 10 },
  { size: '1024x1024' },
  { size: '1536x1024' },
  { size: '2K' },
  { resolution: '1K', aspect_ratio: '16:9' },
  { aspect_ratio: '1:1' },
  { aspect_ratio: '20:9' },
  { quality: 'low' },
  { quality: 'premium' },
  { quality: 'standard' },
  { quality: 'hd' },
  { output_format: 'png' },
  { output_format: 'webp', output_compression: 80 },
  { output_compression: 80 },
  { output_format: 'png', output_compression: 80 },
  { size: '1344x768' },
  { size: '896x1152', aspect_ratio: '4:5' },
  { size: '1792x1024' },
  ...['3840x2160', '2880x2880', '1728x2304', '1920x1080', '3840x1024', '640x640', '3856x2048', '3840x2176'].map(
    (size) => ({
      size,
    }),
  ),
  { background: 'transparent' },
  { background: 'transparent', output_format: 'jpeg' },
  { background: 'opaque' },
  { seed: 2 ** 31 - 20 },
  { moderation: 'low', style: 'vivid' },
  { stream: true },
  { stream: true, partial_images: 3, n: 1 },
  { stream: true, partial_images: 2, input_references: [picture] },
  { input_references: [picture] },
  { input_references: [picture, picture, picture, picture] },
  { prompt: 'broken \ud83d' },
  { prompt: 'word '.repeat(5_000) },
];

type Candidate = BatchCandidate<ImageTask, ImagesAnswer>;

function candidateOf({ model, endpoint }: (typeof places)[number]): Candidate {
  const pricing = endpoint.pricing!;
  const usable = {
    model,
    endpoint: { ...endpoint, pricing },
    pricing,
    held: { pricing },
    credential: 'c',
    isOnlyFirst: false,
  };
  return engineCandidate(imagesModality, usable as never)!;
}

function ask(request: object, candidate: Candidate): { sent: { path: string; body: string }[] } | { refused: unknown } {
  const body = createdImageBody.schema.parse({ model: candidate.model.id, prompt: 'A fox', ...request });
  const task = imagesModality.taskOf(body, [body.prompt]);
  try {
    const candidates = imagesModality.fitting!(task, [candidate], undefined);
    prepareOffers(candidates, task, imagesModality);
    const sent = [...candidate.engine.batchRequests(task, candidate.target)];
    return { sent: sent.map(({ request: { path, body: text } }) => ({ path, body: String(text) })) };
  } catch (error) {
    const { metadata } = error as { metadata?: { field?: unknown } };
    if (typeof metadata?.field !== 'string') throw error;
    return { refused: metadata.field };
  }
}

const fakeOf = ({ endpoint: { wire, provider } }: Candidate) => imageFakes[`${wire} ${provider.id}`];

describe('image endpoints of the catalog', () => {
  it('are at least fifteen models, each with a strict fake', () => {
    expect(new Set(places.map(({ model }) => model.id)).size).toBeGreaterThanOrEqual(15);
    expect(places.map(candidateOf).filter((candidate) => !fakeOf(candidate))).toEqual([]);
  });

  it.each(places.map((place) => [place.endpoint.id, candidateOf(place)] as const))(
    'get only requests that their provider accepts, and refuse others by the name of a field: %s',
    (_id, candidate) => {
      for (const request of requests) {
        const outcome = ask(request, candidate);
        const refused =
          'sent' in outcome
            ? outcome.sent.flatMap((one) =>
                fakeOf(candidate)!.refusals({ headers: {}, ...one }, candidate.target.upstreamModel),
              )
            : [];
        expect({ request, refused }).toEqual({ request, refused: [] });
      }
    },
  );

  it.each(places.map((place) => [place.endpoint.id, candidateOf(place)] as const))(
    'accept the usual requests of clients: %s',
    (_id, candidate) => {
      for (const request of [{}, { n: 10 }, { size: '1024x1024' }, { aspect_ratio: '1:1' }, { quality: 'auto' }]) {
        expect(ask(request, candidate)).toMatchObject({ sent: expect.any(Array) as unknown });
      }
    },
  );

  it.each(places.map((place) => [place.endpoint.id, candidateOf(place)] as const))(
    'get the fidelity to pictures only if their provider accepts it: %s',
    (_id, candidate) => {
      const task: ImageTask = {
        prompt: 'A fox',
        count: 1,
        pictures: candidate.target.image!.max_references ? [{ mediaType: 'image/png', base64: 'iVBORw0KGgo=' }] : [],
        input_fidelity: 'high',
      };
      const [{ request } = { request: undefined }] = candidate.engine.batchRequests(task, candidate.target);
      const { path, body } = request as { path: string; body: string };

      expect(fakeOf(candidate)!.refusals({ headers: {}, path, body }, candidate.target.upstreamModel)).toEqual([]);
    },
  );

  // 23,718 tokens: OpenAI's calculator, whose results https://github.com/QuantumNous/new-api/issues/4474 quotes.
  it('of GPT Image 2 and 2.5 get other sizes too, and hold the tokens of so many pixels', () => {
    const gpt = places.map(candidateOf).filter(({ model }) => model.id.startsWith('openai/'));
    const free = gpt.filter((candidate) => 'sent' in ask({ size: '2880x2880', quality: 'high' }, candidate));
    expect(free.map(({ target }) => target.upstreamModel)).toEqual([
      'gpt-image-2.5-sunburst',
      'gpt-image-2.5-flare',
      'gpt-image-2',
    ]);
    for (const candidate of free) {
      const task: ImageTask = { prompt: 'A fox', count: 1, pictures: [], size: '2880x2880', quality: 'high' };
      const [sent] = candidate.engine.batchRequests(task, candidate.target);
      expect(sent!.outputTokens).toBeGreaterThan(23_718);
      expect(ask({ size: '1920x1080' }, candidate)).toEqual({ refused: 'size' });
    }
  });

  // Some clients send sizes of other models to every model.
  it.each([
    ['1344x768', '16:9'],
    // The default of Open WebUI.
    ['512x512', '1:1'],
    ['1792x1024', '16:9'],
    ['1184x864', '4:3'],
    ['896x1152', '4:5'],
    ['1536x672', '21:9'],
  ])('have for the size %s the ratio %s, if they take ratios', (size, ratio) => {
    const gemini = places.map(candidateOf).filter(({ target }) => target.image!.aspect_ratios?.includes(ratio));
    const sent = gemini.map((candidate) => JSON.stringify(ask({ size }, candidate)));

    expect(gemini.length).toBeGreaterThan(2);
    expect(sent.filter((one) => !one.includes(ratio))).toEqual([]);
  });

  it('have a price of each image, or tokens that bound it', () => {
    const unbounded = places.filter(
      ({ endpoint: { data, pricing } }) => !data.image!.tokens && !pricing!.output_image && !data.image!.prices,
    );
    expect(unbounded).toEqual([]);
  });
});

const refusals = (name: string, body: object, path = '/images/generations') =>
  imageFakes[name]!.refusals({ path, headers: {}, body: JSON.stringify(body) }, 'gpt-image-2');

describe('a strict fake of images', () => {
  it.each([
    ['openai-images openai', { model: 'm', prompt: 'p', response_format: 'b64_json' }, /response_format/],
    ['openai-images openai', { model: 'm', prompt: 'p', background: 'transparent' }, /transparent/],
    ['openai-images openai', { model: 'm', prompt: 'p', n: 2, stream: true, partial_images: 1 }, /n=1/],
    ['openai-images openai', { model: 'm', prompt: 'p', partial_images: 1 }, /streamed/],
    ['openai-images openai', { model: 'm', prompt: 'p', output_compression: 80 }, /compression/],
    ['openai-images openai', { model: 'm', prompt: 'p', input_fidelity: 'low' }, /fidelity/],
    ['openai-images xai', { model: 'm', prompt: 'p', stream: true }, /stream/],
    ['openai-images xai', { model: 'm', prompt: 'p', size: '1024x1024' }, /size/],
    ['openai-images togetherai', { model: 'm', prompt: 'p', response_format: 'url' }, /response_format/],
    ['imagen google', { instances: [{ prompt: 'p' }], parameters: { sampleCount: 5 } }, /sampleCount/],
    ['bfl-images black-forest-labs', { prompt: 'p', width: 4_096 }, /width/],
    ['bedrock-nova-canvas amazon-bedrock', { prompt: 'p' }, /taskType/],
  ])('of %s refuses %j', (name, body, reason) => {
    expect(refusals(name, body).join()).toMatch(reason);
  });

  it('names its sources', () => {
    expect(imageSources.filter((source) => !/^https:\/\/\S+$/.test(source))).toEqual([]);
  });
});
