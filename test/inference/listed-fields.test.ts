import { describe, expect, it } from 'vitest';
import { candidatesWith, preferringListed } from '../../lambdas/inference/modalities/listed-fields.ts';
import type { BatchCandidate } from '../../lambdas/inference/batch/offers.ts';

const endpoint = (id: string, ...supportedParameters: string[]) =>
  ({ model: { id: 'acme/scribe' }, endpoint: { id }, target: { supportedParameters } }) as unknown as BatchCandidate;
const guided = endpoint('guided', 'prompt');
const worded = endpoint('worded', 'keywords', 'temperature');
const plain = endpoint('plain');

describe('fields that an endpoint must list', () => {
  it('exclude the endpoints without them', () => {
    const excluded: unknown[] = [];
    const left = candidatesWith({ prompt: 'DHL', keywords: undefined }, [plain, guided], (candidate) =>
      excluded.push(candidate),
    );

    expect(left).toEqual([guided]);
    expect(excluded).toEqual([plain]);
  });

  it.each([
    ['no endpoint lists one', [plain], 'prompt'],
    ['each endpoint lists only one of them', [guided, worded], 'prompt'],
  ])('refuse the request, and name one of the fields, if %s', (_how, candidates, field) => {
    const choose = () => candidatesWith({ prompt: 'DHL', keywords: ['DHL'] }, candidates, undefined);

    expect(choose).toThrow(expect.objectContaining({ status: 400, message: expect.stringContaining(field) as string }));
  });
});

describe('fields that only tune an answer', () => {
  it('put the endpoints that list most of them first, and exclude none', () => {
    const sorted = preferringListed(['prompt', 'keywords', 'temperature'], [plain, guided, worded]);

    expect(sorted).toEqual([worded, guided, plain]);
  });
});
