import { compressedOnce } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import openapi from './openapi.json' with { type: 'json' };
import type { OpenapiAnswer } from './shape.ts';

export const handler = definePublicEndpoint('get-openapi', { compress: compressedOnce() }, () =>
  jsonResponse<OpenapiAnswer>(200, openapi),
);
