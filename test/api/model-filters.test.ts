import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listQuery } from '../../lambdas/api/models/answer-list.ts';
import { keptOffers } from '../../lambdas/api/models/filters.ts';
import { offersOf, type ModelOffer } from '../../lambdas/api/models/offer.ts';
import { refuseUnavailable } from '../../lambdas/api/models/unavailable.ts';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { parseWith } from '../../lambdas/http/parse.ts';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

/** 270.000001 RUB per million tokens, with all digits that a price may have. */
const cheap = '0.000270000001';
const models = [
  textModel('acme/small', [{ provider: 'groq', pricing: { prompt: cheap, completion: '0.0009' } }], {
    name: 'Acme Small Instruct',
    created: '2026-11-20',
    context_length: 10_000,
    supported_parameters: ['max_tokens', 'tools'],
  }),
  textModel(
    'acme/large',
    [
      { provider: 'openai', pricing: { prompt: '0.002', completion: '0.008' } },
      {
        provider: 'togetherai',
        pricing: { prompt: '0.003', completion: '0.008' },
        data_policy: { logs_prompts: false, trains_on_prompts: false, retention_days: 0 },
      },
    ],
    {
      created: '2026-10-21',
      distillable_text: true,
      categories: ['programming', 'science'],
      input_modalities: ['text', 'image'],
      supported_parameters: ['tools', 'reasoning'],
    },
  ),
  textModel('other/free', [{ provider: 'zai', context_length: 20_000, pricing: { prompt: '0', completion: '0' } }], {
    permaslug: 'other/gratis-2024',
    created: '2024-11-20',
    context_length: undefined,
  }),
  textModel('other/music', [{ provider: 'openai', pricing: { prompt: '0', completion: '0', song: '8' } }], {
    context_length: undefined,
    output_modalities: ['audio'],
  }),
  textModel('other/film', [{ provider: 'openai', wire: 'video-jobs', pricing: { prompt: '0', completion: '0' } }], {
    context_length: undefined,
    output_modalities: ['video'],
    video: { durations: [5], resolutions: ['1080p'], aspect_ratios: ['16:9'], price_per_second: { '1080p': '25' } },
  }),
];

let directory: CatalogDirectory;
let offers: ModelOffer[];
beforeAll(() => {
  directory = catalogDirectory(models);
  offers = offersOf({ models: loadCatalog(directory.path).models }, () => true);
});
afterAll(() => directory.remove());

const kept = (query: Record<string, string>) =>
  keptOffers(offers, parseWith(listQuery, query, 'query'), now).map(({ model }) => model.id.split('/')[1]);

describe('a list of models returns', () => {
  it.each([
    ['all models that make text, without a filter', {}, ['small', 'large', 'free']],
    ['models with one of the output modalities', { output_modalities: 'video,image' }, ['film']],
    ['models with output modalities in any letter case', { output_modalities: 'Video, IMAGE' }, ['film']],
    ['everything for "all"', { output_modalities: 'all' }, ['small', 'large', 'free', 'music', 'film']],
    ['everything for "All"', { output_modalities: 'All' }, ['small', 'large', 'free', 'music', 'film']],
    [
      'models that make text for an empty list of output modalities',
      { output_modalities: ',' },
      ['small', 'large', 'free'],
    ],
    ['models with all words in their name, in any case', { q: 'INSTRUCT  small' }, ['small']],
    ['models with a word in their id', { q: 'acme/' }, ['small', 'large']],
    ['models with a word in their permanent name', { q: 'gratis' }, ['free']],
    ['nothing if a word has no match', { q: 'acme nowhere' }, []],
    ['all models without a word', { q: '  ' }, ['small', 'large', 'free']],
    ['models with all of the input modalities', { input_modalities: 'text, image' }, ['large']],
    ['models that support all parameters', { supported_parameters: 'tools,reasoning' }, ['large']],
    ['models that support one parameter', { supported_parameters: 'Tools' }, ['small', 'large']],
    ['nothing for an unknown parameter', { supported_parameters: 'telepathy' }, []],
    ['models with a context from the given length on', { context: '20000' }, ['large', 'free']],
    ['only models with a longer context', { context: '20001' }, ['large']],
    ['models with an unknown context if the minimum is 0', { context: '0', output_modalities: 'video' }, ['film']],
    ['no models with an unknown context above that minimum', { context: '1', output_modalities: 'video' }, []],
    ['models with prompts up to a price', { max_price: '270.000001' }, ['small', 'free']],
    ['models with prompts up to a price with an exponent', { max_price: '2.70000001e2' }, ['small', 'free']],
    ['no models with prompts above a price by one digit', { max_price: '270.000000999999' }, ['free']],
    ['models with prompts from a price on', { min_price: '270.000001' }, ['small', 'large']],
    ['no models with prompts below a price by one digit', { min_price: '270.000001000001' }, ['large']],
    ['models with free prompts', { max_price: '0' }, ['free']],
    ['no models paid by the song as free models', { max_price: '0', output_modalities: 'audio' }, []],
    ['no models paid by the second as free models', { max_price: '0', output_modalities: 'video' }, []],
    ['models with answers up to a price', { max_output_price: '900' }, ['small', 'free']],
    ['models with answers from a price on', { min_output_price: '900.000001' }, ['large']],
    ['nothing for a minimum price above the maximum', { min_price: '2', max_price: '1' }, []],
    ['models of the authors', { model_authors: 'Other,nobody' }, ['free']],
    ['models of all authors for an empty list of authors', { model_authors: ',' }, ['small', 'large', 'free']],
    ['models of a provider, by its id', { providers: 'togetherai,groq' }, ['small', 'large']],
    ['models of a provider, by its name', { providers: 'together AI' }, ['large']],
    ['nothing of unknown providers', { providers: 'nobody' }, []],
    ['models with zero data retention', { zdr: 'true' }, ['small', 'large']],
    ['models whose output may train others', { distillable: 'true' }, ['large']],
    ['models whose output is not known to be usable for training', { distillable: 'false' }, ['small', 'free']],
    ['models for a category', { category: 'science' }, ['large']],
    ['nothing for a category that no model has', { category: 'legal' }, []],
    ['models that were released today', { max_age_days: '0' }, ['small']],
    ['models that were released thirty days ago or earlier', { min_age_days: '30' }, ['large', 'free']],
    ['models older than thirty days', { min_age_days: '31' }, ['free']],
    ['models that pass all filters', { supported_parameters: 'tools', max_price: '1000', context: '1' }, ['small']],
    ['all models that make text for an unknown query parameter', { beta: 'true' }, ['small', 'large', 'free']],
  ])('%s', (_, query, expected) => {
    expect(kept(query as Record<string, string>)).toEqual(expected);
  });
});

