import { parseArgs } from 'node:util';
import { StartFailure } from '../../lib/shared/failure.ts';
import type { DrillOptions, DrillStep } from './drill.ts';
import { runDeployDrill } from './deploy/run.ts';
import { drillHotAccount } from './hot-account.ts';
import { drillProviderDown } from './provider-down.ts';
import { drillRestore } from './restore.ts';
import { drillSecretMissing } from './secret-missing.ts';
import { drillSettlementDown } from './settlement-down.ts';
import { drillThrottled } from './throttled.ts';

export const drills: Record<string, (options: DrillOptions) => Promise<DrillStep[]>> = {
  restore: drillRestore,
  'settlement-down': drillSettlementDown,
  'hot-account': drillHotAccount,
  'provider-down': drillProviderDown,
  throttled: drillThrottled,
  'secret-missing': drillSecretMissing,
};

const drillUsage = `Rehearses failures on this machine. Reports the responses that clients got, and whether the books are correct.

  npm run drill -- <name> [--requests <count>] [--json]

  restore                  the table is lost during requests, and restored from an export
  settlement-down          settlements cannot be written for a while
  hot-account              many concurrent requests conflict on one counter, as in DynamoDB
  provider-down            a provider does not answer
  throttled                the table throttles a third of all calls, then every call
  deploy                   all stacks in an emulated AWS, and a change of releases (deploy --help)
  secret-missing           secrets cannot be read, are missing, or are wrong, and are then restored
  --requests <count>       number of requests before, during and after the failure; default: 20
  --json                   print JSON for programs
  --help                   print this

The exit code is 1 if a step failed.
`;

const MAX_REQUESTS = 10_000;

/**
 * Runs a drill, and returns the exit code.
 * @throws {StartFailure} if an argument is missing or invalid, or a gateway does not start
 */
export async function runDrill(args: string[]): Promise<number> {
  if (args[0] === 'deploy') return runDeployDrill(args.slice(1));
  const { values, positionals } = parseDrillArgs(args);
  if (values.help) {
    process.stdout.write(drillUsage);
    return 0;
  }
  const drill =
    positionals.length === 1 && Object.hasOwn(drills, positionals[0]!) ? drills[positionals[0]!] : undefined;
  if (!drill) {
    throw new StartFailure(`Name one drill: ${Object.keys(drills).join(', ')}. (--help lists the options)`);
  }
  const requests = Number(values.requests);
  if (!Number.isInteger(requests) || requests < 1 || requests > MAX_REQUESTS) {
    throw new StartFailure(`--requests must be a whole number from 1 to ${MAX_REQUESTS}.`);
  }
  const steps = await drill({
    requests,
    report: ({ step }) => {
      if (process.stderr.isTTY) process.stderr.write(`${step}\n`);
    },
  });
  const isRight = steps.every((step) => step.isRight);
  process.stdout.write(
    values.json ? `${JSON.stringify({ passed: isRight, steps }, null, 2)}\n` : drillReport(steps, isRight),
  );
  return isRight ? 0 : 1;
}

function drillReport(steps: readonly DrillStep[], isRight: boolean): string {
  const lines = steps.map(({ step, isRight: right, says }) => `${right ? 'ok   ' : 'WRONG'}  ${step}: ${says}\n`);
  return `${lines.join('')}\n${isRight ? 'All steps passed.' : 'At least one step FAILED.'}\n`;
}

function parseDrillArgs(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        requests: { type: 'string', default: '20' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new StartFailure(`${(error as Error).message}\n(--help lists the options)`);
  }
}
