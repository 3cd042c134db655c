/** Deploys a checkout of the project with the CDK's command. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartFailure } from '../../../lib/shared/failure.ts';
import { adoptChild } from '../../../lib/shared/children.ts';
import { projectDirectory } from '../../../lib/shared/project-directory.ts';
import { fitAssembly } from './emulated-templates.ts';
import { EMULATED_ACCOUNT, EMULATED_REGION, type MiniStack } from './ministack.ts';

/** Values of outputs, by stack. */
export type Outputs = Record<string, Record<string, string>>;

interface Synthesis {
  /** This project, or another release of it. */
  checkout: string;
  /** Settings without the prefix `gateway:`. */
  settings: Record<string, unknown>;
  assembly: string;
}

/**
 * Synthesizes the templates of a checkout, adapts them to the emulator, and returns the features that the emulator
 * lacks.
 * @throws {StartFailure} if the synthesis fails
 */
export async function synthesizeFor({ checkout, settings, assembly }: Synthesis): Promise<string[]> {
  const { context } = JSON.parse(readFileSync(join(checkout, 'cdk.json'), 'utf8')) as { context: object };
  const own = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`gateway:${name}`, value]));
  await runProgram([join(checkout, 'bin/gateway.ts')], {
    cwd: checkout,
    env: {
      CDK_OUTDIR: assembly,
      CDK_CONTEXT_JSON: JSON.stringify({ 'aws:cdk:version-reporting': false, ...context, ...own }),
      // The templates are not validated here, because `npm run synth` validates them.
      CDK_VALIDATION: 'false',
    },
  });
  return fitAssembly(assembly);
}

/**
 * Bootstraps the account for the CDK.
 * @param directory without an app, so that nothing is synthesized
 * @throws {StartFailure} if the CDK fails
 */
export async function bootstrapAccount(emulator: MiniStack, directory: string): Promise<void> {
  const account = `aws://${EMULATED_ACCOUNT}/${EMULATED_REGION}`;
  await cdk(emulator, { checkout: projectDirectory, cwd: directory }, ['bootstrap', account]);
}

export async function deployAll(
  emulator: MiniStack,
  { checkout, assembly }: Pick<Synthesis, 'checkout' | 'assembly'>,
): Promise<Outputs> {
  const file = `${assembly}.outputs.json`;
  const options = ['--all', '--require-approval', 'never', '--outputs-file', file];
  await cdk(emulator, { checkout, cwd: checkout }, ['deploy', '--app', assembly, ...options]);
  return JSON.parse(readFileSync(file, 'utf8')) as Outputs;
}

export async function destroyAll(
  emulator: MiniStack,
  { checkout, assembly }: Pick<Synthesis, 'checkout' | 'assembly'>,
): Promise<void> {
  await cdk(emulator, { checkout, cwd: checkout }, ['destroy', '--app', assembly, '--all', '--force']);
}

function cdk(
  { environment }: MiniStack,
  { checkout, cwd }: { checkout: string; cwd: string },
  args: string[],
): Promise<string> {
  const program = join(checkout, 'node_modules/aws-cdk/bin/cdk');
  return runProgram([program, '--no-notices', '--ci', ...args], { cwd, env: environment });
}

const MAX_SAID = 1_500;

/**
 * Runs a Node program, and returns its standard output.
 * @throws {StartFailure} with the end of its output if it fails
 */
export async function runProgram(
  args: string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<string> {
  const child = adoptChild(
    spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } }),
  );
  let [output, all] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    all += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => (all += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return output;
  throw new StartFailure(`"${args.slice(0, 4).join(' ')} …" ended with ${code}: ${all.trim().slice(-MAX_SAID)}`);
}
