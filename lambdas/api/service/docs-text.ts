import { compressedOnce } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { markdownResponse } from '../../http/response.ts';
import { renderMarkdown } from './markdown.ts';
import type { OpenApi } from './openapi-types.ts';
import openapi from './openapi.json' with { type: 'json' };

let docsText: string | undefined;

export const handler = definePublicEndpoint('get-docs-text', { compress: compressedOnce() }, () =>
  markdownResponse((docsText ??= renderMarkdown(openapi as unknown as OpenApi))),
);
