/**
 * Writes the templates of every setting, and checks them with cfn-lint: `npm run lint:templates`. cfn-lint is a Python
 * program (`pip install cfn-lint`). Without it, the templates are written but not checked.
 */

import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eachValueAlone, fewDeployments } from './deployments.ts';
import { synthesizeTemplates, writeSmallBundles } from './synthesize.ts';

/** Ignored rule W3005: the CDK writes dependencies that a reference already implies. */
const IGNORED = 'W3005';
const directory = resolve('.build/templates');

rmSync(directory, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });
writeSmallBundles(join(directory, 'bundles'));
const deployments = [...fewDeployments(), ...eachValueAlone()];
for (const { name, settings } of deployments) {
  synthesizeTemplates(join(directory, 'bundles'), settings, join(directory, name));
}
const templates = globSync('*/*.template.json', { cwd: directory });
process.stdout.write(`${templates.length} templates of ${deployments.length} deployments are in ${directory}.\n`);
const options = ['--regions', 'us-east-1', '--ignore-checks', IGNORED];
const { status, error } = spawnSync('cfn-lint', [...options, '--', ...templates], { cwd: directory, stdio: 'inherit' });
if (error && 'code' in error && error.code === 'ENOENT') {
  process.stdout.write('SKIPPED: cfn-lint is not installed, so no template was checked. Run: pip install cfn-lint\n');
} else {
  if (status === 0) process.stdout.write('cfn-lint found nothing.\n');
  process.exitCode = status ?? 1;
}
