import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { htmlResponse } from '../../http/response.ts';
import { docsPage, docsPolicy } from './docs-page.ts';

export const handler = definePublicEndpoint('get-docs', {}, () => htmlResponse(docsPage, docsPolicy));
