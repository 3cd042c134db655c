import { exampleIds, ok, tagged } from '../../http/about.ts';
import { generationAnswer, generationListAnswer, requestRecordAnswer } from './shape.ts';

const id = 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d';

const route = {
  model: 'sandbox/claude',
  model_permaslug: 'sandbox/claude-20261120',
  endpoint_id: 'sandbox/claude',
  provider_name: 'Sandbox',
};
const request = {
  id,
  created_at: '2026-11-20T12:00:00.000Z',
  api_type: 'completions',
  ...route,
  total_cost: 0.0303,
  tokens_prompt: 1,
  tokens_completion: 20,
  finish_reason: 'end_turn',
  latency: 7,
  generation_time: 206,
  workspace_id: exampleIds.workspace,
  tags: { user: 'ann', project: 'lake' },
};
const { model: _model, ...attempt } = route;

const generation = {
  ...request,
  usage: request.total_cost,
  currency: 'RUB',
  cache_discount: 0,
  streamed: true,
  left_out: ['seed'],
  cancelled: false,
  num_search_results: 0,
  estimated: false,
  capped: false,
  ending: 'complete',
  overhead_ms: 4,
  provider_ms: 2131,
  native_tokens_prompt: 1,
  native_tokens_completion: 20,
  native_finish_reason: 'end_turn',
  is_byok: false,
  external_user: 'ann',
  origin: '',
  data_region: 'global',
  provider_responses: [
    { ...attempt, status: 200, failure: null, latency: 7, is_byok: false, total_cost: request.total_cost },
  ],
};

export const generations = tagged('Account', {
  'get-generation': {
    summary: 'Read the record of a request',
    description:
      'Cost, tokens, times and provider of one request, by the id of its answer. A key of a member sees the requests of this member, any other key those of its workspace. The answer is 404 until the cost is final; for a request that was refused, the 404 says so and why, in `metadata.refusal`.',
    success: ok('The record of the generation.', generationAnswer, { data: generation }),
    errors: ['not_found'],
  },
  'list-generations': {
    summary: 'List requests of the account',
    description:
      'The requests of all keys of the account, the newest first, with the cost of each: answered, running and refused requests. Refused requests are kept for thirty days. With a filter, a page may be short even if more requests follow: continue until `next_cursor` is null.',
    success: ok('A page of the matching requests.', generationListAnswer, {
      data: [{ ...request, status: 'complete', refusal: null, api_key_hash: '5ff7'.repeat(16), user_id: null }],
      next_cursor: null,
      searched_until: null,
    }),
    errors: ['invalid_request', 'not_found'],
  },
  'get-request-record': {
    summary: 'Read one request of the account, and how its price is computed',
    description:
      'Shows the record of one request, and how its cost is computed: the units of each kind, the price of one unit, and their sum. It also shows which providers got the request, and why a refused request was refused.',
    success: ok('The request, its record, and the lines of its price.', requestRecordAnswer),
  },
});
