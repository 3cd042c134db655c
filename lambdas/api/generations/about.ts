import { ok, tagged } from '../../http/about.ts';
import { generationAnswer } from './shape.ts';

export const generations = tagged('Account', {
  'get-generation': {
    summary: 'Read what one request came to',
    description:
      'A key of a member sees its member’s generations in its workspace, any other key those of its workspace. 404 until the cost is final; of a request that was refused, the 404 says so, and why.',
    success: ok('The record of the generation.', generationAnswer),
    errors: ['not_found'],
  },
});
