import * as z from 'zod';
import { ok, tagged } from '../../http/about.ts';
import { healthAnswer, openapiAnswer } from './shape.ts';

export const service = tagged('Service', {
  'get-openapi': {
    summary: 'Read this document as OpenAPI',
    success: ok('The document, in the form of OpenAPI 3.1.', openapiAnswer),
  },
  'get-docs': {
    summary: 'Read this document in a browser',
    success: {
      ...ok('A page that shows the document, with search, samples and requests to try.', z.string()),
      content: { 'text/html': { schema: { type: 'string' } } },
    },
  },
  'get-docs-viewer': {
    summary: 'Get the script of the page at `/docs`',
    success: {
      ...ok('The script that shows the document in a browser.', z.string()),
      content: { 'text/javascript': { schema: { type: 'string' } } },
    },
  },
  'get-docs-text': {
    summary: 'Read this document as Markdown, with `curl` or as a model',
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
