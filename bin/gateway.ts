/** The CDK app: `npm run synth`, `npm run deploy`. */

import { bundleFunctions } from '../lib/aws/bundle.ts';
import { createGatewayApp } from '../lib/aws/gateway-app.ts';

const context = JSON.parse(process.env['CDK_CONTEXT_JSON'] ?? '{}') as Record<string, unknown>;
const { directory } = await bundleFunctions('.build/functions', context['gateway:catalog'] as string | undefined);
createGatewayApp(directory);
