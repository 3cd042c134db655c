/** The CDK app: `npm run synth`, `npm run deploy`. */

import { bundleFunctions } from '../lib/aws/bundle.ts';
import { createGatewayApp } from '../lib/aws/gateway-app.ts';
import { loadCatalog } from '../lambdas/catalog/load.ts';

const context = JSON.parse(process.env['CDK_CONTEXT_JSON'] ?? '{}') as Record<string, unknown>;
const catalog = context['gateway:catalog'] as string | undefined;
// A catalog with a mistake must fail here, not in every function after the deployment.
loadCatalog(catalog);
const { directory } = await bundleFunctions('.build/functions', catalog);
createGatewayApp(directory);
