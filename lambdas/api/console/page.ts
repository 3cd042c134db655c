import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { htmlResponse } from '../../http/response.ts';

/**
 * The links are relative to the page's URL. The page and the API routes have the same parent path, even with a stage or
 * a base path.
 */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Model gateway: console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="console/app.css">
<script type="module" src="console/app.js"></script>
</head>
<body>
<noscript>The console needs JavaScript. All that it does is done by the API: <a href="docs.md">read about it</a>.</noscript>
<div id="console"></div>
</body>
</html>
`;

/** Limits scripts, styles and requests to this origin, because users enter a key in the console. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'media-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const handler = definePublicEndpoint('get-console', {}, () => htmlResponse(page, policy));
