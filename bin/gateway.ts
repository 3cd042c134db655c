/** Runs the CDK app: `npm run synth`, `npm run deploy`. */

import { join } from 'node:path';
import { bundleFunctions, bundleServer } from '../lib/shared/bundles/bundle.ts';
import { currentBundles } from '../lib/aws/current-bundles.ts';
import { functions } from '../lambdas/routes.ts';
import { createGatewayApp } from '../lib/aws/gateway-app.ts';
import { SERVER_BUNDLE } from '../lib/aws/web-server.ts';
import { readConfig, type GatewayConfig } from '../lib/aws/config.ts';
import { StartFailure } from '../lib/shared/failure.ts';

try {
  const context = JSON.parse(process.env['CDK_CONTEXT_JSON'] ?? '{}') as Record<string, unknown>;
  await makeTemplates(readConfig((key) => context[key], Object.keys(context)));
} catch (error) {
  if (!(error instanceof StartFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function makeTemplates({ catalog, streamRuntime }: GatewayConfig): Promise<void> {
  const bundlesDirectory = await currentBundles('.build/functions', catalog, (...where) => {
    process.stderr.write(`Bundling ${Object.keys(functions).length} functions…\n`);
    return bundleFunctions(...where);
  });
  if (streamRuntime === 'web') await bundleServer(join(bundlesDirectory, SERVER_BUNDLE), catalog);
  process.stderr.write('Generating and checking the templates…\n');
  createGatewayApp(bundlesDirectory);
}
