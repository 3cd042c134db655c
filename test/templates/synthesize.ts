import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { functions } from '../../lambdas/routes.ts';
import { createGatewayApp } from '../../lib/aws/gateway-app.ts';
import { SERVER_BUNDLE } from '../../lib/aws/web-server.ts';
import type { Settings } from './deployments.ts';

/** Writes bundles with little code. In templates, only hashes depend on the content of the bundles. */
export function writeSmallBundles(directory: string): void {
  for (const name of [...Object.keys(functions), SERVER_BUNDLE]) {
    mkdirSync(join(directory, name), { recursive: true });
    writeFileSync(join(directory, name, 'index.mjs'), `export const handler = () => '${name}';\n`);
  }
}

/**
 * Writes the templates of a deployment, without copies of the bundles.
 * @param outdir directory of the assembly
 * @throws {Error} if a setting is refused, or the CDK's validation of templates or an AWS Solutions check fails
 */
export function synthesizeTemplates(bundles: string, settings: Settings, outdir: string): void {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
  const given = Object.entries(settings).map(([name, value]) => [`gateway:${name}`, value]);
  const cdk = {
    'aws:cdk:disable-asset-staging': true,
    // Templates must name the files of their nested templates.
    'aws:cdk:enable-asset-metadata': true,
  };
  const { app } = createGatewayApp(bundles, {
    context: { ...context, ...cdk, ...Object.fromEntries(given) },
    outdir,
  });
  app.synth();
}
