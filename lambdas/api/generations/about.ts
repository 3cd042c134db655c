import { ok, type About } from '../../http/about.ts';
import { generationAnswer } from './shape.ts';

export const generations = {
  'get-generation': {
    tag: 'Account',
    summary: 'Read what one request came to',
    description:
      'A key of a member sees its member’s generations in its workspace, any other key those of its workspace. 404 until the cost is final.',
    success: ok('The generation.', generationAnswer),
    errors: ['not_found'],
  },
} satisfies Record<string, About>;
