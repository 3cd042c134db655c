import { compressed } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { htmlResponse } from '../../http/response.ts';
import type { OpenApi } from './openapi-types.ts';
import openapi from './openapi.json' with { type: 'json' };
import { renderPage } from './page.ts';

let page: string | undefined;

export const handler = definePublicEndpoint('get-docs', { compress: compressed }, () =>
  htmlResponse((page ??= renderPage(openapi as unknown as OpenApi))),
);
