import { ok } from '../../http/about.ts';
import type { ModalityTexts } from '../parts/about.ts';
import { decisionsAnswer } from './shape.ts';

const body = {
  model: 'sandbox/judge',
  state: 'My parcel has not arrived for two weeks. I want my money back!',
  questions: {
    topic: {
      type: 'choice',
      instructions: 'What is this about?',
      criteria: { delivery: 'A parcel is late or lost', payment: 'A payment has failed', other: null },
    },
    angry: { type: 'noul', instructions: 'Is the writer angry?' },
    urgency: { type: 'score', instructions: 'How urgent is it?', criteria: ['can wait', 'this week', 'today'] },
  },
};

export const about: ModalityTexts = {
  summary: 'Answer questions with probabilities',
  description:
    'A model reads a text (`state`) and answers named questions about it with probabilities: `choice` of one of several options, `noul` (the name of this type) for yes or no, `score` on a scale. All questions are answered, or none is.',
  bodyExample: body,
  answer: ok('An answer for each question.', decisionsAnswer, {
    id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
    model: 'sandbox/judge',
    provider: 'Sandbox',
    answers: {
      topic: {
        type: 'choice',
        choice: 'delivery',
        probabilities: { delivery: 0.9, payment: 0.07, other: 0.03 },
        confidence: 0.85,
      },
      angry: { type: 'noul', noul: 0.96 },
      urgency: {
        type: 'score',
        score: 1.9,
        legend: { '0': 'can wait', '1': 'this week', '2': 'today' },
        probabilities: { '0': 0, '1': 0.1, '2': 0.9 },
        confidence: 0.85,
      },
    },
    usage: { input_tokens: 431, output_tokens: 3, cost: 0.0434 },
  }),
  estimateSummary: 'Estimate decisions',
};
