import { createHash } from 'node:crypto';
import * as z from 'zod';
import { compressed } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { someId } from '../../http/path-params.ts';
import { fileResponse } from '../../http/response.ts';
import { notFound } from '../../platform/errors.ts';
import { consoleFiles } from './built-files.ts';

export const accepts = {
  compress: compressed,
  params: z.object({
    file: someId.meta({ description: 'The name of the file: `app.js` or `app.css`.', example: 'app.js' }),
  }),
};

const types = { 'app.js': 'text/javascript', 'app.css': 'text/css' };

/**
 * Returns a file of the console. Browsers cache the file, but check before each use whether it is current, because a
 * new page must not use files of an earlier release.
 */
export const handler = definePublicEndpoint('get-console-file', accepts, async ({ params: { file }, request }) => {
  if (!isName(file)) throw notFound(`The console has no file "${file}".`);
  const text = (await consoleFiles())[file];
  const tag = `W/"${createHash('sha256').update(text).digest('base64url')}"`;
  return fileResponse({ text, type: types[file], tag }, request);
});

function isName(file: string): file is keyof typeof types {
  return Object.hasOwn(types, file);
}
