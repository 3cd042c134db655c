import { parseArgs } from 'node:util';
import { StartFailure } from '../../../lib/shared/failure.ts';
import { drillDeploy } from './drill-deploy.ts';
import { findMiniStack } from './ministack.ts';
import { shapes, type Shape } from './rehearsal.ts';
import { lineOf, summaryOf, type DeployReport } from './report.ts';

const deployUsage = `Deploys all stacks into MiniStack, an emulator of AWS, and tests their life cycle: a first deployment, smoke checks, sixty
concurrent requests against one limit, an upgrade from the last release, the rollback, and deletion. Install MiniStack first:

  pip install 'ministack==1.5.33' cryptography

  npm run drill -- deploy [--shape functions|web|both] [--ministack <program>] [--json]

  --shape <shape>          runtime of the inference routes (gateway:streamRuntime); default: both, one after the other
  --ministack <program>    path of the program; default: ministack in PATH
  --json                   print JSON for programs
  --help                   print this

Each line begins with ok, FAILED, or "not possible in the emulator". The exit code is 1 if a step failed. It is 0 if MiniStack is not installed.
`;

const SKIPPED = `Skipped: MiniStack is not installed, so nothing was deployed. Install it with: pip install 'ministack==1.5.33' cryptography\n`;

/**
 * Runs the deployment drill, and returns the exit code.
 * @param args arguments after `deploy`
 * @throws {StartFailure} if an argument is invalid, or MiniStack does not start
 */
export async function runDeployDrill(args: string[]): Promise<number> {
  const values = parseDeployArgs(args);
  if (values.help) {
    process.stdout.write(deployUsage);
    return 0;
  }
  const chosen = shapesOf(values.shape);
  const program = findMiniStack(values.ministack);
  if (program === undefined) {
    if (values.ministack !== undefined)
      throw new StartFailure(`${values.ministack} does not exist. Pass the path of MiniStack with --ministack.`);
    process.stdout.write(values.json ? `${JSON.stringify({ skipped: true })}\n` : SKIPPED);
    return 0;
  }
  endOnSignals();
  const reports: Record<string, DeployReport> = {};
  for (const shape of chosen) {
    if (!values.json) process.stdout.write(`Shape ${shape}:\n`);
    reports[shape] = await drillDeploy({
      program,
      shape,
      report: (step) => values.json || process.stdout.write(`${lineOf(step)}\n`),
    });
    if (!values.json) process.stdout.write(`${summaryOf(reports[shape])}\n\n`);
  }
  const passed = Object.values(reports).every(({ steps }) => steps.every(({ result }) => result !== 'FAILED'));
  if (values.json) process.stdout.write(`${JSON.stringify({ passed, shapes: reports }, null, 2)}\n`);
  return passed ? 0 : 1;
}

/**
 * Ends the process on signals; exit handlers then stop the emulator and remove its directory. A signal may arrive
 * several times, even while these handlers run.
 */
function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
}

function shapesOf(text: string): readonly Shape[] {
  if (text === 'both') return shapes;
  const shape = shapes.find((name) => name === text);
  if (shape === undefined) throw new StartFailure(`--shape must be functions, web or both, not "${text}".`);
  return [shape];
}

function parseDeployArgs(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        shape: { type: 'string', default: 'both' },
        ministack: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new StartFailure(`${(error as Error).message}\n(--help lists the options)`);
  }
}
