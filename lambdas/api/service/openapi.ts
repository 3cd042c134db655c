import { compressed } from '../../http/compressed.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import openapi from './openapi.json' with { type: 'json' };
import type { OpenapiAnswer } from './shape.ts';

export const handler = defineEndpoint('get-openapi', { compress: compressed }, () =>
  jsonResponse<OpenapiAnswer>(200, openapi),
);
