import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';

export const handler = defineEndpoint('health', {}, () => jsonResponse(200, { status: 'ok' }));
