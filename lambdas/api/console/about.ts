import * as z from 'zod';
import { ok, tagged } from '../../http/about.ts';

export const consolePages = tagged('Service', {
  'get-console': {
    summary: 'The console: a page that shows and changes what an account may, over this API alone',
    success: {
      ...ok('The page as HTML. Its user enters a management key.', z.string()),
      content: { 'text/html': { schema: { type: 'string' } } },
    },
  },
  'get-console-file': {
    summary: 'A file of the page at `/console`',
    success: {
      ...ok('The script `app.js` or the styles `app.css`.', z.string()),
      content: { 'text/javascript': { schema: { type: 'string' } }, 'text/css': { schema: { type: 'string' } } },
    },
    errors: ['not_found'],
  },
});
