/** Page with the API reference. Its viewer is served from this origin, and sends requests to no other origin. */

import { createHash } from 'node:crypto';

/**
 * URLs are relative to the page, which has the same parent path as the API routes, even at a domain with a base path.
 * Telemetry is disabled.
 */
const start = `Scalar.createApiReference('#reference', {
  url: new URL('openapi.json', location.href).href,
  servers: [{ url: new URL('.', location.href).href.slice(0, -1) }],
  metaData: { title: document.title },
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'bearer' },
  orderSchemaPropertiesBy: 'preserve',
});`;

export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Model gateway: API reference</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="docs.md">
</head>
<body>
<noscript>This page needs JavaScript. The same is there as <a href="docs.md">text</a> and as an <a href="openapi.json">OpenAPI document</a>.</noscript>
<div id="reference"></div>
<script src="docs/viewer.js"></script>
<script>${start}</script>
</body>
</html>
`;

const startHash = createHash('sha256').update(start).digest('base64');

/**
 * Scripts come only from this origin, and requests go only to it. The viewer creates style elements whose hashes are
 * unknown, so inline styles are allowed. Under this policy, a style can neither run code nor load anything from another
 * origin.
 */
export const docsPolicy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${startHash}'`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
