import { ok, tagged } from '../../http/about.ts';
import { generationAnswer, generationListAnswer, requestRecordAnswer } from './shape.ts';

export const generations = tagged('Account', {
  'get-generation': {
    summary: 'Read what one request came to',
    description:
      'A key of a member sees its member’s generations in its workspace, any other key those of its workspace. 404 until the cost is final; of a request that was refused, the 404 says so, and why.',
    success: ok('The record of the generation.', generationAnswer),
    errors: ['not_found'],
  },
  'list-generations': {
    summary: 'List requests of the account',
    description:
      'Requests of any days, newest first, with the cost of each: those that were answered, those that go on, and those that were refused (kept for thirty days).',
    success: ok('A page of the requests that were asked for.', generationListAnswer, {
      data: [
        {
          id: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
          created_at: '2026-11-20T12:00:00.000Z',
          status: 'complete',
          refusal: null,
          api_type: 'completions',
          model: 'sandbox/claude',
          model_permaslug: 'sandbox/claude-20261120',
          endpoint_id: 'sandbox/claude',
          provider_name: 'Sandbox',
          total_cost: 0.0303,
          tokens_prompt: 1,
          tokens_completion: 20,
          finish_reason: 'end_turn',
          latency: 7,
          generation_time: 206,
          api_key_hash: '5ff7'.repeat(16),
          workspace_id: '01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
          user_id: null,
        },
      ],
      next_cursor: null,
    }),
    errors: ['invalid_request', 'not_found'],
  },
  'get-request-record': {
    summary: 'Read one request of the account, and how its price comes about',
    description:
      'For each request to a provider the units of each kind, the price of one, and what they come to; who was asked before; and of a refused request, why.',
    success: ok('The request, its record, and the lines of its price.', requestRecordAnswer),
  },
});
