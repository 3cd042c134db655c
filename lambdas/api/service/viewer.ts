import { compressedOnce } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { scriptResponse } from '../../http/response.ts';
import { viewerScript } from './viewer-script.ts';

let script: string | undefined;

export const handler = definePublicEndpoint('get-docs-viewer', { compress: compressedOnce() }, () =>
  scriptResponse((script ??= viewerScript())),
);
