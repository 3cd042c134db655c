import { parseArgs } from 'node:util';
import { table as asTable } from '../admin/output.ts';
import { StartFailure } from '../local/failure.ts';
import { drillRestore, type DrillStep } from './restore.ts';

const drillUsage = `Rehearses on this machine what an operator hopes never to need, and says what clients saw and whether the books are right.

  npm run drill -- restore [--requests <count>] [--json]

  restore                  the table is lost, and put back from an export
  --requests <count>       how many before the export, and after it; default: 20
  --json                   print JSON for programs
  --help                   print this

The exit code is 1 where something was not as it should be.
`;

const MAX_REQUESTS = 10_000;

/** @returns the exit code @throws {StartFailure} for arguments that are missing or wrong */
export async function runDrill(args: string[]): Promise<number> {
  const { values, positionals } = parsed(args);
  if (values.help) {
    process.stdout.write(drillUsage);
    return 0;
  }
  if (positionals[0] !== 'restore' || positionals.length > 1) {
    throw new StartFailure('Say which drill: restore. (--help shows what there is)');
  }
  const requests = Number(values.requests);
  if (!Number.isInteger(requests) || requests < 1 || requests > MAX_REQUESTS) {
    throw new StartFailure(`--requests must be a whole number from 1 to ${MAX_REQUESTS}.`);
  }
  const steps = await drillRestore(requests, ({ step }) => {
    if (process.stderr.isTTY) process.stderr.write(`${step}\n`);
  });
  const isRight = steps.every((step) => step.isRight);
  process.stdout.write(
    values.json ? `${JSON.stringify({ passed: isRight, steps }, null, 2)}\n` : reportOf(steps, isRight),
  );
  return isRight ? 0 : 1;
}

function reportOf(steps: readonly DrillStep[], isRight: boolean): string {
  const rows = steps.map(({ step, isRight: right, says }) => ({ step, result: right ? 'ok' : 'WRONG', says }));
  return `${asTable(rows)}\n${isRight ? 'Everything was as it should be.' : 'Something was NOT as it should be.'}\n`;
}

function parsed(args: string[]) {
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