describe('a list of models refuses', () => {
  it.each([
    ['input_modalities', 'smell', 'must be a comma-separated list of text, image, file, audio, video'],
    ['output_modalities', 'smell', 'is not a modality; use "all" or a comma-separated list of text'],
    ['context', '-1', 'must be a whole number from 0'],
    ['context', '1e3', 'must be a whole number'],
    ['min_price', 'cheap', 'must be a number of roubles'],
    ['max_price', '-1', 'must be a number of roubles'],
    ['max_price', '', 'must be a number of roubles'],
    ['min_output_price', '1e-13', 'must be a number of roubles'],
    ['max_output_price', 'NaN', 'must be a number of roubles'],
    ['zdr', 'false', 'must be true'],
    ['category', 'cooking', 'must be one of programming, roleplay, marketing'],
    ['min_age_days', '0.5', 'must be a whole number'],
    ['max_age_days', '100001', 'must be a whole number from 0 to 100000'],
    ['q', 'a'.repeat(1_001), 'must have at most 1000 characters'],
    ['providers', 'a'.repeat(1_001), 'must have at most 1000 characters'],
    ['sort', 'cheapest', 'must be one of newest, pricing-low-to-high'],
    ['sort', 'most-popular', 'the gateway does not measure the popularity of models; use one of newest'],
    ['sort', 'top-weekly', 'the gateway does not measure'],
    ['sort', 'coding-high-to-low', 'the catalog has no benchmarks'],
    ['sort', 'constructor', 'must be one of'],
    ['limit', '1001', 'must be a whole number from 1 to 1000'],
    ['offset', '-1', 'must be a whole number from 0'],
    ['lifecycle', 'young', 'must be a comma-separated list of active, deprecated, retired'],
  ])('$0=$1', (field, value, message) => {
    expect(() => kept({ [field]: value })).toThrow(
      expect.objectContaining({
        status: 400,
        message: expect.stringContaining(message) as string,
        metadata: expect.objectContaining({ field }) as object,
      }) as Error,
    );
  });

  it.each([
    'arch',
    'region',
    'min_intelligence_index',
    'max_coding_index',
    'min_agentic_index',
    'max_tool_success_rate',
  ])('%s, for which the catalog has no data', (field) => {
    expect(() => refuseUnavailable({ [field]: '1' })).toThrow(
      expect.objectContaining({ status: 400, metadata: { field } }) as Error,
    );
  });
});

it('a list of models accepts an unavailable filter without a value, and unknown parameters', () => {
  expect(() => refuseUnavailable({ arch: '', constructor: '1', beta: 'true' })).not.toThrow();
});
