import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { createGatewayApp } from '../../lib/aws/gateway-app.ts';
import { writeSmallBundles } from '../templates/synthesize.ts';
import { synthesizedDirectory } from './run-directory.ts';
import { readAssets, readTemplate } from '../../lib/local/sandboxed/templates.ts';

export interface Synthesized {
  data: Template;
  /** Template with the resources of nested stacks. */
  api: Template;
  books: Template;
  violations: readonly unknown[];
}

/** Settings of deployments that several test files read, and that are synthesized once. */
export const sharedSettings = {
  server: { 'gateway:concurrency': 1_000, 'gateway:streamRuntime': 'web' },
  otherStage: {
    'gateway:stage': 'my-test',
    'gateway:reviewers': ['arn:aws:iam::123456789012:role/finance', 'arn:aws:iam::123456789012:user/audit/ann'],
    'gateway:maxQueryGigabytes': 2.01,
  },
};

type SynthesizedText = Record<'data' | 'api' | 'books', object> & { violations: unknown[] };

/** Returns the templates of a deployment, which are usually synthesized once per test run. */
export function synthesize(settings: Record<string, unknown> = {}): Synthesized {
  const name = createHash('sha256').update(JSON.stringify(settings)).digest('hex');
  const kept = join(synthesizedDirectory, `${name}.json`);
  if (!existsSync(kept)) keepSynthesized(kept, settings);
  const { data, api, books, violations } = JSON.parse(readFileSync(kept, 'utf8')) as SynthesizedText;
  return {
    data: Template.fromJSON(data),
    api: Template.fromJSON(api),
    books: Template.fromJSON(books),
    violations,
  };
}

/**
 * Writes the templates to a file. The file appears only when it is complete, because two processes may create it at the
 * same time.
 */
function keepSynthesized(path: string, settings: Record<string, unknown>): void {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-templates-'));
  try {
    const text = JSON.stringify(synthesizeIn(directory, settings));
    mkdirSync(synthesizedDirectory, { recursive: true });
    const own = `${path}.${process.pid}`;
    writeFileSync(own, text);
    renameSync(own, path);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function synthesizeIn(directory: string, settings: Record<string, unknown>): SynthesizedText {
  const [bundles, outdir] = [join(directory, 'bundles'), join(directory, 'cdk.out')];
  writeSmallBundles(bundles);
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
  const app = { context: { ...context, ...settings }, outdir, builtinCloudFormationValidation: false };
  const { app: created, data, api, books } = createGatewayApp(bundles, app);
  const { violations } = new AwsSolutionsChecks().validateScope(created);
  Template.fromStack(api);
  return {
    data: Template.fromStack(data).toJSON(),
    api: readTemplate(join(outdir, api.templateFile), readAssets(outdir, api.artifactId)),
    books: Template.fromStack(books).toJSON(),
    violations: [...violations],
  };
}
