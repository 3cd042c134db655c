import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectDirectory } from '../../shared/project-directory.ts';
import { StartFailure } from '../../shared/failure.ts';

const execFileAsync = promisify(execFile);

/** Values that the CDK command adds, so that the templates are equal to its templates. */
const cliContext = {
  'aws:cdk:enable-path-metadata': true,
  'aws:cdk:enable-asset-metadata': true,
  'aws:cdk:version-reporting': false,
};

/**
 * Synthesizes the stacks, and returns the directory of the cloud assembly.
 * @throws {StartFailure} if the stacks cannot be synthesized
 */
export async function synthesize(catalogDirectory: string | undefined): Promise<string> {
  const outputDirectory = join(projectDirectory, 'cdk.out');
  const { context } = JSON.parse(readFileSync(join(projectDirectory, 'cdk.json'), 'utf8')) as { context: object };
  const ownContext = catalogDirectory ? { 'gateway:catalog': catalogDirectory } : {};
  try {
    await execFileAsync(process.execPath, [join(projectDirectory, 'bin', 'gateway.ts')], {
      cwd: projectDirectory,
      env: {
        ...process.env,
        CDK_OUTDIR: outputDirectory,
        CDK_CONTEXT_JSON: JSON.stringify({ ...cliContext, ...context, ...ownContext }),
        CDK_VALIDATION: 'false',
      },
    });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new StartFailure(
      `The stacks cannot be synthesized. Run "npm run synth" for the full output: ${stderr?.trim().split('\n').slice(-3).join(' ') ?? ''}`,
    );
  }
  return outputDirectory;
}
