import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import type { HealthAnswer } from './shape.ts';

export const handler = definePublicEndpoint('health', {}, () => jsonResponse<HealthAnswer>(200, { status: 'ok' }));
