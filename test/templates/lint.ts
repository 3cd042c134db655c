/**
 * Writes the templates of every setting, and checks them with cfn-lint, if it is installed: `npm run lint:templates`.
 * cfn-lint is a Python program (`pip install cfn-lint`).
 */

import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { toolArguments } from '../../lib/shared/tool-arguments.ts';
import { eachValueAlone, fewDeployments } from './deployments.ts';
import { synthesizeTemplates, writeSmallBundles } from './synthesize.ts';

/** W3005: the CDK writes dependencies that a reference already implies. */
const IGNORED = 'W3005';
const directory = resolve('.build/templates');

toolArguments(
  `Usage: npm run lint:templates

Writes the templates of every setting to ${directory}, and checks them with cfn-lint if it is installed.`,
  {},
);
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
