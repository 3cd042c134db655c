import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { functions } from '../../lambdas/routes.ts';
import { createGatewayApp } from '../../lib/aws/gateway-app.ts';
import { SERVER_BUNDLE } from '../../lib/aws/web-server.ts';
import { readAssets, readTemplate } from '../../lib/local/sandboxed/templates.ts';

export interface Synthesized {
  /** To be removed at the end. */
  directory: string;
  data: Template;
  /** With the resources of the stacks that are nested in it. */
  api: Template;
  books: Template;
  /** The findings of the checks of AWS's solutions. */
  violations: readonly unknown[];
}

/** The templates of a deployment with these settings. One line of code a function is enough: they do not depend on what is in the bundles. */
export function synthesize(settings: Record<string, unknown> = {}): Synthesized {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-templates-'));
  const [bundles, outdir] = [join(directory, 'bundles'), join(directory, 'cdk.out')];
  for (const name of [...Object.keys(functions), SERVER_BUNDLE]) {
    mkdirSync(join(bundles, name), { recursive: true });
    writeFileSync(join(bundles, name, 'index.mjs'), `export const handler = () => '${name}';\n`);
  }
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
  const app = { context: { ...context, ...settings }, outdir, builtinCloudFormationValidation: false };
  const { app: created, data, api, books } = createGatewayApp(bundles, app);
  const { violations } = new AwsSolutionsChecks().validateScope(created);
  Template.fromStack(api);
  const whole = readTemplate(join(outdir, api.templateFile), readAssets(outdir, api.artifactId));
  return {
    directory,
    data: Template.fromStack(data),
    api: Template.fromJSON(whole),
    books: Template.fromStack(books),
    violations,
  };
}
