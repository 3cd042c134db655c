import { z } from 'zod';
import type { RouteName } from '../../../lambdas/routes.ts';
import { ok, type Operation } from '../operation.ts';

export const serviceOperations = {
  'get-openapi': {
    tag: 'Service',
    summary: 'This document',
    success: ok('OpenAPI 3.1.', z.looseObject({ openapi: z.string() })),
  },
  'get-docs': {
    tag: 'Service',
    summary: 'This document, to read',
    success: { ...ok('One page.', z.string()), content: { 'text/html': { schema: { type: 'string' } } } },
  },
  health: {
    tag: 'Service',
    summary: 'Whether the gateway answers',
    success: ok('It does.', z.strictObject({ status: z.literal('ok') }), { status: 'ok' }),
  },
} satisfies Partial<Record<RouteName, Operation>>;
