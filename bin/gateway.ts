/** The CDK app: `npm run synth`, `npm run deploy`. It says what it does, because that takes half a minute. */

import { bundleFunctions } from '../lib/aws/bundle.ts';
import { functions } from '../lambdas/routes.ts';
import { createGatewayApp } from '../lib/aws/gateway-app.ts';

const context = JSON.parse(process.env['CDK_CONTEXT_JSON'] ?? '{}') as Record<string, unknown>;
process.stderr.write(`Bundling ${Object.keys(functions).length} functions…\n`);
const { directory } = await bundleFunctions('.build/functions', context['gateway:catalog'] as string | undefined);
process.stderr.write('Making the templates, and checking them…\n');
createGatewayApp(directory);
