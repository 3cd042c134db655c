import { describe, expect, it } from 'vitest';
import type { BatchCandidate } from '../../lambdas/inference/batch/offers.ts';
import { imagesModality } from '../../lambdas/inference/modalities/images.ts';
import type { ImageBody } from '../../lambdas/inference/modalities/images-schema.ts';
import { imageEngines } from '../../lambdas/providers/images/engines.ts';

type Candidate = BatchCandidate & { engine: (typeof imageEngines)['openai-images'] };

const endpoint = (id: string, supportedParameters: string[], image: object = {}) =>
  ({
    model: { id: 'acme/painter' },
    endpoint: { id },
    engine: imageEngines['openai-images'],
    target: { supportedParameters, image: { output_formats: ['png'], ...image }, quirks: {} },
  }) as unknown as Candidate;

const seeded = endpoint('seeded', ['seed']);
const moderated = endpoint('moderated', ['seed', 'moderation'], { qualities: ['low'] });
const plain = endpoint('plain', []);

function fitting(fields: Partial<ImageBody>, candidates: Candidate[], excluded: unknown[] = []) {
  const task = imagesModality.taskOf({ model: 'acme/painter', prompt: 'A fox', ...fields }, ['A fox']);
  return imagesModality.fitting!(task, candidates, (candidate) => excluded.push(candidate));
}

describe('fields that only adjust an image', () => {
  it('put the endpoints that accept most of them first', () => {
    const order = fitting({ seed: 7, moderation: 'low', quality: 'low' }, [plain, seeded, moderated]);

    expect(order.map(({ endpoint: { id } }) => id)).toEqual(['moderated', 'seeded', 'plain']);
  });

  it('exclude the endpoints without them if the client requires all parameters', () => {
    const excluded: unknown[] = [];
    const provider = { require_parameters: true };

    expect(fitting({ seed: 7, provider }, [plain, seeded], excluded)).toEqual([seeded]);
    expect(excluded).toEqual([plain]);
    expect(fitting({ seed: 7 }, [plain])).toEqual([plain]);
  });

  it.each([
    ['seed', { seed: 7 }],
    ['moderation', { moderation: 'low' }],
    ['output_compression', { output_compression: 50 }],
    ['quality', { quality: 'high' }],
    ['partial_images', { stream: true, partial_images: 1 }],
  ] as const)('refuse the request by name if no endpoint accepts the required %s', (field, body) => {
    const choose = () => fitting({ ...body, provider: { require_parameters: true } }, [plain]);

    expect(choose).toThrow(
      expect.objectContaining({ status: 400, metadata: expect.objectContaining({ field }) as object }),
    );
  });
});
