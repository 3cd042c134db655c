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

/** The drills by their names. */
export const drills: Record<string, (options: DrillOptions) => Promise<DrillStep[]>> = {
  restore: drillRestore,
  'settlement-down': drillSettlementDown,
  'hot-account': drillHotAccount,
  'provider-down': drillProviderDown,
  throttled: drillThrottled,
  'secret-missing': drillSecretMissing,
};

const drillUsage = `Rehearses on this machine what an operator hopes never to need, and says what clients saw and whether the books are right.

  npm run drill -- <name> [--requests <count>] [--json]

  restore                  the table is lost while requests are under way, and put back from an export
  settlement-down          no settlement can be written for a while
  hot-account              many requests at once meet at one counter, as DynamoDB lets them
  provider-down            a provider does not answer
  throttled                the table refuses some calls, then all
  deploy                   all stacks in an emulated AWS, and a change of releases (deploy --help)
  secret-missing           secrets cannot be read, are gone, or are others, then are right again
  --requests <count>       how many before, during and after it; default: 20
  --json                   print JSON for programs
  --help                   print this

The exit code is 1 where something was not as it should be.
`;

const MAX_REQUESTS = 10_000;

/** @returns the exit code @throws {StartFailure} for arguments that are missing or wrong */
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
    throw new StartFailure(`Say which drill: ${Object.keys(drills).join(', ')}. (--help shows what there is)`);
  }
  const requests = Number(values.requests);
  if (!Number.isInteger(requests) || requests < 1 || requests > MAX_REQUESTS) {
    throw new StartFailure(`--requests must be a whole number from 1 to ${MAX_REQUESTS}.`);
  }
  const steps = await drill({
    requests,
    tell: ({ step }) => {
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
  return `${lines.join('')}\n${isRight ? 'Everything was as it should be.' : 'Something was NOT as it should be.'}\n`;
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
    throw new StartFailure(`${(error as Error).message}\n(--help shows what there is)`);
  }
}
