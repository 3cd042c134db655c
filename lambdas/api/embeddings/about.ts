import { ok } from '../../http/about.ts';
import type { ModalityTexts } from '../parts/about.ts';
import { embeddingsAnswer } from './shape.ts';

const body = { model: 'sandbox/embedder', input: ['Where is my parcel?', 'The parcel is late.'], dimensions: 8 };

export const about: ModalityTexts = {
  summary: 'Turn texts into vectors',
  description:
    'Makes a vector (embedding) of each text, so that texts with a similar meaning have vectors near each other. Some models also embed images. All inputs are embedded by one model, or none is.',
  bodyExample: body,
  answer: ok('A vector for each text.', embeddingsAnswer, {
    id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
    object: 'list',
    model: 'sandbox/embedder',
    provider: 'Sandbox Chat',
    data: [{ object: 'embedding', index: 0, embedding: [0.5, -0.5, 0.5, 0.5] }],
    usage: { prompt_tokens: 5, total_tokens: 5, cost: 0.0001 },
  }),
  estimateSummary: 'Estimate embeddings',
  list: {
    summary: 'List embedding models',
    models: 'The models that turn texts into vectors (embeddings).',
    example: {
      id: 'openai/text-embedding-3-small',
      object: 'model',
      owned_by: 'openai',
      canonical_slug: 'openai/text-embedding-3-small-20240125',
      name: 'text-embedding-3-small',
      created: 1_706_140_800,
      icon_id: 'openai',
      knowledge_cutoff: '2024-01',
      context_length: 8_191,
      architecture: {
        input_modalities: ['text'],
        output_modalities: ['embeddings'],
        modality: 'text->embeddings',
        tokenizer: 'Other',
        instruct_type: null,
      },
      pricing: { prompt: '0.00000198', completion: '0' },
      top_provider: { context_length: 8_191, max_completion_tokens: null, is_moderated: false },
      supported_parameters: ['dimensions'],
    },
  },
};
