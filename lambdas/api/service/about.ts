import { z } from 'zod';
import { ok, type About } from '../../http/about.ts';
import { healthAnswer, openapiAnswer } from './shape.ts';

export const service = {
  'get-openapi': {
    tag: 'Service',
    summary: 'This document',
    success: ok('OpenAPI 3.1.', openapiAnswer),
  },
  'get-docs': {
    tag: 'Service',
    summary: 'This document, to read',
    success: { ...ok('One page.', z.string()), content: { 'text/html': { schema: { type: 'string' } } } },
  },
  health: {
    tag: 'Service',
    summary: 'Whether the gateway answers',
    success: ok('It does.', healthAnswer, { status: 'ok' }),
  },
} satisfies Record<string, About>;
