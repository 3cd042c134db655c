import * as z from 'zod';
import { ok, tagged } from '../../http/about.ts';
import { healthAnswer, openapiAnswer } from './shape.ts';

export const service = tagged('Service', {
  'get-openapi': {
    summary: 'This document',
    success: ok('The document, in the form of OpenAPI 3.1.', openapiAnswer),
  },
  'get-docs': {
    summary: 'This document, to read',
    success: {
      ...ok('The document as one page of HTML.', z.string()),
      content: { 'text/html': { schema: { type: 'string' } } },
    },
  },
  'get-docs-text': {
    summary: 'This document as Markdown, for `curl` and for models',
    success: {
      ...ok('The document as one text of Markdown.', z.string()),
      content: { 'text/markdown': { schema: { type: 'string' } } },
    },
  },
  health: {
    summary: 'Whether the gateway answers',
    success: ok('The gateway answers, and takes requests.', healthAnswer, { status: 'ok' }),
  },
});
