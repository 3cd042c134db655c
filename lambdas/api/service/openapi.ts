import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import openapi from './openapi.json' with { type: 'json' };
import type { OpenapiAnswer } from './shape.ts';

export const handler = defineEndpoint('get-openapi', {}, () => jsonResponse<OpenapiAnswer>(200, openapi));
