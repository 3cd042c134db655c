import * as z from 'zod';
import { ok, tagged } from '../../http/about.ts';
import { healthAnswer, openapiAnswer } from './shape.ts';

export const service = tagged('Service', {
  'get-openapi': {
    summary: 'This document',
    success: ok('OpenAPI 3.1.', openapiAnswer),
  },
  'get-docs': {
    summary: 'This document, to read',
    success: { ...ok('One page.', z.string()), content: { 'text/html': { schema: { type: 'string' } } } },
  },
  'get-docs-text': {
    summary: 'This document as Markdown, for `curl` and for models',
    success: { ...ok('One text.', z.string()), content: { 'text/markdown': { schema: { type: 'string' } } } },
  },
  health: {
    summary: 'Whether the gateway answers',
    success: ok('It does.', healthAnswer, { status: 'ok' }),
  },
});
