import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import type { HealthAnswer } from './shape.ts';

export const handler = defineEndpoint('health', {}, () => jsonResponse<HealthAnswer>(200, { status: 'ok' }));
