import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import openapi from './openapi.json' with { type: 'json' };

export const handler = defineEndpoint('get-openapi', {}, () => jsonResponse(200, openapi));
