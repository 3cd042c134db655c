import { compressed } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { markdownResponse } from '../../http/response.ts';
import { renderMarkdown } from './markdown.ts';
import type { OpenApi } from './openapi-types.ts';
import openapi from './openapi.json' with { type: 'json' };

let text: string | undefined;

export const handler = definePublicEndpoint('get-docs-text', { compress: compressed }, () =>
  markdownResponse((text ??= renderMarkdown(openapi as unknown as OpenApi))),
);
