import { ok, providerErrors, tagged } from '../../http/about.ts';
import { estimateAbout } from '../parts/about.ts';
import { embeddingsAnswer } from './shape.ts';

const body = { model: 'sandbox/embedder', input: ['Where is my parcel?', 'The parcel is late.'], dimensions: 8 };

export const embeddings = tagged('Inference', {
  'create-embeddings': {
    chargedOnce: true,
    summary: 'Turn texts into vectors',
    description:
      'Makes a vector (embedding) of each text, so that texts with a similar meaning have vectors near each other. All texts are embedded by one model, or none is. If the answer has no `usage.cost` yet, the header `x-service-billing-status` is `pending`, and `GET /generation` has the cost a little later.',
    bodyExample: body,
    success: {
      ...ok('A vector for each text.', embeddingsAnswer, {
        id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
        object: 'list',
        model: 'sandbox/embedder',
        provider: 'Sandbox Chat',
        data: [{ object: 'embedding', index: 0, embedding: [0.5, -0.5, 0.5, 0.5] }],
        usage: { prompt_tokens: 5, total_tokens: 5, cost: 0.0001 },
      }),
      headers: {
        'x-service-billing-status':
          'The value is `pending` where the answer has no `usage.cost` yet; otherwise the header is absent.',
      },
    },
    errors: [...providerErrors, 'payment_required'],
  },
  'estimate-embeddings': estimateAbout({
    summary: 'Estimate embeddings',
    path: '/embeddings',
    bodyExample: body,
  }),
});
