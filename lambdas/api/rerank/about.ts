import { ok } from '../../http/about.ts';
import type { ModalityTexts } from '../parts/about.ts';
import { rerankAnswer } from './shape.ts';

const documents = ['The parcel left our warehouse today.', 'Our office is closed on Sundays.'];
const request = { model: 'sandbox/ranker', query: 'Where is my parcel?', documents, top_n: 1 };

export const about: ModalityTexts = {
  summary: 'Rank documents by relevance',
  description:
    'Compares each document with a query, and returns the documents in the order of their relevance. One model ranks all documents, or none.',
  bodyExample: request,
  answer: ok('The documents, the most relevant first.', rerankAnswer, {
    id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
    model: 'sandbox/ranker',
    provider: 'Sandbox Chat',
    results: [{ index: 0, relevance_score: 0.25, document: { text: documents[0]! } }],
    usage: { total_tokens: 27, cost: 0.10054 },
  }),
  estimateSummary: 'Estimate a rank',
  list: {
    summary: 'List rerank models',
    models: 'The models that rank documents by their relevance to a query.',
    example: {
      id: 'cohere/rerank-v3.5',
      object: 'model',
      owned_by: 'cohere',
      canonical_slug: 'cohere/rerank-v3.5-20241202',
      name: 'Rerank 3.5',
      created: 1_733_097_600,
      icon_id: 'cohere',
      context_length: 4_096,
      architecture: {
        input_modalities: ['text'],
        output_modalities: ['rerank'],
        modality: 'text->rerank',
        tokenizer: 'Other',
        instruct_type: null,
      },
      pricing: { prompt: '0', completion: '0', search_unit: '0.198' },
      top_provider: { context_length: 4_096, max_completion_tokens: null, is_moderated: false },
      supported_parameters: ['max_tokens_per_doc'],
    },
  },
};
